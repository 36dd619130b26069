import { DEFAULT_LEVEL } from "./counts.ts";
import { clopperPearson, type Interval, wilson } from "./interval.ts";

/** How the runs of one scenario and variant ended. Whole numbers from 0. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** Runs without a grade: `error`, `inconclusive`, interrupted. They might have passed or failed. */
  readonly unknown: number;
}

/** Counts verdicts; everything that is neither `pass` nor `fail` is unknown. */
export function tallyOf(verdicts: Iterable<string>): Tally {
  const tally = { passed: 0, failed: 0, unknown: 0 };
  for (const verdict of verdicts) {
    tally[verdict === "pass" ? "passed" : verdict === "fail" ? "failed" : "unknown"]++;
  }
  return tally;
}

/** Throws a `RangeError` for negative or fractional numbers of runs, which are a bug of the caller. */
export function requireTally(tally: Tally): void {
  const fits = [tally.passed, tally.failed, tally.unknown].every((count) => Number.isSafeInteger(count) && count >= 0);
  if (!fits) throw new RangeError(`${JSON.stringify(tally)} are no numbers of runs`);
}

/** The pass rates a tally allows, each with the runs it counts; a rate without runs is undefined. */
export interface RateBounds {
  /** passed / (passed + failed): the runs that have a grade. */
  readonly graded: number | undefined;
  /** passed / all runs: as if every unknown run had failed. */
  readonly lowest: number | undefined;
  /** (passed + unknown) / all runs: as if every unknown run had passed. */
  readonly highest: number | undefined;
}

/** The rate among graded runs and both bounds for the unknown ones, so that the denominator is never a secret. */
export function rateBounds(tally: Tally): RateBounds {
  requireTally(tally);
  const { passed, failed, unknown } = tally;
  const share = (part: number, whole: number) => (whole === 0 ? undefined : part / whole);
  const runs = passed + failed + unknown;
  return {
    graded: share(passed, passed + failed),
    lowest: share(passed, runs),
    highest: share(passed + unknown, runs),
  };
}

/**
 * An interval that holds whatever the unknown runs would have done: from the low end with all of them failed to the high
 * end with all of them passed. Without unknown runs it is the plain interval; without any runs 0..1.
 */
export function intervalWithUnknown(
  tally: Tally,
  method: "wilson" | "clopper-pearson" = "wilson",
  level: number = DEFAULT_LEVEL,
): Interval {
  requireTally(tally);
  const { passed, failed, unknown } = tally;
  const interval = method === "wilson" ? wilson : clopperPearson;
  const runs = passed + failed + unknown;
  return {
    low: interval({ passed, runs }, level).low,
    high: interval({ passed: passed + unknown, runs }, level).high,
  };
}
