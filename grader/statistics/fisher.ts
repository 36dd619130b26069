import { choose } from "./binomial.ts";
import { type Counts, requireCounts } from "./counts.ts";
import { type Fraction, fraction, toNumber } from "./fraction.ts";

/**
 * Two-sided p of Fisher's exact test (Fisher 1922) for two pass rates: the share of all tables with the same margins
 * that are no more probable than the one seen. 1 when a side has no runs. Impossible counts are a `RangeError`.
 */
export function fisherExact(a: Counts, b: Counts): number {
  return toNumber(fisherFraction(a, b));
}

/** `fisherExact` as an exact fraction; equally probable tables are compared exactly, so no tie is lost to rounding. */
export function fisherFraction(a: Counts, b: Counts): Fraction {
  requireCounts(a);
  requireCounts(b);
  const passed = a.passed + b.passed;
  const seen = choose(a.runs, a.passed) * choose(b.runs, b.passed);
  const first = Math.max(0, passed - b.runs);
  let ways = choose(a.runs, first) * choose(b.runs, passed - first);
  let asExtreme = 0n;
  for (let x = first; x <= Math.min(passed, a.runs); x++) {
    if (ways <= seen) asExtreme += ways;
    ways = (ways * BigInt(a.runs - x) * BigInt(passed - x)) / (BigInt(x + 1) * BigInt(b.runs - passed + x + 1));
  }
  return fraction(asExtreme, choose(a.runs + b.runs, passed));
}
