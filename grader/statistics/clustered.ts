import { type Counts, DEFAULT_LEVEL, requireCounts } from "./counts.ts";
import { type Interval, scoreInterval } from "./interval.ts";
import { normalMultiplier, studentMultiplier } from "./normal.ts";
import { passAtK, passHatK } from "./repeatability.ts";

/** A share from 0 to 1 over several tasks, with an interval that takes the task, not the run, as the unit. */
export interface ClusteredRate {
  readonly estimate: number;
  /** Between-task standard error; undefined with a single task. */
  readonly standardError: number | undefined;
  /** Undefined with a single task: one task cannot show how much tasks differ. */
  readonly interval: Interval | undefined;
  /** `student`: estimate +- t * standard error, held to 0..1. `wilson`: no spread was seen, so each task counts as one run. */
  readonly method: "student" | "wilson" | "none";
  readonly tasks: number;
  /** Tasks without a value (too few runs for k); they are in neither the estimate nor `tasks`. */
  readonly leftOut: number;
}

/**
 * The mean of one share per task (macro average: each task weighs the same), with the cluster-robust standard error
 * sd / sqrt(tasks) and Student's t with tasks - 1 degrees of freedom (Liang & Zeger 1986; Miller 2024). Runs of one task
 * are alike, so taking runs as independent would make the interval too narrow. A task whose value is undefined is left
 * out and counted. Undefined when no task has a value; a value outside 0..1 is a `RangeError`.
 */
export function averageOverTasks(
  shares: readonly (number | undefined)[],
  level: number = DEFAULT_LEVEL,
): ClusteredRate | undefined {
  const values = shares.filter((share) => share !== undefined);
  if (values.some((value) => !(value >= 0 && value <= 1))) throw new RangeError("a share must lie in 0..1");
  if (values.length === 0) return undefined;
  const estimate = sum(values) / values.length;
  const squares = sum(values.map((value) => (value - estimate) ** 2));
  const variance = squares / (values.length - 1) / values.length;
  return withInterval({ estimate, variance, tasks: values.length, leftOut: shares.length - values.length }, level);
}

/** `averageOverTasks` of each task's pass@k (all tasks with at least k runs). */
export function passAtKOverTasks(
  tasks: readonly Counts[],
  k: number,
  level: number = DEFAULT_LEVEL,
): ClusteredRate | undefined {
  return averageOverTasks(
    tasks.map((task) => passAtK(task, k)),
    level,
  );
}

/** `averageOverTasks` of each task's pass^k (all tasks with at least k runs). */
export function passHatKOverTasks(
  tasks: readonly Counts[],
  k: number,
  level: number = DEFAULT_LEVEL,
): ClusteredRate | undefined {
  return averageOverTasks(
    tasks.map((task) => passHatK(task, k)),
    level,
  );
}

/**
 * The rate over all runs of all tasks (each run weighs the same) with the cluster-robust standard error of a ratio:
 * g / (g - 1) * sum over tasks of (passed - runs * rate)^2 / total^2, and Student's t with tasks - 1 degrees of freedom.
 * Tasks without runs are left out and counted. Undefined without runs; impossible counts are a `RangeError`.
 */
export function pooledRate(tasks: readonly Counts[], level: number = DEFAULT_LEVEL): ClusteredRate | undefined {
  for (const task of tasks) requireCounts(task);
  const graded = tasks.filter(({ runs }) => runs > 0);
  const runs = sum(graded.map((task) => task.runs));
  if (runs === 0) return undefined;
  const estimate = sum(graded.map(({ passed }) => passed)) / runs;
  const squares = sum(graded.map((task) => (task.passed - task.runs * estimate) ** 2));
  const variance = ((graded.length / (graded.length - 1)) * squares) / runs ** 2;
  return withInterval({ estimate, variance, tasks: graded.length, leftOut: tasks.length - graded.length }, level);
}

interface Moments {
  readonly estimate: number;
  readonly variance: number;
  readonly tasks: number;
  readonly leftOut: number;
}

function withInterval({ estimate, variance, tasks, leftOut }: Moments, level: number): ClusteredRate {
  const seen = { estimate, tasks, leftOut };
  if (tasks === 1) return { ...seen, standardError: undefined, interval: undefined, method: "none" };
  const standardError = Math.sqrt(variance);
  if (standardError < 1e-12) {
    const interval = scoreInterval({ passed: estimate * tasks, runs: tasks }, normalMultiplier(level));
    return { ...seen, standardError: 0, interval, method: "wilson" };
  }
  const half = studentMultiplier(level, tasks - 1) * standardError;
  const interval = { low: Math.max(0, estimate - half), high: Math.min(1, estimate + half) };
  return { ...seen, standardError, interval, method: "student" };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
