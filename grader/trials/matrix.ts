import { averageOverTasks } from "../statistics/clustered.ts";
import { attemptsOf, type SessionModes } from "./compare-attempt.ts";
import { commonMarkers } from "./compare-same.ts";
import { comparisonsOf, type OutcomeTable, outcomesOf, tabulate, type VariantComparison } from "./outcomes.ts";
import type { Trial } from "./trial.ts";

/** Variants by tasks: who passes what, how often. */
export interface TaskMatrix {
  readonly scenario: string;
  /** In order of appearance. */
  readonly tasks: readonly string[];
  readonly variants: readonly MatrixRow[];
  /** Every pair of variants, over the tasks they share. */
  readonly comparisons: readonly VariantComparison[];
}

export interface MatrixRow {
  readonly variant: string;
  /** One for each task; null where the variant did not do it. */
  readonly cells: readonly (MatrixCell | null)[];
  /** Mean of the rates over tasks with its 95 % interval, clustered by task; null without graded runs. */
  readonly average: {
    readonly estimate: number;
    readonly interval: { readonly low: number; readonly high: number } | null;
    readonly tasks: number;
  } | null;
}

export interface MatrixCell {
  readonly passed: number;
  readonly failed: number;
  /** Runs that ended in `error` or `inconclusive`; they are in no rate. */
  readonly unknown: number;
  /** passed / (passed + failed); null when no run has a grade. */
  readonly rate: number | null;
}

/**
 * The matrix of runs graded by one scenario. Interrupted runs are in no cell. Throws `WM_COMPARE_MARKERS` when the runs
 * were graded by different markers.
 */
export function matrixOf(trials: readonly Trial[], scenario: string, sessions?: SessionModes): TaskMatrix {
  commonMarkers(scenario, attemptsOf(trials, scenario, sessions), []);
  const table = tabulate(outcomesOf(trials, scenario, sessions));
  const tasks = [...new Set([...table.values()].flatMap((column) => [...column.keys()]))];
  return {
    scenario,
    tasks,
    variants: [...table.keys()].map((variant) => rowOf(table, variant, tasks)),
    comparisons: comparisonsOf(table),
  };
}

function rowOf(table: OutcomeTable, variant: string, tasks: readonly string[]): MatrixRow {
  const cells = tasks.map((task): MatrixCell | null => {
    const counts = table.get(variant)?.get(task);
    if (counts === undefined) return null;
    const { passed, runs, unknown } = counts;
    return { passed, failed: runs - passed, unknown, rate: runs === 0 ? null : passed / runs };
  });
  const average = averageOverTasks(cells.map((cell) => cell?.rate ?? undefined));
  return {
    variant,
    cells,
    average:
      average === undefined
        ? null
        : { estimate: average.estimate, interval: average.interval ?? null, tasks: average.tasks },
  };
}

/**
 * The matrix as lines of text: a row per task, a column per variant, `4/5` where 4 of 5 graded runs passed, `?` behind
 * it for runs without a grade, `–` where there is none; the average over tasks comes last. `show` makes names safe to
 * print.
 */
export function matrixLines({ tasks, variants }: TaskMatrix, show: (name: string) => string): readonly string[] {
  const header = ["task", ...variants.map(({ variant }) => show(variant) || "–")];
  const rows = tasks.map((task, at) => [
    show(task) || "–",
    ...variants.map(({ cells }) => cellText(cells[at] ?? null)),
  ]);
  const averages = ["average", ...variants.map(({ average }) => (average === null ? "–" : percent(average.estimate)))];
  const table = [header, ...rows, averages];
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function cellText(cell: MatrixCell | null): string {
  if (cell === null) return "–";
  const unknown = cell.unknown === 0 ? "" : ` ?${cell.unknown}`;
  return `${cell.passed}/${cell.passed + cell.failed}${unknown}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
