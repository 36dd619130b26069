/** How many of a number of graded runs passed. Whole numbers, `passed` from 0 to `runs`; `runs` may be 0. */
export interface Counts {
  readonly passed: number;
  readonly runs: number;
}

/** Two-sided confidence level used where none is given. */
export const DEFAULT_LEVEL = 0.95;

/**
 * Throws a `RangeError` when counts cannot be (negative, fractional, more passes than runs). Impossible counts are a bug
 * of the caller, so they stop here and never turn into a NaN further on. No runs at all are possible counts.
 */
export function requireCounts({ passed, runs }: Counts): void {
  const whole = Number.isSafeInteger(passed) && Number.isSafeInteger(runs);
  if (!whole || passed < 0 || passed > runs) throw new RangeError(`${passed} of ${runs} runs passed is impossible`);
}

/** Throws a `RangeError` when a probability that must lie strictly between 0 and 1 does not. */
export function requireInside(name: string, value: number): void {
  if (!(value > 0 && value < 1)) throw new RangeError(`${name} must lie between 0 and 1, got ${value}`);
}

/** The p below which a difference counts at a confidence level: 0.05 for 0.95, without the rounding of 1 - 0.95. */
export function alphaOf(level: number): number {
  return Math.round((1 - level) * 1e12) / 1e12;
}

/** The observed pass rate from 0 to 1, or undefined without runs. */
export function rateOf(counts: Counts): number | undefined {
  requireCounts(counts);
  return counts.runs === 0 ? undefined : counts.passed / counts.runs;
}
