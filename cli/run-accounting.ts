import { readFileSync } from "node:fs";
import type { Store } from "../grader/store/store.ts";
import type { AgreementSummary } from "../grader/trials/batch.ts";
import { compareVariants, type GroupComparison } from "../grader/trials/compare.ts";
import type { Accounting } from "../grader/trials/performance.ts";
import type { Cell } from "../grader/trials/plan.ts";
import type { SummedScenario } from "../grader/trials/summarise-runs.ts";
import type { SelfReport, Trial } from "../grader/trials/trial.ts";
import type { RecordRun } from "./stage.ts";
import type { Arguments } from "./verb.ts";

// The one place where a batch is joined to what counts, compares and records beside it.

/** What counts cost and time, and reads what agents say. */
export function accountingFor(_args: Arguments): Accounting {
  return { readSelfReport };
}

/** The agent's claims against the grade. */
export function summariseAgreement(_trials: readonly Trial[]): AgreementSummary | undefined {
  return undefined;
}

/** Each pair of variants, compared; none for a batch without variants, or when a side has nothing to compare. */
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

/** What the runs run with: what the user says, and what can be found out. */
export async function versionsFor(
  named: Readonly<Record<string, string>>,
  _store: Store,
): Promise<Readonly<Record<string, string>>> {
  return named;
}

/** What records a run, when it is to be recorded. */
export function recorderFor(_evidence: "on" | "off" | "on-fail"): RecordRun | undefined {
  return undefined;
}

/** The agent's claim; anything but JSON is taken as the claim itself, in one line. */
function readSelfReport(file: string): SelfReport | undefined {
  const text = readFileSync(file, "utf8").slice(0, 10_000);
  const claim = claimIn(text);
  if (claim === undefined) return undefined;
  const said = claim.toLowerCase();
  const isYes = ["done", "success", "passed", "pass", "ok", "true"].includes(said);
  const isNo = ["failed", "fail", "failure", "false", "not done"].includes(said);
  return { claim, ...(isYes || isNo ? { claims_success: isYes } : {}) };
}

function claimIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "claim" in value) return String(value.claim).slice(0, 100);
    return undefined;
  } catch {
    return text.trim().split("\n")[0]?.slice(0, 100) || undefined;
  }
}
