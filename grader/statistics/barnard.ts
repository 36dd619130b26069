import { chooseRow } from "./binomial.ts";
import { type Counts, requireCounts } from "./counts.ts";
import { logOf } from "./fraction.ts";

/** Steps of the search over the unknown common pass rate; one finer changes the p below the tenth decimal. */
const GRID = 20_000;

/**
 * Two-sided p of Barnard's exact test (Barnard 1945) with the pooled score statistic: the probability, under the common
 * pass rate that makes it largest, of a table at least as far apart as the one seen. More powerful than Fisher's test
 * when the numbers of runs were chosen beforehand, as they are here. The common rate is searched at 20,001 even points;
 * tables exactly as far apart as the seen one are kept by whole-number comparison (scipy loses some of them and reports
 * too small values). 1 when a side has no runs or the rates are equal. Time grows with 20,000 times the runs. Impossible
 * counts are a `RangeError`.
 */
export function barnardExact(a: Counts, b: Counts): number {
  requireCounts(a);
  requireCounts(b);
  if (a.passed * b.runs === b.passed * a.runs) return 1;
  const terms = extremeTables(a, b);
  const runs = a.runs + b.runs;
  let largest = 0;
  for (let step = 1; step < GRID; step++) {
    const logRate = Math.log(step / GRID);
    const logRest = Math.log1p(-step / GRID);
    let p = 0;
    for (const { passed, logWays } of terms) p += Math.exp(logWays + passed * logRate + (runs - passed) * logRest);
    largest = Math.max(largest, p);
  }
  return Math.min(1, largest);
}

/** For each total of passes, the log of the number of ways to reach a table at least as extreme as the one seen. */
function extremeTables(a: Counts, b: Counts): { passed: number; logWays: number }[] {
  const [rowA, rowB] = [chooseRow(a.runs), chooseRow(b.runs)];
  const runs = a.runs + b.runs;
  const terms = [];
  for (let passed = 1; passed < runs; passed++) {
    const isExtreme = extremeGap(passed, a, b);
    let ways = 0n;
    for (let x = Math.max(0, passed - b.runs); x <= Math.min(passed, a.runs); x++) {
      if (isExtreme(x * runs - passed * a.runs)) ways += (rowA[x] ?? 0n) * (rowB[passed - x] ?? 0n);
    }
    if (ways > 0n) terms.push({ passed, logWays: logOf(ways) });
  }
  return terms;
}

/**
 * Whether a gap (a.passed * b.runs - b.passed * a.runs, a whole number) at this total of passes is at least as extreme as
 * the one seen: the squared score statistics gap^2 / (passed * failed), cross-multiplied, the rest being common factors.
 */
function extremeGap(passed: number, a: Counts, b: Counts): (gap: number) => boolean {
  const runs = BigInt(a.runs + b.runs);
  const seenPassed = BigInt(a.passed + b.passed);
  const seenGap = BigInt(a.passed) * BigInt(b.runs) - BigInt(b.passed) * BigInt(a.runs);
  const wanted = seenGap * seenGap * BigInt(passed) * (runs - BigInt(passed));
  const spread = seenPassed * (runs - seenPassed);
  return (gap) => BigInt(gap) * BigInt(gap) * spread >= wanted;
}
