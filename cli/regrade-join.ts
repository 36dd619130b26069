import { existsSync, statSync } from "node:fs";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import type { Store } from "../grader/store/store.ts";
import { scenariosOf } from "../grader/trials/compare-attempt.ts";
import type { Side } from "../grader/trials/compare-select.ts";
import { newestMarkers, withRegrades } from "../grader/trials/regrade-find.ts";
import type { Trial } from "../grader/trials/trial.ts";
import { type Fault, WaymarkError, waymarkError } from "../proxy/record/fault.ts";
import type { JsonValue } from "../proxy/record/json.ts";

export interface RegradeWords {
  /** A folder of scenarios, or one file. */
  readonly markers: string | undefined;
  readonly scenario: string | undefined;
  readonly params: ReadonlyMap<string, JsonValue>;
}

/** Which scenarios each run is to be graded by: those named, else those that graded it before. */
export async function scenariosFor(
  trials: readonly Trial[],
  names: readonly string[],
  markers: string | undefined,
): Promise<{
  of: (trial: Trial) => readonly LoadedScenario[];
  all: readonly LoadedScenario[];
  warnings: readonly Fault[];
}> {
  const folder = markers ?? "markers";
  if (statSync(folder, { throwIfNoEntry: false })?.isFile() === true) {
    const { loadScenario } = await import("../grader/scenario/load.ts");
    const loaded = await loadScenario(folder);
    refuseOthers(names, loaded);
    return { of: () => [loaded], all: [loaded], warnings: loaded.warnings };
  }
  const { findScenarios } = await import("../grader/scenario/find.ts");
  if (names.length > 0) {
    const { scenarios, warnings } = await findScenarios({ folder, names });
    return { of: () => scenarios, all: scenarios, warnings };
  }
  const known = new Map<string, LoadedScenario>();
  for (const id of scenariosOf(trials)) known.set(id, await scenarioOf(id, trials, folder));
  const all = [...known.values()];
  const own = (trial: Trial): readonly LoadedScenario[] => scenariosOf([trial]).flatMap((id) => known.get(id) ?? []);
  return { of: (trial) => (trial.results.length === 0 ? all : own(trial)), all, warnings: [] };
}

function refuseOthers(names: readonly string[], { scenario, file }: LoadedScenario): void {
  const other = names.find((name) => name !== scenario.id);
  if (other === undefined) return;
  throw waymarkError("WM_SCENARIO_NOT_FOUND", `${file} holds the scenario "${scenario.id}", not "${other}"`);
}

/** By its id in the folder or among the shipped ones; else from the file that graded it. */
async function scenarioOf(id: string, trials: readonly Trial[], folder: string): Promise<LoadedScenario> {
  const { findScenarios } = await import("../grader/scenario/find.ts");
  const file = trials.flatMap(({ results }) => results).find(({ scenario }) => scenario === id)?.file ?? "";
  const look = async (name: string): Promise<LoadedScenario | undefined> =>
    (await findScenarios({ folder, names: [name] })).scenarios[0];
  try {
    const found = await look(id);
    if (found !== undefined) return found;
  } catch (error) {
    const isMissing = error instanceof WaymarkError && error.code === "WM_SCENARIO_NOT_FOUND";
    if (!isMissing || !existsSync(file)) throw error;
  }
  const found = await look(file);
  if (found?.scenario.id === id) return found;
  throw waymarkError("WM_SCENARIO_NOT_FOUND", `the scenario "${id}" is neither in "${folder}" nor in ${file}`);
}

/** Both sides graded again now, in memory. Runs whose log is gone come as errors. */
export async function regradeSides(
  sides: readonly [Side, Side],
  { markers, scenario, params }: RegradeWords,
): Promise<{ readonly sides: readonly [Side, Side]; readonly notes: readonly string[] }> {
  const { regradeTrial, trialAfter } = await import("../grader/trials/regrade.ts");
  const names = scenario === undefined ? [] : [scenario];
  const { of } = await scenariosFor(
    sides.flatMap(({ trials }) => trials),
    names,
    markers,
  );
  const notes: string[] = [];
  const again = async (side: Side): Promise<Side> => {
    const trials: Trial[] = [];
    for (const trial of side.trials) {
      const regraded = await regradeTrial(trial, { scenarios: of(trial), params });
      if (regraded.kind === "gone") notes.push(regraded.problem.message);
      trials.push(trialAfter(regraded));
    }
    return { ...side, trials };
  };
  const both = [await again(sides[0]), await again(sides[1])] as const;
  return { sides: both, notes: ["both sides were graded again for this comparison; nothing was kept", ...notes] };
}

/**
 * The sides with kept regrades in the place of first results: where they are asked for, and where the first results have
 * different markers while regrades bring them to the same.
 */
export function withKeptRegrades(
  sides: readonly [Side, Side],
  store: Store,
  { isAsked, scenario }: { readonly isAsked: boolean; readonly scenario: string | undefined },
): { readonly sides: readonly [Side, Side]; readonly notes: readonly string[] } {
  const all = sides.flatMap(({ trials }) => trials);
  const isMixed = (id: string): boolean => {
    const results = all.flatMap(({ results: own }) => own).filter((result) => result.scenario === id);
    return new Set(results.map(({ markers_sha256: hash }) => hash)).size > 1;
  };
  const wanted = new Map(
    [...newestMarkers(all, store)].filter(([id]) => (isAsked || isMixed(id)) && (scenario ?? id) === id),
  );
  if (wanted.size === 0) {
    if (isAsked)
      throw waymarkError("WM_RUN_NOT_FOUND", "none of these runs was graded again", {
        fix: "Grade them again first: `waymark regrade A B`.",
      });
    return { sides, notes: [] };
  }
  const [a, b] = [withRegrades(sides[0].trials, store, wanted), withRegrades(sides[1].trials, store, wanted)];
  const hashes = [...wanted.values()].map((hash) => hash.slice(0, 12)).join(", ");
  const count = a.replaced + b.replaced;
  const notes = [`${count} of ${all.length} runs stand as they were graded again, with markers ${hashes}`];
  return {
    sides: [
      { ...sides[0], trials: a.trials },
      { ...sides[1], trials: b.trials },
    ],
    notes,
  };
}

/**
 * How the sessions of a scenario count together, for runs that have several; read from the scenario's file while that is
 * the one that graded them, else not known.
 */
export async function sessionModes(trials: readonly Trial[]): Promise<ReadonlyMap<string, "all" | "any">> {
  const modes = new Map<string, "all" | "any">();
  for (const result of trials.flatMap(({ results }) => results)) {
    if (result.session === undefined || modes.has(result.scenario) || !existsSync(result.file)) continue;
    const { loadScenario } = await import("../grader/scenario/load.ts");
    const loaded = await loadScenario(result.file).catch(() => undefined); // unreadable by now: then it is not known
    if (loaded?.scenario.sha256 === result.markers_sha256) modes.set(result.scenario, loaded.scenario.events.sessions);
  }
  return modes;
}
