import { type Attempt, isDecided } from "./compare-attempt.ts";
import { markerNames } from "./compare-shift.ts";
import { countStalls, type Stall } from "./stalls.ts";

/** How many of the graded runs found a marker. */
export interface FunnelStep {
  readonly marker: string;
  readonly reached: number;
  readonly of: number;
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

/** Where the failing runs stopped, most frequent first. */
export function stallsOf(attempts: readonly Attempt[]): readonly Stall[] {
  return countStalls(
    attempts.flatMap(({ verdict, results }) => {
      const stopped = results.find(({ verdict: own, waiting_for: next }) => own === "fail" && next !== undefined);
      return verdict === "fail" && stopped !== undefined ? [stopped] : [];
    }),
  );
}

function hasFound({ results }: Attempt, marker: string): boolean {
  return results.some(({ markers }) => markers.some(({ name, status }) => name === marker && status === "found"));
}
