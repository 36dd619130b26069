import type { Running } from "../../grader/match/ledger.ts";
import type { RuleOutcome } from "../../grader/match/trace.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { gradeEvents } from "./grade-events.ts";

const TIMES = { events: { name: "name", time: "t" } };

/** The outcomes of rules on events as the lines of one complete log. */
export function ruleOutcomes(rules: readonly JsonObject[], events: readonly JsonObject[]): readonly RuleOutcome[] {
  return gradeEvents({ ...TIMES, rules }, events).rules;
}

/** The four-valued verdict of several rules that must all hold. */
export function runningOf(outcomes: readonly RuleOutcome[]): Running {
  const order: readonly Running[] = ["fail", "fail_so_far", "pass_so_far", "pass"];
  return order.find((value) => outcomes.some(({ running }) => running === value)) ?? "pass";
}

/** Lines (0-based) of the violations, sorted, each once. */
export function violatingLines(outcomes: readonly RuleOutcome[]): number[] {
  const lines = outcomes.flatMap(({ violations }) => violations.map(({ at }) => at.record));
  return [...new Set(lines)].sort((a, b) => a - b);
}

/** True when all rules pass on a complete log. */
export function allPass(outcomes: readonly RuleOutcome[]): boolean {
  return outcomes.every(({ verdict }) => verdict === "pass");
}

/** What the bank says of a list of rules, one entry per rule: verdict, violating lines. */
export function checkEach(
  rules: readonly JsonObject[],
  events: readonly JsonObject[],
  expected: readonly JsonObject[],
): string {
  const outcomes = ruleOutcomes(rules, events);
  return outcomes
    .map((outcome, index) => {
      const wanted = expected[index] ?? {};
      if (wanted["verdict"] !== outcome.verdict)
        return `${outcome.name} ${outcome.verdict}, expected ${String(wanted["verdict"])}`;
      const lines = (wanted["violations_0based"] ?? wanted["violations"]) as readonly unknown[] | undefined;
      if (lines === undefined || lines.some((line) => typeof line !== "number")) return "";
      const own = violatingLines([outcome]).join();
      return own === lines.join() ? "" : `violations ${own}, expected ${lines.join()}`;
    })
    .filter((text) => text !== "")
    .join("; ");
}
