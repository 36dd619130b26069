import { join } from "node:path";
import { WaymarkError } from "../../../proxy/record/fault.ts";
import type { MarkerNode } from "../../scenario/ast.ts";
import { shippedFolder } from "../../scenario/find.ts";
import { type LoadedScenario, loadScenario } from "../../scenario/load.ts";
import { type KeptMutation, readMutation } from "../../trials/mutation-file.ts";
import type { Trial } from "../../trials/trial.ts";
import type { ScenarioText } from "./input.ts";
import { fileName } from "./page-result.ts";

/**
 * The texts of the scenarios that graded the runs, as their files are now: where the result says, else among the shipped
 * ones. A file that is gone or broken is left out; the page then says so. `db` is the database beside which `mutate` has
 * kept what it says of them.
 */
export async function scenarioTexts(trials: readonly Trial[], db?: string): Promise<readonly ScenarioText[]> {
  const files = new Map<string, string>();
  for (const { scenario, file } of trials.flatMap(({ results }) => results)) files.set(`${scenario} ${file}`, file);
  const found = await Promise.all([...files.values()].map(loadFrom));
  return found.flatMap((loaded) => (loaded === undefined ? [] : [textOf(loaded, db)]));
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

function textOf({ scenario, text }: LoadedScenario, db: string | undefined): ScenarioText {
  const markers = scenario.markers.flatMap(flat);
  const kept = db === undefined ? undefined : readMutation(db, scenario.sha256);
  return {
    name: scenario.id,
    sha256: scenario.sha256,
    ...(scenario.title === undefined ? {} : { title: scenario.title }),
    ...(scenario.description === undefined ? {} : { description: scenario.description }),
    text,
    withinMs: new Map(
      markers.flatMap(({ name, withinMs }) => (withinMs === undefined ? [] : [[name, withinMs] as const])),
    ),
    ...(kept === undefined ? {} : { mutation: noticedBy(kept) }),
    optional: new Set(markers.flatMap(({ name, optional }) => (optional ? [name] : []))),
  };
}

/** Of markers only; the page shows rules elsewhere. */
function noticedBy({ items }: KeptMutation): NonNullable<ScenarioText["mutation"]> {
  const markers = items.filter(({ kind, of }) => kind === "marker" && of > 0);
  return new Map(markers.map(({ name, noticed, of }) => [name, { noticed, of }]));
}

function flat(marker: MarkerNode): readonly MarkerNode[] {
  return marker.kind === "marker" ? [marker] : [marker, ...marker.lists.flat().flatMap(flat)];
}
