import type { Scenario } from "./scenario/ast.ts";
import type { RunDetails } from "./store/store.ts";
import type { CheckResult, RuleResult, ScenarioResult } from "./verdict.ts";

/** What a run used up beside its telemetry. */
export type Spending = Pick<RunDetails, "costUsd" | "steps" | "tokensIn" | "tokensOut" | "tokens" | "atLeast">;

interface Item {
  readonly name: string;
  readonly limit: number;
  /** undefined when nobody counted it. */
  readonly used: number | undefined;
  readonly unit: (amount: number) => string;
  /** More was used than could be counted. */
  readonly isAtLeast: boolean;
}

/**
 * Holds a result against its scenario's `budget`: each limit is an error rule of its own, broken when more was used
 * (the limit itself is still within). What nobody counted is not checked and does not decide; of a figure that is a
 * lower bound only its being over the limit is known.
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

function itemsOf(result: ScenarioResult, { budget }: Scenario, spending: Spending): readonly Item[] {
  const seconds = (ms: number): string => `${ms / 1000} s`;
  const isAtLeast = (what: "cost" | "tokens"): boolean => spending.atLeast?.includes(what) === true;
  const candidates = [
    { name: "budget: duration", limit: budget?.durationMs, used: result.duration_ms, unit: seconds, isAtLeast: false },
    {
      name: "budget: cost",
      limit: budget?.cost,
      used: spending.costUsd,
      unit: (usd: number) => `$${usd}`,
      isAtLeast: isAtLeast("cost"),
    },
    {
      name: "budget: tokens",
      limit: budget?.tokens,
      used: tokensOf(spending),
      unit: (count: number) => `${count} tokens`,
      isAtLeast: isAtLeast("tokens"),
    },
  ];
  return candidates.flatMap((item) => (item.limit === undefined ? [] : [{ ...item, limit: item.limit }]));
}

/** The run's own total; else in and out together; else the sum over its steps. */
function tokensOf({ tokens, tokensIn, tokensOut, steps = [] }: Spending): number | undefined {
  if (tokens !== undefined) return tokens;
  if (tokensIn !== undefined || tokensOut !== undefined) return (tokensIn ?? 0) + (tokensOut ?? 0);
  if (!steps.some((step) => step.tokens !== undefined)) return undefined;
  return steps.reduce((sum, step) => sum + (step.tokens ?? 0), 0);
}

/** Nobody can say whether the limit was kept: nothing was counted, or not everything and what was counted is within. */
function isOpen({ used, limit, isAtLeast }: Item): boolean {
  return used === undefined || (isAtLeast && used <= limit);
}

function ruleOf(item: Item, isCut: boolean): readonly RuleResult[] {
  const { name, limit, used, unit, isAtLeast } = item;
  if (used === undefined || isOpen(item)) return [];
  const isOver = used > limit;
  const reason = `${name}: ${isAtLeast ? "at least " : ""}${unit(used)} used, limit ${unit(limit)}`;
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

function uncounted(item: Item): readonly CheckResult[] {
  if (!isOpen(item)) return [];
  const { name, used, unit, limit } = item;
  const reason =
    used === undefined
      ? "nobody counted it in this run"
      : `at least ${unit(used)} used, limit ${unit(limit)}; not everything could be counted`;
  return [{ name, verdict: "not_checked", reason }];
}
