import { findLogs } from "../read/series.ts";
import { placesIn } from "./folder.ts";
import type { Trial } from "./trial.ts";

/** Where a run's telemetry would be: in its folder, else where its result says; undefined when nothing says. */
export function logPlaces(trial: Trial): readonly string[] {
  const own = trial.folder === undefined ? [] : [placesIn(trial.folder).telemetry];
  return [...own, ...new Set(trial.results.map(({ log }) => log).filter((log) => log !== "-"))];
}

/** The first of those places where a log stands; undefined when there is none any more. */
export async function logOf(trial: Trial): Promise<string | undefined> {
  for (const place of logPlaces(trial)) {
    const { series } = await findLogs([place]);
    if (series.length > 0) return place;
  }
  return undefined;
}
