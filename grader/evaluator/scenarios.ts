import { statSync } from "node:fs";
import { type Fault, WaymarkError } from "../../proxy/record/fault.ts";
import { didYouMean } from "../../proxy/record/near.ts";
import { findScenarios, listScenarios, shippedFolder } from "../scenario/find.ts";
import type { LoadedScenario } from "../scenario/load.ts";
import { pointerTo, Refusal } from "./refusal.ts";

/** The scenarios an item asks for, or why they cannot be graded. */
export type Selected =
  | { readonly kind: "loaded"; readonly scenarios: readonly LoadedScenario[] }
  | { readonly kind: "broken"; readonly faults: readonly Fault[] };

export interface ScenarioShelf {
  /**
   * Loads scenarios by id; none named means all in the folder. Throws a 404 with the known names for one that is not
   * there. A name is never taken for a path: only what stands in the marker folder and among the shipped ones is read.
   */
  select(names: readonly string[], at: readonly PropertyKey[]): Promise<Selected>;
  known(): Promise<readonly string[]>;
}

/** Scenarios of a marker folder, read again whenever the folder or one of its files has changed. */
export function openShelf(folder: string): ScenarioShelf {
  const kept = new Map<string, { readonly stamp: string; readonly selected: Selected }>();
  const known = async (): Promise<readonly string[]> => {
    const files = [...(await listScenarios(folder)), ...(await listScenarios(shippedFolder()))];
    return [...new Set(files.flatMap(({ id }) => (id === undefined || id === "" ? [] : [id])))];
  };
  const load = async (names: readonly string[], at: readonly PropertyKey[]): Promise<Selected> => {
    const wrong = names.findIndex((name) => /[\\/]|\.ya?ml$/i.test(name));
    try {
      if (wrong >= 0) throw await notFound(names[wrong] ?? "", [...at, wrong], await known());
      const { scenarios } = await findScenarios({ folder, names });
      return { kind: "loaded", scenarios };
    } catch (error) {
      if (!(error instanceof WaymarkError)) throw error;
      if (error.code !== "WM_SCENARIO_NOT_FOUND") return { kind: "broken", faults: error.faults };
      const all = await known();
      const missing = Math.max(
        0,
        names.findIndex((name) => error.faults.some(({ message }) => message.includes(`"${name}"`))),
      );
      throw notFound(names[missing] ?? "", names.length === 0 ? at : [...at, missing], all);
    }
  };
  return {
    known,
    async select(names, at) {
      const key = JSON.stringify(names);
      const before = kept.get(key);
      if (before !== undefined && before.stamp === stampOf(before.selected, folder)) return before.selected;
      const selected = await load(names, at);
      if (kept.size > MOST_KEPT) kept.clear();
      kept.set(key, { stamp: stampOf(selected, folder), selected });
      return selected;
    },
  };
}

const MOST_KEPT = 200;

function notFound(name: string, at: readonly PropertyKey[], known: readonly string[]): Refusal {
  const message =
    name === ""
      ? "there is no scenario in the marker folder"
      : `no scenario is called "${name}"${didYouMean(name, known)}`;
  return new Refusal(404, "WM_SERVE_NOT_FOUND", message, { pointer: pointerTo(at), known });
}

/** Changes when a scenario's file, a file it takes over, or the list of files changes. Broken ones are always read again. */
function stampOf(selected: Selected, folder: string): string {
  if (selected.kind === "broken") return `broken ${performance.now()}`;
  const files = selected.scenarios.flatMap(({ file, texts }) => [file, ...texts.keys()]);
  return [folder, ...new Set(files)].map(identityOf).join("\n");
}

/** What tells whether a file is still the same: device, inode, size and time. */
export function identityOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined
    ? `${file} -`
    : `${file} ${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}
