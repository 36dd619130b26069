import type { Evidence } from "../statistics/comparison.ts";

/**
 * What a comparison comes to. `none`: no evidence either way. `equivalent`: the whole interval of the difference is
 * smaller than the smallest effect asked for, so that whatever difference there is does not matter.
 */
export type Decision = Evidence | "equivalent";

interface Effect {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The decision on a difference. Without a smallest effect the evidence decides. With one (not negative, in the unit of
 * the difference), evidence counts only from that size on, and an interval within it on both sides is `equivalent`.
 */
export function decide(evidence: Evidence, effect: Effect | null, minEffect: number | undefined): Decision {
  if (minEffect === undefined || effect === null) return evidence;
  if (evidence !== "none" && Math.abs(effect.estimate) >= minEffect) return evidence;
  return effect.low > -minEffect && effect.high < minEffect ? "equivalent" : "none";
}
