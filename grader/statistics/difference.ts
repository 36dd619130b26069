import { type Counts, DEFAULT_LEVEL, rateOf, requireCounts } from "./counts.ts";
import { type Interval, wilson } from "./interval.ts";

/** Rate of A minus rate of B, from -1 to 1, with its two-sided interval. */
export interface Difference extends Interval {
  /** Undefined when a side has no runs. */
  readonly estimate: number | undefined;
}

/** The same tasks done by two variants, counted by who passed. */
export interface Pairs {
  readonly both: number;
  readonly onlyA: number;
  readonly onlyB: number;
  readonly neither: number;
}

const ANYTHING: Difference = { estimate: undefined, low: -1, high: 1 };

/**
 * Newcombe's hybrid score interval for the difference of two independent pass rates, A minus B (Newcombe 1998, "Interval
 * estimation for the difference between independent proportions", method 10, without continuity correction). -1..1
 * without runs on a side. Impossible counts are a `RangeError`.
 */
export function newcombe(a: Counts, b: Counts, level: number = DEFAULT_LEVEL): Difference {
  return squareAndAdd(a, b, { level, correlation: 0 });
}

/**
 * Newcombe's interval for the difference of two paired pass rates, A minus B (Newcombe 1998, "Improved confidence
 * intervals for the difference between binomial proportions based on paired data", method 10). -1..1 without pairs.
 */
export function newcombePaired(pairs: Pairs, level: number = DEFAULT_LEVEL): Difference {
  const runs = pairs.both + pairs.onlyA + pairs.onlyB + pairs.neither;
  const a = { passed: pairs.both + pairs.onlyA, runs };
  const b = { passed: pairs.both + pairs.onlyB, runs };
  return squareAndAdd(a, b, { level, correlation: correlation(pairs) });
}

function squareAndAdd(a: Counts, b: Counts, how: { level: number; correlation: number }): Difference {
  requireCounts(a);
  requireCounts(b);
  const [rateA, rateB] = [rateOf(a), rateOf(b)];
  if (rateA === undefined || rateB === undefined) return ANYTHING;
  const [inA, inB] = [wilson(a, how.level), wilson(b, how.level)];
  const below = combine(rateA - inA.low, inB.high - rateB, how.correlation);
  const above = combine(inA.high - rateA, rateB - inB.low, how.correlation);
  const estimate = rateA - rateB;
  return { estimate, low: Math.max(-1, estimate - below), high: Math.min(1, estimate + above) };
}

function combine(first: number, second: number, correlation: number): number {
  return Math.sqrt(Math.max(0, first * first - 2 * correlation * first * second + second * second));
}

/** Phi of the paired table, with Newcombe's continuity correction when it is positive; 0 where it does not exist. */
function correlation({ both, onlyA, onlyB, neither }: Pairs): number {
  const margins = (both + onlyA) * (onlyB + neither) * (both + onlyB) * (onlyA + neither);
  if (margins === 0) return 0;
  const product = both * neither - onlyA * onlyB;
  const corrected = product > 0 ? Math.max(0, product - (both + onlyA + onlyB + neither) / 2) : product;
  return corrected / Math.sqrt(margins);
}
