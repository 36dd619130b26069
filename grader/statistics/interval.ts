import { betaQuantile } from "./beta.ts";
import { type Counts, DEFAULT_LEVEL, requireCounts, requireInside } from "./counts.ts";
import { normalMultiplier } from "./normal.ts";

/** A two-sided interval; for a pass rate both ends lie in 0..1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** What no runs at all say about a pass rate: nothing. */
const ANYTHING: Interval = { low: 0, high: 1 };

/**
 * Wilson's score interval for a pass rate (Wilson 1927), without continuity correction: the default of every rate shown.
 * Its coverage swings around the level (0.942 at a true rate of 0.8 and 5 runs). Without runs: 0..1. Impossible counts
 * are a `RangeError`.
 */
export function wilson(counts: Counts, level: number = DEFAULT_LEVEL): Interval {
  requireCounts(counts);
  return scoreInterval(counts, normalMultiplier(level));
}

/** Wilson's formula itself, which also takes fractional counts (an average over tasks); z as from `normalMultiplier`. */
export function scoreInterval({ passed, runs }: Counts, z: number): Interval {
  if (runs === 0) return ANYTHING;
  const centre = (passed + (z * z) / 2) / (runs + z * z);
  const half = (z / (runs + z * z)) * Math.sqrt((passed * (runs - passed)) / runs + (z * z) / 4);
  return {
    low: passed === 0 ? 0 : Math.max(0, centre - half),
    high: passed === runs ? 1 : Math.min(1, centre + half),
  };
}

/**
 * Wilson's interval with continuity correction (Newcombe 1998, method 4): wider, covers the level nearly always. Without
 * runs: 0..1. Impossible counts are a `RangeError`.
 */
export function wilsonCorrected(counts: Counts, level: number = DEFAULT_LEVEL): Interval {
  requireCounts(counts);
  const { passed, runs } = counts;
  if (runs === 0) return ANYTHING;
  return {
    low: passed === 0 ? 0 : correctedLow(counts, normalMultiplier(level)),
    high: passed === runs ? 1 : 1 - correctedLow({ passed: runs - passed, runs }, normalMultiplier(level)),
  };
}

function correctedLow({ passed, runs }: Counts, z: number): number {
  const rate = passed / runs;
  const root = Math.sqrt(z * z - 2 - 1 / runs + 4 * rate * (runs - passed + 1));
  return Math.max(0, (2 * passed + z * z - 1 - z * root) / (2 * (runs + z * z)));
}

/**
 * The exact interval of Clopper & Pearson (1934) from beta quantiles: never covers less than the level, so it is what a
 * `lower:` gate uses. Without runs: 0..1. Impossible counts are a `RangeError`.
 */
export function clopperPearson(counts: Counts, level: number = DEFAULT_LEVEL): Interval {
  requireCounts(counts);
  requireInside("level", level);
  const { passed, runs } = counts;
  const tail = (1 - level) / 2;
  return {
    low: passed === 0 ? 0 : betaQuantile(tail, passed, runs - passed + 1),
    high: passed === runs ? 1 : betaQuantile(1 - tail, passed + 1, runs - passed),
  };
}
