import { averageOverTasks } from "../statistics/clustered.ts";
import { comparePairs, type Evidence } from "../statistics/comparison.ts";
import { alphaOf, type Counts, DEFAULT_LEVEL } from "../statistics/counts.ts";
import { mcnemarExact } from "../statistics/mcnemar.ts";

/** One task done by both sides, each with at least one graded run. */
export interface TaskPair {
  readonly task: string;
  readonly a: Counts;
  readonly b: Counts;
}

/**
 * Two sides compared over the tasks they share, each task weighing the same. `test`: `mcnemar` when every task has one
 * run a side, `sign-flip` for several runs, `sign` where the flips are too many to count out.
 */
export interface TaskComparison {
  readonly tasks: number;
  readonly a_better: number;
  readonly b_better: number;
  readonly equal: number;
  /** Mean over tasks of A's pass rate minus B's. */
  readonly difference: { readonly estimate: number; readonly low: number; readonly high: number } | null;
  readonly method: "newcombe-paired" | "clustered";
  readonly test: "mcnemar" | "sign-flip" | "sign";
  readonly p: number;
  readonly evidence: Evidence;
}

/** More steps than this the count of all flips may not take: about a second. */
const MOST_STEPS = 200_000_000;

/**
 * Compares two sides task by task. One run a side and task: the exact McNemar test with Newcombe's paired interval.
 * Several: the exact sign-flip test of the mean difference (Fisher 1935, "The design of experiments", section 21; with
 * single runs it is McNemar's test), exact where both sides made as many runs of a task, and the interval of the mean
 * difference with Student's t over tasks (Miller 2024, "Adding error bars to evals"), so that the runs of one task do
 * not pass for independent ones. The interval is null with one task. Tasks without runs on a side are a `RangeError`.
 */
export function compareByTask(pairs: readonly TaskPair[], level: number = DEFAULT_LEVEL): TaskComparison {
  const differences = pairs.map(({ a, b }) => a.passed * b.runs - b.passed * a.runs);
  const counted = {
    tasks: pairs.length,
    a_better: differences.filter((difference) => difference > 0).length,
    b_better: differences.filter((difference) => difference < 0).length,
    equal: differences.filter((difference) => difference === 0).length,
  };
  const isSingle = pairs.every(({ a, b }) => a.runs === 1 && b.runs === 1);
  return isSingle ? bySingleRuns(pairs, counted, level) : byRates(pairs, counted, level);
}

type Counted = Pick<TaskComparison, "tasks" | "a_better" | "b_better" | "equal">;

function bySingleRuns(pairs: readonly TaskPair[], counted: Counted, level: number): TaskComparison {
  const both = pairs.filter(({ a, b }) => a.passed === 1 && b.passed === 1).length;
  const neither = counted.equal - both;
  const compared = comparePairs({ both, neither, onlyA: counted.a_better, onlyB: counted.b_better }, level);
  const { estimate, low, high } = compared.difference;
  return {
    ...counted,
    difference: estimate === undefined ? null : { estimate, low, high },
    method: "newcombe-paired",
    test: "mcnemar",
    p: compared.mcnemar,
    evidence: compared.evidence,
  };
}

function byRates(pairs: readonly TaskPair[], counted: Counted, level: number): TaskComparison {
  const difference = meanDifference(
    pairs.map(({ a, b }) => a.passed / a.runs - b.passed / b.runs),
    level,
  );
  const exact = signFlipTest(pairs);
  const p = exact ?? mcnemarExact({ onlyA: counted.a_better, onlyB: counted.b_better });
  const estimate = difference?.estimate ?? 0;
  const isClear = p < alphaOf(level) && estimate !== 0;
  return {
    ...counted,
    difference,
    method: "clustered",
    test: exact === undefined ? "sign" : "sign-flip",
    p,
    evidence: isClear ? (estimate > 0 ? "a_better" : "b_better") : "none",
  };
}

/**
 * The mean of one difference per task (each from -1 to 1) with its interval over tasks, by `averageOverTasks` of the
 * differences shifted into 0..1. Null without tasks; with a single one the interval is everything, -1 to 1.
 */
export function meanDifference(
  differences: readonly number[],
  level: number = DEFAULT_LEVEL,
): { readonly estimate: number; readonly low: number; readonly high: number } | null {
  const average = averageOverTasks(
    differences.map((difference) => (difference + 1) / 2),
    level,
  );
  if (average === undefined) return null;
  const { low, high } = average.interval ?? { low: 0, high: 1 };
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  return { estimate: mean, low: 2 * low - 1, high: 2 * high - 1 };
}

/**
 * Two-sided p of the sign-flip test: of all ways to swap the sides of single tasks, the share whose summed difference is
 * at least as far from 0 as the one seen. Differences are taken as whole numbers over a common denominator, so that no
 * tie is lost. Undefined when that takes too many steps.
 */
export function signFlipTest(pairs: readonly TaskPair[]): number | undefined {
  const common = pairs.reduce((lcm, { a, b }) => leastCommonMultiple(lcm, leastCommonMultiple(a.runs, b.runs)), 1);
  if (!Number.isSafeInteger(common)) return undefined;
  const whole = pairs.map(({ a, b }) => a.passed * (common / a.runs) - b.passed * (common / b.runs));
  const sizes = whole.map(Math.abs).filter((size) => size > 0);
  const divisor = sizes.reduce(greatestCommonDivisor, 0);
  if (divisor === 0) return 1;
  const steps = sizes.map((size) => size / divisor);
  const reach = steps.reduce((sum, step) => sum + step, 0);
  if (!(reach * steps.length <= MOST_STEPS)) return undefined;
  const seen = Math.abs(whole.reduce((sum, value) => sum + value, 0)) / divisor;
  return Math.min(1, tailOf(sumsOfFlips(steps, reach), reach, seen));
}

/** The probability of each sum, at index sum + reach, when every step is added or taken away by the toss of a coin. */
function sumsOfFlips(steps: readonly number[], reach: number): Float64Array {
  let chances = new Float64Array(2 * reach + 1);
  chances[reach] = 1;
  let width = 0;
  for (const step of steps) {
    const next = new Float64Array(2 * reach + 1);
    for (let at = reach - width; at <= reach + width; at++) {
      const half = (chances[at] ?? 0) / 2;
      if (half === 0) continue;
      next[at - step] = (next[at - step] ?? 0) + half;
      next[at + step] = (next[at + step] ?? 0) + half;
    }
    width += step;
    chances = next;
  }
  return chances;
}

function tailOf(chances: Float64Array, reach: number, seen: number): number {
  let p = 0;
  for (const [at, chance] of chances.entries()) if (Math.abs(at - reach) >= seen) p += chance;
  return p;
}

function leastCommonMultiple(a: number, b: number): number {
  return (a / greatestCommonDivisor(a, b)) * b;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
