import { compareRates, type Evidence } from "../statistics/comparison.ts";
import type { Counts } from "../statistics/counts.ts";
import { type Attempt, isDecided } from "./compare-attempt.ts";
import { compareByTask, type TaskPair } from "./compare-by-task.ts";
import { type Decision, decide } from "./compare-decision.ts";

/** Pass rates of two sides: difference, test and what they come to. Rates and differences run from -1 to 1, A minus B. */
export interface PassComparison {
  /** `independent`: runs of their own. `paired`: over the tasks that both sides did. */
  readonly kind: "independent" | "paired";
  readonly difference: {
    readonly estimate: number | null;
    readonly low: number;
    readonly high: number;
    readonly method: "newcombe" | "newcombe-paired" | "clustered";
  };
  /** The test that decides, with its two-sided p. */
  readonly test: "fisher" | "mcnemar" | "sign-flip" | "sign";
  readonly p: number;
  /** Barnard's p beside Fisher's. */
  readonly barnard?: number;
  readonly evidence: Evidence;
  readonly decision: Decision;
  /** Of a paired comparison: on how many tasks which side passed more often. */
  readonly tasks?: {
    readonly shared: number;
    readonly a_better: number;
    readonly b_better: number;
    readonly equal: number;
    /** Tasks that only one side did, or could be graded on. */
    readonly only_a: readonly string[];
    readonly only_b: readonly string[];
    /** The shared tasks with their counts, by name. */
    readonly rows: readonly TaskPair[];
  };
  /** What it would come to if every run without a grade had failed; only where there are such runs. */
  readonly unknown_as_failed?: { readonly p: number; readonly evidence: Evidence };
}

const EVERYTHING = { estimate: null, low: -1, high: 1 };

/**
 * Compares the pass rates of two sides. Where both did at least two tasks in common, by task (`compareByTask`), since
 * tasks differ more than runs do; else Fisher's exact test with Newcombe's interval, and Barnard's p beside it. Runs
 * without a grade are in neither rate; `unknown_as_failed` says whether they could matter. `minEffect` is a share, 0..1.
 */
export function comparePassRates(
  a: readonly Attempt[],
  b: readonly Attempt[],
  minEffect: number | undefined,
): PassComparison {
  const tasks = sharedTasks(a, b);
  return tasks.pairs.length >= 2 ? paired(tasks, minEffect) : independent(a, b, minEffect);
}

function independent(a: readonly Attempt[], b: readonly Attempt[], minEffect: number | undefined): PassComparison {
  const compared = compareRates(countsOf(a), countsOf(b));
  const { estimate, low, high } = compared.difference;
  const difference = estimate === undefined ? EVERYTHING : { estimate, low, high };
  return {
    kind: "independent",
    difference: { ...difference, method: "newcombe" },
    test: "fisher",
    p: compared.fisher,
    ...(compared.barnard === undefined ? {} : { barnard: compared.barnard }),
    evidence: compared.evidence,
    decision: decide(compared.evidence, estimate === undefined ? null : { estimate, low, high }, minEffect),
    ...unknownAsFailed(a, b),
  };
}

function unknownAsFailed(
  a: readonly Attempt[],
  b: readonly Attempt[],
): Pick<PassComparison, "unknown_as_failed"> | object {
  const all = [a, b].map((side) => side.filter(({ verdict }) => verdict !== "interrupted"));
  if (all.every((side) => side.every(isDecided))) return {};
  const [allOfA = [], allOfB = []] = all;
  const { fisher: p, evidence } = compareRates(
    { passed: countsOf(allOfA).passed, runs: allOfA.length },
    { passed: countsOf(allOfB).passed, runs: allOfB.length },
  );
  return { unknown_as_failed: { p, evidence } };
}

function paired({ pairs, onlyA, onlyB }: SharedTasks, minEffect: number | undefined): PassComparison {
  const compared = compareByTask(pairs);
  return {
    kind: "paired",
    difference: { ...(compared.difference ?? EVERYTHING), method: compared.method },
    test: compared.test,
    p: compared.p,
    evidence: compared.evidence,
    decision: decide(compared.evidence, compared.difference, minEffect),
    tasks: {
      shared: compared.tasks,
      a_better: compared.a_better,
      b_better: compared.b_better,
      equal: compared.equal,
      only_a: onlyA,
      only_b: onlyB,
      rows: pairs,
    },
  };
}

interface SharedTasks {
  readonly pairs: readonly TaskPair[];
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
}

/** The tasks with a graded run on both sides, with the counts of each, and those of one side alone. */
function sharedTasks(a: readonly Attempt[], b: readonly Attempt[]): SharedTasks {
  const [ofA, ofB] = [byTask(a), byTask(b)];
  const pairs = [...ofA].flatMap(([task, counts]) => {
    const other = ofB.get(task);
    return other === undefined ? [] : [{ task, a: counts, b: other }];
  });
  return {
    pairs: pairs.sort((one, other) => (one.task < other.task ? -1 : 1)),
    onlyA: [...ofA.keys()].filter((task) => !ofB.has(task)).sort(),
    onlyB: [...ofB.keys()].filter((task) => !ofA.has(task)).sort(),
  };
}

function byTask(attempts: readonly Attempt[]): ReadonlyMap<string, Counts> {
  const tasks = new Map<string, Counts>();
  for (const attempt of attempts.filter(isDecided)) {
    const { task } = attempt.trial.manifest;
    if (task === undefined) continue;
    const { passed, runs } = tasks.get(task) ?? { passed: 0, runs: 0 };
    tasks.set(task, { passed: passed + (attempt.verdict === "pass" ? 1 : 0), runs: runs + 1 });
  }
  return tasks;
}

/** Passes among the runs that passed or failed. */
export function countsOf(attempts: readonly Attempt[]): Counts {
  const graded = attempts.filter(isDecided);
  return { passed: graded.filter(({ verdict }) => verdict === "pass").length, runs: graded.length };
}
