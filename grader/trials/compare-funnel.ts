import { type Attempt, isDecided } from "./compare-attempt.ts";
import { markerNames } from "./compare-shift.ts";

/** How many of the graded runs found a marker. */
export interface FunnelStep {
  readonly marker: string;
  readonly reached: number;
  readonly of: number;
}

/** Where failing runs stopped: after which marker, before which. */
export interface Stall {
  readonly after?: string;
  readonly before: string;
  readonly runs: number;
}

/**
 * Reached k of N, marker by marker, over the runs that passed or failed. A marker that a run may skip counts as not
 * reached where it was skipped.
 */
export function funnelOf(attempts: readonly Attempt[]): readonly FunnelStep[] {
  const graded = attempts.filter(isDecided);
  return markerNames(attempts).map((marker) => ({
    marker,
    reached: graded.filter((attempt) => hasFound(attempt, marker)).length,
    of: graded.length,
  }));
}

/** Where the failing runs stopped, most frequent first. Runs that fail by a rule, with all markers found, did not stall. */
export function stallsOf(attempts: readonly Attempt[]): readonly Stall[] {
  const stalls = new Map<string, Stall>();
  for (const { verdict, results } of attempts) {
    const stopped = results.find(({ verdict: own, waiting_for: next }) => own === "fail" && next !== undefined);
    if (verdict !== "fail" || stopped?.waiting_for === undefined) continue;
    const { reached, waiting_for: before } = stopped;
    const key = JSON.stringify([reached, before]);
    const runs = (stalls.get(key)?.runs ?? 0) + 1;
    stalls.set(key, { ...(reached === undefined ? {} : { after: reached }), before, runs });
  }
  return [...stalls.values()].sort((a, b) => b.runs - a.runs);
}

function hasFound({ results }: Attempt, marker: string): boolean {
  return results.some(({ markers }) => markers.some(({ name, status }) => name === marker && status === "found"));
}
