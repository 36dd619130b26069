import { binomialProbability } from "./binomial.ts";
import { alphaOf, DEFAULT_LEVEL, requireInside } from "./counts.ts";
import { fisherExact } from "./fisher.ts";

/** What a comparison has to satisfy: `alpha` is the p below which a difference counts, `power` how often it must be seen. */
export interface Sensitivity {
  readonly alpha: number;
  readonly power: number;
}

export const DEFAULT_SENSITIVITY: Sensitivity = { alpha: alphaOf(DEFAULT_LEVEL), power: 0.8 };

/** Above this many runs a side nobody waits; the search for a number of runs ends here. */
const MOST_RUNS = 300;

/** A p this close below `alpha`, relatively, counts as equal to it: summed rounding must not make a difference visible. */
const TIE = 1e-9;

/**
 * The smallest gap that `runs` runs a side can ever show when the better side is perfect: the most passes of the other
 * side with a two-sided Fisher p below `alpha`. 1 for 5 runs (5/5 against 1/5). Undefined when not even 0 passes would
 * do, as with 3 runs. `runs` is a whole number from 1, else a `RangeError`.
 */
export function visibleAgainstPerfect(runs: number, alpha: number = DEFAULT_SENSITIVITY.alpha): number | undefined {
  requireInside("alpha", alpha);
  if (!Number.isSafeInteger(runs) || runs < 1) throw new RangeError(`a side needs at least one run, got ${runs}`);
  const shows = (passed: number) => fisherExact({ passed: runs, runs }, { passed, runs }) < alpha;
  if (!shows(0)) return undefined;
  let seen = 0;
  let unseen = runs;
  while (unseen - seen > 1) {
    const middle = Math.floor((seen + unseen) / 2);
    if (shows(middle)) seen = middle;
    else unseen = middle;
  }
  return seen;
}

/**
 * The probability that `runs` runs a side with true rates `rateA` and `rateB` give a Fisher p below `alpha`, summed over
 * all outcomes. Time grows with the square of the runs. `runs` is a whole number from 0.
 */
export function powerToTellApart(
  runs: number,
  [rateA, rateB]: readonly [number, number],
  alpha: number = DEFAULT_SENSITIVITY.alpha,
): number {
  const logFactorials = logFactorialsTo(2 * runs);
  const chanceA = chances(runs, rateA);
  const chanceB = chances(runs, rateB);
  let power = 0;
  for (let passed = 0; passed <= 2 * runs; passed++) {
    for (const x of rejectedSplits({ runs, passed, logFactorials }, alpha)) {
      power += (chanceA[x] ?? 0) * (chanceB[passed - x] ?? 0);
    }
  }
  return Math.min(1, power);
}

function chances(runs: number, rate: number): number[] {
  return Array.from({ length: runs + 1 }, (_, passed) => binomialProbability(passed, runs, rate));
}

function logFactorialsTo(largest: number): number[] {
  const logs = [0];
  for (let n = 1; n <= largest; n++) logs.push((logs[n - 1] ?? 0) + Math.log(n));
  return logs;
}

/** Passes to share out between two sides with `runs` runs each. */
interface Margins {
  readonly runs: number;
  readonly passed: number;
  readonly logFactorials: readonly number[];
}

/** Passes of side A in the tables that Fisher's test rejects. */
function rejectedSplits(margins: Margins, alpha: number): number[] {
  const first = Math.max(0, margins.passed - margins.runs);
  const last = Math.min(margins.passed, margins.runs);
  const rejected: number[] = [];
  // Both sides have the same number of runs, so the law is symmetric and each tail holds the same.
  let tail = 0;
  for (let x = first; x < (first + last) / 2; x++) {
    tail += 2 * splitProbability(x, margins);
    if (tail * (1 + TIE) >= alpha) break;
    rejected.push(x, first + last - x);
  }
  return rejected;
}

/** Hypergeometric probability of x passes on side A. */
function splitProbability(x: number, { runs, passed, logFactorials }: Margins): number {
  const logChoose = (n: number, k: number) =>
    (logFactorials[n] ?? 0) - (logFactorials[k] ?? 0) - (logFactorials[n - k] ?? 0);
  return Math.exp(logChoose(runs, x) + logChoose(runs, passed - x) - logChoose(2 * runs, passed));
}

/**
 * The fewest runs a side with which true rates `rateA` and `rateB` are told apart with the wanted power, for planning.
 * (One run more may have a little less power: the outcomes are whole numbers.) Undefined when it takes more than 300, or
 * when the rates are equal.
 */
export function runsToTellApart(
  rates: readonly [number, number],
  { alpha, power }: Sensitivity = DEFAULT_SENSITIVITY,
): number | undefined {
  if (rates[0] === rates[1]) return undefined;
  for (let runs = 1; runs <= MOST_RUNS; runs++) if (powerToTellApart(runs, rates, alpha) >= power) return runs;
  return undefined;
}

/**
 * The highest true rate below `rate` that `runs` runs a side tell apart from it with the wanted power, to a thousandth:
 * what a comparison of that size can see. Undefined when not even a rate of 0 would be.
 */
export function smallestVisibleDrop(
  runs: number,
  rate: number,
  { alpha, power }: Sensitivity = DEFAULT_SENSITIVITY,
): number | undefined {
  const sees = (thousandths: number) => powerToTellApart(runs, [rate, thousandths / 1000], alpha) >= power;
  if (!sees(0)) return undefined;
  let seen = 0;
  let unseen = Math.floor(rate * 1000);
  while (unseen - seen > 1) {
    const middle = Math.floor((seen + unseen) / 2);
    if (sees(middle)) seen = middle;
    else unseen = middle;
  }
  return seen / 1000;
}
