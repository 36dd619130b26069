import { choose } from "./binomial.ts";
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
  const runs = a.runs + b.runs;
  const terms = [];
  for (let passed = 1; passed < runs; passed++) {
    const ways = extremeWays(passed, a, b);
    if (ways > 0n) terms.push({ passed, logWays: logOf(ways) });
  }
  return terms;
}

function extremeWays(passed: number, a: Counts, b: Counts): bigint {
  let ways = 0n;
  for (let x = Math.max(0, passed - b.runs); x <= Math.min(passed, a.runs); x++) {
    const table = { passed: x, runs: a.runs };
    const other = { passed: passed - x, runs: b.runs };
    if (isAsExtreme([table, other], [a, b])) ways += choose(a.runs, x) * choose(b.runs, passed - x);
  }
  return ways;
}

/** Compares the squared score statistics, cross-multiplied: gap^2 / (passed * failed), the rest being common factors. */
function isAsExtreme(table: readonly [Counts, Counts], seen: readonly [Counts, Counts]): boolean {
  const [tableGap, tableSpread] = gapAndSpread(table);
  const [seenGap, seenSpread] = gapAndSpread(seen);
  return tableGap * seenSpread >= seenGap * tableSpread;
}

function gapAndSpread([a, b]: readonly [Counts, Counts]): [bigint, bigint] {
  const gap = BigInt(a.passed) * BigInt(b.runs) - BigInt(b.passed) * BigInt(a.runs);
  const passed = a.passed + b.passed;
  return [gap * gap, BigInt(passed) * BigInt(a.runs + b.runs - passed)];
}
