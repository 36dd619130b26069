import { table } from "./numbers.ts";

/** What a figure is to reach on a quiet machine. */
export interface Goal {
  readonly what: string;
  readonly atLeast?: number;
  readonly below?: number;
}

/** Each goal beside what was measured of it, NaN where that is not known. */
export function goalsTable(rows: readonly (readonly [goal: Goal, measured: number])[]): string {
  const cells = rows.map(([goal, measured]) => [
    goal.what,
    goal.atLeast === undefined ? `< ${goal.below}` : `>= ${goal.atLeast}`,
    Number.isNaN(measured) ? "–" : measured.toFixed(2),
    verdict(goal, measured),
  ]);
  return table(["goal", "wanted", "measured", "holds"], cells);
}

function verdict({ atLeast, below }: Goal, value: number): string {
  if (Number.isNaN(value)) return "not measured";
  return (atLeast === undefined || value >= atLeast) && (below === undefined || value < below) ? "yes" : "NO";
}
