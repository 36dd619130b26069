import type { ScenarioResult } from "../verdict.ts";
import type { Trial, Used } from "./trial.ts";

/** What a run can take: milliseconds, US dollars, tokens. */
export type AmountKind = "duration" | "cost" | "tokens";

/**
 * How much of it a run took; undefined where nobody counted, which is never 0. A run's time is the wall time of its
 * command, or, for telemetry that waymark did not see being made, the time its graded events span (the longest of
 * `results`). A cost may be a lower bound: see `isLowerBound`.
 */
export function amountOf(
  trial: Trial,
  of: AmountKind,
  results: readonly ScenarioResult[] = trial.results,
): number | undefined {
  if (of === "cost") return trial.manifest.used?.cost_usd;
  return of === "tokens" ? tokensOf(trial.manifest.used) : (wallTimeOf(trial) ?? spanOf(results));
}

/** True when more was used than could be counted. Such a figure belongs in a total that says so, and in no median. */
export function isLowerBound({ manifest }: Trial, of: AmountKind): boolean {
  return of !== "duration" && manifest.used?.at_least?.includes(of) === true;
}

/** An amount that is known whole; undefined for a lower bound. */
export function exactAmountOf(trial: Trial, of: AmountKind, results?: readonly ScenarioResult[]): number | undefined {
  return isLowerBound(trial, of) ? undefined : amountOf(trial, of, results);
}

/** Wall time of the command of a run, in milliseconds; undefined for one that never ran, or is still running. */
export function wallTimeOf({ manifest }: Trial): number | undefined {
  const { started_at, ended_at, state, end } = manifest;
  if (ended_at === undefined || state === "interrupted" || end === undefined || end.kind === "failed") return undefined;
  const ms = Date.parse(ended_at) - Date.parse(started_at);
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

/** The longest time that graded events span, in milliseconds. */
export function spanOf(results: readonly ScenarioResult[]): number | undefined {
  return results.length === 0 ? undefined : Math.max(...results.map(({ duration_ms: ms }) => ms));
}

/** All tokens, whether or not they were told apart. */
export function tokensOf(used: Used | undefined): number | undefined {
  const { tokens, tokens_in: input, tokens_out: output } = used ?? {};
  if (tokens !== undefined) return tokens;
  return input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0);
}
