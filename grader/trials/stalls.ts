import type { ScenarioResult } from "../verdict.ts";

/** Where failing runs stopped: after which marker, before which. */
export interface Stall {
  readonly after?: string;
  readonly before: string;
  readonly runs: number;
}

/**
 * Where runs stopped, most frequent first, from the result that made each of them fail. A run that fails by a rule, with
 * all markers found, did not stall.
 */
export function countStalls(failing: readonly ScenarioResult[]): readonly Stall[] {
  const stalls = new Map<string, Stall>();
  for (const { reached, waiting_for: before } of failing) {
    if (before === undefined) continue;
    const key = JSON.stringify([reached, before]);
    const runs = (stalls.get(key)?.runs ?? 0) + 1;
    stalls.set(key, { ...(reached === undefined ? {} : { after: reached }), before, runs });
  }
  return [...stalls.values()].sort((a, b) => b.runs - a.runs);
}
