import type { Verdict } from "./verdict.ts";

/** Exit codes, the worst first (DESIGN.md section 5). */
const WORST_FIRST: readonly number[] = [70, 2, 3, 1, 5, 4, 0];
const VERDICTS_WORST_FIRST: readonly Verdict[] = ["error", "inconclusive", "fail", "pass"];

/** The worst of several exit codes: 70, 2, 3, 1, 5, 4, 0. Of none, 4 (nothing selected). */
export function worstExit(codes: readonly number[]): number {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? 4;
}

/** The worst of several verdicts: error, inconclusive, fail, pass. Of none, `inconclusive`. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS_WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? "inconclusive";
}

/**
 * What a scenario says of its sessions together. `all`: the worst of them. `any`: a pass when one passes, else
 * inconclusive when one might have, else fail; an error stays one.
 */
export function combineSessions(verdicts: readonly Verdict[], sessions: "all" | "any"): Verdict {
  if (sessions === "all" || verdicts.includes("error")) return worstVerdict(verdicts);
  return verdicts.includes("pass") ? "pass" : worstVerdict(verdicts);
}

/** Exit code of a result by itself, without regard to the code of an error. */
export function exitOf(verdict: Verdict): number {
  return verdict === "pass" ? 0 : verdict === "fail" ? 1 : 3;
}
