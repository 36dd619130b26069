import type { ScenarioResult } from "../verdict.ts";
import type { Action } from "./measures-actions.ts";
import { foundIn } from "./measures-trace.ts";
import type { LaunchEnd } from "./trial.ts";

/**
 * Stopped without reaching the goal: 1 when the agent ended by itself although a marker was still missing, 0 when it
 * reached the goal or was stopped by others. Premature termination, FM-3.1 of MAST (Cemri et al. 2025, arXiv:2503.13657).
 * Undefined when nobody knows how the run ended, or a result is undecided.
 */
export function stoppedShort(results: readonly ScenarioResult[], end: LaunchEnd | undefined): number | undefined {
  if (end === undefined || results.length === 0 || results.some(isUndecided)) return undefined;
  const hasReached = results.every((result) => result.matched_in_order);
  return end.kind === "exited" && !hasReached ? 1 : 0;
}

/**
 * Went on after reaching the goal: how many actions came after the last marker of all scenarios was found. Unaware of
 * termination conditions, FM-1.5 of MAST; the difference between success and oracle success in navigation (Anderson et al.
 * 2018, arXiv:1807.06757). Undefined when the goal was not reached, or a scenario has no markers.
 */
export function stepsAfterGoal(results: readonly ScenarioResult[], actions: readonly Action[]): number | undefined {
  const ends = results.map(({ matched_in_order: isWhole, markers, match_indices: matched }) =>
    isWhole ? Math.max(foundIn(markers).at(-1)?.record ?? -1, ...matched) : -1,
  );
  if (ends.length === 0 || ends.includes(-1)) return undefined;
  const goal = Math.max(...ends);
  return actions.filter(({ record }) => record > goal).length;
}

function isUndecided({ verdict }: ScenarioResult): boolean {
  return verdict === "error" || verdict === "inconclusive";
}
