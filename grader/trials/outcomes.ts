import { averageOverTasks, type ClusteredRate, passAtKOverTasks, passHatKOverTasks } from "../statistics/clustered.ts";
import type { Counts } from "../statistics/counts.ts";
import { passAtK, passHatK } from "../statistics/repeatability.ts";
import { attemptsOf, type SessionModes } from "./compare-attempt.ts";
import { compareByTask, meanDifference, type TaskComparison, type TaskPair } from "./compare-by-task.ts";
import { compareTexts } from "./compare-flips.ts";
import type { Trial } from "./trial.ts";

/** One trial of a task by a variant, and whether it succeeded; undefined when nobody can say. */
export interface Outcome {
  readonly task: string;
  readonly variant: string;
  readonly trial: string;
  readonly run?: string;
  readonly success: boolean | undefined;
}

/** A variant over its tasks. */
export interface VariantOutcomes {
  readonly variant: string;
  readonly tasks: number;
  /** Trials that succeeded or failed. */
  readonly trials: number;
  readonly succeeded: number;
  /** Trials without an outcome; they are in no figure. */
  readonly unknown: number;
  /** Fewest and most trials of a task. */
  readonly trials_per_task: { readonly min: number; readonly max: number };
  /** Mean over tasks of the success rate, which is pass@1 and pass^1. */
  readonly rate: TaskAverage | null;
  readonly at_k: readonly RepeatedOutcomes[];
}

/** pass@k and pass^k, averaged over the tasks with at least k trials. Null when there is no such task. */
export interface RepeatedOutcomes {
  readonly k: number;
  readonly pass_at_k: TaskAverage | null;
  readonly pass_hat_k: TaskAverage | null;
}

export interface TaskAverage {
  readonly estimate: number;
  readonly standard_error: number | null;
  /** 95 %, clustered by task; null with a single task. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly tasks: number;
  /** Tasks with too few trials for k. */
  readonly left_out: number;
}

/** Two variants over the tasks they share. */
export interface VariantComparison extends TaskComparison {
  readonly a: string;
  readonly b: string;
  /** Tasks that only one of the two did. */
  readonly only_a: number;
  readonly only_b: number;
  /** `p` made larger for the number of comparisons (Holm 1979); it decides `evidence`. */
  readonly p_holm: number;
  /** Mean over shared tasks with enough trials of A's pass@k (pass^k) minus B's. */
  readonly at_k: readonly {
    readonly k: number;
    readonly pass_at_k: ReturnType<typeof meanDifference>;
    readonly pass_hat_k: ReturnType<typeof meanDifference>;
  }[];
}

export interface OutcomeSummary {
  readonly ks: readonly number[];
  readonly variants: readonly VariantOutcomes[];
  readonly comparisons: readonly VariantComparison[];
}

/** The outcomes of graded runs on one scenario. A run without a task has the task "", without a variant the variant "". */
export function outcomesOf(trials: readonly Trial[], scenario: string, sessions?: SessionModes): readonly Outcome[] {
  const counts = new Map<string, number>();
  return attemptsOf(trials, scenario, sessions).flatMap(({ trial: { manifest }, verdict }) => {
    if (verdict === "interrupted") return [];
    const { task = "", variant = "", id } = manifest;
    const key = JSON.stringify([task, variant]);
    const trial = (counts.get(key) ?? 0) + 1;
    counts.set(key, trial);
    const success = verdict === "pass" ? true : verdict === "fail" ? false : undefined;
    return [{ task, variant, trial: String(trial), run: id, success }];
  });
}

/** Passes and graded trials by variant and task, in order of appearance. */
export type OutcomeTable = ReadonlyMap<string, ReadonlyMap<string, TaskOutcomes>>;

export interface TaskOutcomes extends Counts {
  readonly unknown: number;
}

/** Counts outcomes by variant and task. */
export function tabulate(outcomes: readonly Outcome[]): OutcomeTable {
  const table = new Map<string, Map<string, TaskOutcomes>>();
  for (const { variant, task, success } of outcomes) {
    const tasks = table.get(variant) ?? new Map<string, TaskOutcomes>();
    table.set(variant, tasks);
    const { passed, runs, unknown } = tasks.get(task) ?? { passed: 0, runs: 0, unknown: 0 };
    tasks.set(task, {
      passed: passed + (success === true ? 1 : 0),
      runs: runs + (success === undefined ? 0 : 1),
      unknown: unknown + (success === undefined ? 1 : 0),
    });
  }
  return table;
}

/** Every k up to here is shown when none is asked for. */
const MOST_KS = 10;

