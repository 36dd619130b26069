import { median } from "../statistics/quantiles.ts";
import { amountOf, exactAmountOf } from "./amounts.ts";
import { hasPassed } from "./measures-group.ts";
import type { Trial } from "./trial.ts";

/** A run that passed at many times the price, or in many times the time, of the others. */
export interface Outlier {
  readonly run: string;
  readonly of: "duration" | "cost";
  /** How many times the median of the passes. */
  readonly times: number;
}

/** Of two passes the median lies between them, so that none could ever be far above it. */
const FEWEST_PASSES = 3;

/**
 * The passes of a group that took `factor` times the median of its passes, or more, of time or cost; the farthest first.
 * A cost that is a lower bound can stand out, but says nothing about the median. Empty under three passes.
 */
export function outliers(trials: readonly Trial[], scenario?: string, factor = 10): readonly Outlier[] {
  const passed = trials.filter((trial) => hasPassed(trial, scenario));
  const found = (["duration", "cost"] as const).flatMap((of) => {
    const exact = passed.flatMap((trial) => exactAmountOf(trial, of, resultsOn(trial, scenario)) ?? []);
    const middle = median(exact);
    if (middle === undefined || middle <= 0 || exact.length < FEWEST_PASSES) return [];
    return passed.flatMap((trial): readonly Outlier[] => {
      const times = (amountOf(trial, of, resultsOn(trial, scenario)) ?? 0) / middle;
      return times >= factor ? [{ run: trial.manifest.id, of, times }] : [];
    });
  });
  return found.sort((a, b) => b.times - a.times);
}

/** `run 01K… passed at 12 times the median cost`. */
export function sayOutlier({ run, of, times }: Outlier): string {
  const many = Math.floor(times);
  return of === "cost"
    ? `run ${run} passed at ${many} times the median cost`
    : `run ${run} passed in ${many} times the median time`;
}

function resultsOn({ results }: Trial, scenario: string | undefined): Trial["results"] {
  return results.filter((result) => scenario === undefined || result.scenario === scenario);
}
