import { compareVariants, type GroupComparison } from "./compare.ts";
import type { Cell } from "./plan.ts";
import type { SummedScenario } from "./summarise-runs.ts";
import type { Trial } from "./trial.ts";

/** Each pair of variants of a batch, compared; none without variants, or when a side has nothing to compare. */
export function comparisonsOf(
  cells: readonly Cell[],
  trials: readonly Trial[],
  scenarios: readonly SummedScenario[],
): readonly GroupComparison[] {
  const names = [...new Set(cells.flatMap(({ variant }) => variant ?? []))];
  const groups = names.map((name) => ({ name, trials: trials.filter(({ manifest }) => manifest.variant === name) }));
  if (groups.some((group) => group.trials.every(({ results }) => results.length === 0))) return [];
  return compareVariants(groups, { sessions: new Map(scenarios.map(({ id, sessions }) => [id, sessions])) });
}