/**
 * Sums up an outcome table: per variant the success rate, pass@k (Chen et al. 2021) and pass^k (Yao et al. 2024), without
 * bias per task and averaged over tasks, with intervals clustered by task; and every pair of variants over the tasks they
 * share. `ks` are whole numbers from 1; without any, all up to the most trials of a task, at most 10. A task with fewer
 * than k trials is left out of that k and counted in `left_out`.
 */
export function summariseOutcomes(outcomes: readonly Outcome[], ks: readonly number[] = []): OutcomeSummary {
  const table = tabulate(outcomes);
  const chosen = ks.length > 0 ? ks : allKs(table);
  const variants = [...table].map(([variant, tasks]) => variantOf(variant, [...tasks.values()], chosen));
  return { ks: chosen, variants, comparisons: comparisonsOf(table, chosen) };
}

function allKs(table: OutcomeTable): readonly number[] {
  const most = Math.max(1, ...[...table.values()].flatMap((tasks) => [...tasks.values()].map(({ runs }) => runs)));
  return Array.from({ length: Math.min(most, MOST_KS) }, (_, at) => at + 1);
}

function variantOf(variant: string, tasks: readonly TaskOutcomes[], ks: readonly number[]): VariantOutcomes {
  const sum = (of: (task: TaskOutcomes) => number): number => tasks.reduce((total, task) => total + of(task), 0);
  const runs = tasks.map((task) => task.runs);
  return {
    variant,
    tasks: tasks.length,
    trials: sum((task) => task.runs),
    succeeded: sum((task) => task.passed),
    unknown: sum((task) => task.unknown),
    trials_per_task: { min: Math.min(...runs), max: Math.max(...runs) },
    rate: averageOf(averageOverTasks(tasks.map((task) => (task.runs === 0 ? undefined : task.passed / task.runs)))),
    at_k: ks.map((k) => ({
      k,
      pass_at_k: averageOf(passAtKOverTasks(tasks, k)),
      pass_hat_k: averageOf(passHatKOverTasks(tasks, k)),
    })),
  };
}

function averageOf(rate: ClusteredRate | undefined): TaskAverage | null {
  if (rate === undefined) return null;
  const { estimate, standardError, interval, tasks, leftOut } = rate;
  return {
    estimate,
    standard_error: standardError ?? null,
    interval: interval ?? null,
    tasks,
    left_out: leftOut,
  };
}

/** Every pair of variants, in order of appearance, over the tasks on which both have a graded trial. */
export function comparisonsOf(table: OutcomeTable, ks: readonly number[] = []): readonly VariantComparison[] {
  const variants = [...table];
  const pairs = variants.flatMap((a, at) => variants.slice(at + 1).map((b) => comparisonOf(a, b, ks)));
  const adjusted = holm(pairs.map(({ p }) => p));
  return pairs.map((pair, at) => {
    const p = adjusted[at] ?? pair.p;
    return { ...pair, p_holm: p, evidence: p < 0.05 ? pair.evidence : ("none" as const) };
  });
}

type Column = readonly [variant: string, tasks: ReadonlyMap<string, TaskOutcomes>];

function comparisonOf([a, tasksOfA]: Column, [b, tasksOfB]: Column, ks: readonly number[]) {
  const pairs = [...tasksOfA].flatMap(([task, own]): TaskPair[] => {
    const other = tasksOfB.get(task);
    return other === undefined || own.runs === 0 || other.runs === 0 ? [] : [{ task, a: own, b: other }];
  });
  pairs.sort((one, other) => compareTexts(one.task, other.task));
  const graded = (tasks: ReadonlyMap<string, TaskOutcomes>): number =>
    [...tasks.values()].filter(({ runs }) => runs > 0).length;
  return {
    a,
    b,
    only_a: graded(tasksOfA) - pairs.length,
    only_b: graded(tasksOfB) - pairs.length,
    ...compareByTask(pairs),
    at_k: ks.map((k) => ({
      k,
      pass_at_k: meanDifference(differences(pairs, k, passAtK)),
      pass_hat_k: meanDifference(differences(pairs, k, passHatK)),
    })),
  };
}

function differences(pairs: readonly TaskPair[], k: number, of: typeof passAtK): readonly number[] {
  return pairs.flatMap(({ a, b }) => {
    const [ofA, ofB] = [of(a, k), of(b, k)];
    return ofA === undefined || ofB === undefined ? [] : [ofA - ofB];
  });
}

/** Holm's step-down adjustment (Holm 1979): p-values in the same order, each for the family of all of them. */
export function holm(ps: readonly number[]): readonly number[] {
  const order = ps.map((p, at) => ({ p, at })).sort((one, other) => one.p - other.p);
  const adjusted = new Array<number>(ps.length).fill(1);
  let largest = 0;
  for (const [rank, { p, at }] of order.entries()) {
    largest = Math.max(largest, Math.min(1, p * (ps.length - rank)));
    adjusted[at] = largest;
  }
  return adjusted;
}
