import type { Scenario } from "./scenario/ast.ts";
import type { RunDetails } from "./store/store.ts";
import type { CheckResult, RuleResult, ScenarioResult } from "./verdict.ts";

/** What a run used up beside its telemetry. */
export type Spending = Pick<RunDetails, "costUsd" | "steps">;

interface Item {
  readonly name: string;
  readonly limit: number;
  /** undefined when nobody counted it. */
  readonly used: number | undefined;
  readonly unit: (amount: number) => string;
}

/**
 * Holds a result against its scenario's `budget`: each limit is an error rule of its own, broken when more was used
 * (the limit itself is still within). What nobody counted is not checked and does not decide.
 */
export function applyBudget(result: ScenarioResult, scenario: Scenario, spending: Spending): ScenarioResult {
  const items = itemsOf(result, scenario, spending);
  if (items.length === 0 || result.verdict === "error" || result.events === 0) return result;
  const isCut = result.stream.end === "cut" && scenario.onCut === "inconclusive";
  const rules = items.flatMap((item) => ruleOf(item, isCut));
  const broken = rules.find(({ verdict }) => verdict === "fail");
  const unsure = rules.some(({ verdict }) => verdict === "inconclusive");
  const judged = {
    ...result,
    rules: [...result.rules, ...rules],
    checks: [...result.checks, ...items.flatMap(uncounted)],
  };
  if (broken !== undefined && result.verdict !== "fail") {
    return { ...judged, verdict: "fail", success: false, reason: broken.violations[0]?.reason ?? broken.name };
  }
  if (!unsure || result.verdict !== "pass") return judged;
  const reason = `budget not decided: the capture is cut (${result.stream.cut_because ?? "no reason known"})`;
  return { ...judged, verdict: "inconclusive", success: false, reason };
}

function itemsOf(result: ScenarioResult, { budget }: Scenario, { costUsd, steps }: Spending): readonly Item[] {
  const tokens = steps?.some((step) => step.tokens !== undefined)
    ? steps.reduce((sum, step) => sum + (step.tokens ?? 0), 0)
    : undefined;
  const seconds = (ms: number): string => `${ms / 1000} s`;
  const candidates = [
    { name: "budget: duration", limit: budget?.durationMs, used: result.duration_ms, unit: seconds },
    { name: "budget: cost", limit: budget?.cost, used: costUsd, unit: (usd: number) => `$${usd}` },
    { name: "budget: tokens", limit: budget?.tokens, used: tokens, unit: (count: number) => `${count} tokens` },
  ];
  return candidates.flatMap((item) => (item.limit === undefined ? [] : [{ ...item, limit: item.limit }]));
}

function ruleOf({ name, limit, used, unit }: Item, isCut: boolean): readonly RuleResult[] {
  if (used === undefined) return [];
  const isOver = used > limit;
  const reason = `${name}: ${unit(used)} used, limit ${unit(limit)}`;
  return [
    {
      name,
      verdict: isOver ? "fail" : isCut ? "inconclusive" : "pass",
      running: isOver ? "fail" : "pass_so_far",
      exercised: 1,
      severity: "error",
      violations: isOver ? [{ file: "", line: 0, reason }] : [],
      violation_count: isOver ? 1 : 0,
    },
  ];
}

function uncounted({ name, used }: Item): readonly CheckResult[] {
  return used === undefined ? [{ name, verdict: "not_checked", reason: "nobody counted it in this run" }] : [];
}
