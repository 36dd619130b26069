import type { Store } from "../store/store.ts";
import type { ScenarioResult } from "../verdict.ts";
import type { Trial } from "./trial.ts";

export interface WithRegrades {
  readonly trials: readonly Trial[];
  /** How many runs have a result that was graded again in the place of their first one. */
  readonly replaced: number;
}

/**
 * The runs with their newest kept regrade by these markers in the place of the result it grades again, scenario by
 * scenario. `markersOf` gives the hash that is wanted for a scenario; results that have it already, and runs without a
 * regrade by it, stay as they are.
 */
export function withRegrades(
  trials: readonly Trial[],
  store: Pick<Store, "listRuns" | "getRun">,
  markersOf: ReadonlyMap<string, string>,
): WithRegrades {
  let replaced = 0;
  const after = trials.map((trial) => {
    const kept = regradesOf(trial, store).filter(
      ({ scenario, markers_sha256: hash }) => markersOf.get(scenario) === hash,
    );
    const scenarios = [...new Set(kept.map(({ scenario }) => scenario))];
    const stale = scenarios.filter((scenario) => {
      const own = trial.results.filter((result) => result.scenario === scenario);
      return own.length === 0 || own.some(({ markers_sha256: hash }) => hash !== markersOf.get(scenario));
    });
    if (stale.length === 0) return trial;
    replaced++;
    const fresh = stale.flatMap((scenario) => newestOf(kept.filter((result) => result.scenario === scenario)));
    return { ...trial, results: [...trial.results.filter(({ scenario }) => !stale.includes(scenario)), ...fresh] };
  });
  return { trials: after, replaced };
}

/** The markers of the newest regrade of any of the runs, by scenario. */
export function newestMarkers(
  trials: readonly Trial[],
  store: Pick<Store, "listRuns" | "getRun">,
): ReadonlyMap<string, string> {
  const newest = new Map<string, ScenarioResult>();
  for (const result of trials.flatMap((trial) => regradesOf(trial, store))) {
    const known = newest.get(result.scenario);
    if (known === undefined || known.run < result.run) newest.set(result.scenario, result);
  }
  return new Map([...newest].map(([scenario, { markers_sha256: hash }]) => [scenario, hash]));
}

/** Newest first. */
function regradesOf({ manifest }: Trial, store: Pick<Store, "listRuns" | "getRun">): readonly ScenarioResult[] {
  const stored = store.listRuns({ trial: manifest.id, withRegrades: true });
  return stored.filter(({ regradeOf }) => regradeOf !== undefined).map(({ id }) => store.getRun(id).result);
}

/** One per session, the newest; they come newest first. */
function newestOf(results: readonly ScenarioResult[]): readonly ScenarioResult[] {
  const first = new Map<string | undefined, ScenarioResult>();
  for (const result of results) if (!first.has(result.session)) first.set(result.session, result);
  return [...first.values()].reverse();
}
