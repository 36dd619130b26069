import type { CheckNode, Scenario } from "./scenario/ast.ts";
import type { CheckResult, ScenarioResult } from "./verdict.ts";

/** Looks at the final state of a live run and answers a check of the scenario (LANGUAGE.md section 5.3). */
export type LookAtState = (check: CheckNode) => Promise<CheckResult>;

/**
 * Asks for the final state, check by check; each is an error rule of its own. Without `look` (an old log is graded) the
 * checks are shown as not checked and do not decide. A `look` that throws makes its check an error, which leaves the
 * run undecided rather than failed.
 */
export async function applyChecks(
  result: ScenarioResult,
  scenario: Scenario,
  look: LookAtState | undefined,
): Promise<ScenarioResult> {
  if (scenario.checks.length === 0 || result.verdict === "error") return result;
  const answers: CheckResult[] = [];
  for (const check of scenario.checks) answers.push(await ask(check, look));
  const checked = { ...result, checks: [...answers, ...result.checks] };
  if (result.events === 0) return checked;
  const failed = answers.find(({ verdict }) => verdict === "fail");
  if (failed !== undefined && result.verdict !== "fail") return { ...checked, ...decided("fail", failed) };
  const unsure = answers.find(({ verdict }) => verdict === "inconclusive" || verdict === "error");
  if (unsure !== undefined && result.verdict === "pass") return { ...checked, ...decided("inconclusive", unsure) };
  return checked;
}

async function ask(check: CheckNode, look: LookAtState | undefined): Promise<CheckResult> {
  const { evaluator: name } = check;
  if (look === undefined) return { name, verdict: "not_checked", reason: "a log holds no final state to check" };
  try {
    return await look(check);
  } catch (error) {
    return { name, verdict: "error", reason: error instanceof Error ? error.message : String(error) };
  }
}

function decided(
  verdict: "fail" | "inconclusive",
  { name, reason }: CheckResult,
): Pick<ScenarioResult, "verdict" | "success" | "reason"> {
  const what = verdict === "fail" ? "failed" : "could not be decided";
  return { verdict, success: false, reason: `check '${name}' ${what}${reason === undefined ? "" : `: ${reason}`}` };
}
