import { join } from "node:path";
import { WaymarkError } from "../../../proxy/record/fault.ts";
import type { MarkerNode } from "../../scenario/ast.ts";
import { shippedFolder } from "../../scenario/find.ts";
import { type LoadedScenario, loadScenario } from "../../scenario/load.ts";
import type { Trial } from "../../trials/trial.ts";
import type { ScenarioText } from "./input.ts";
import { fileName } from "./page-result.ts";

/**
 * The texts of the scenarios that graded the runs, as their files are now: where the result says, else among the shipped
 * ones. A file that is gone or broken is left out; the page then says so.
 */
export async function scenarioTexts(trials: readonly Trial[]): Promise<readonly ScenarioText[]> {
  const files = new Map<string, string>();
  for (const { scenario, file } of trials.flatMap(({ results }) => results)) files.set(`${scenario} ${file}`, file);
  const found = await Promise.all([...files.values()].map(loadFrom));
  return found.flatMap((loaded) => (loaded === undefined ? [] : [textOf(loaded)]));
}

async function loadFrom(file: string): Promise<LoadedScenario | undefined> {
  for (const place of [file, join(shippedFolder(), fileName(file))]) {
    try {
      return await loadScenario(place);
    } catch (cause) {
      if (!(cause instanceof WaymarkError)) throw cause; // not there, or no longer right: the next place is tried
    }
  }
  return undefined;
}

function textOf({ scenario, text }: LoadedScenario): ScenarioText {
  const markers = scenario.markers.flatMap(flat);
  return {
    name: scenario.id,
    sha256: scenario.sha256,
    ...(scenario.title === undefined ? {} : { title: scenario.title }),
    ...(scenario.description === undefined ? {} : { description: scenario.description }),
    text,
    withinMs: new Map(
      markers.flatMap(({ name, withinMs }) => (withinMs === undefined ? [] : [[name, withinMs] as const])),
    ),
    optional: new Set(markers.flatMap(({ name, optional }) => (optional ? [name] : []))),
  };
}

function flat(marker: MarkerNode): readonly MarkerNode[] {
  return marker.kind === "marker" ? [marker] : [marker, ...marker.lists.flat().flatMap(flat)];
}
