import test from "node:test";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { gradeEvents } from "../../support/grade-events.ts";
import { checkMarkers, checkRule, type OracleCase, readOracle, report, tally } from "../../support/oracle.ts";
import { needsShared } from "../../support/project.ts";

const shared = needsShared("oracles");

test("markers_core: every case, the no-steps ones too", shared, (t) => {
  const result = tally(readOracle("markers_core"), ({ pattern, events, expected }) =>
    checkMarkers(pattern.waymark, events, expected),
  );
  report(t, "markers_core", result);
});

/**
 * Here the bank calls `pass` final because it only tried short continuations; these longer ones break the rule, so
 * `pass_so_far` (and `inconclusive` on a cut capture) is the true answer.
 */
const REFUTED: Record<string, readonly JsonObject[]> = {
  "rules/never-between/keyed-clean": [
    { t: 9000, name: "a", id: "1" },
    { t: 9000, name: "x", id: "1" },
    { t: 9000, name: "b", id: "1" },
  ],
  "rules/retry-max-3/outside": ["submit", "retry", "retry", "retry", "retry", "done"].map((name) => ({
    t: 9000,
    name,
  })),
};

function checkCore({ id, waymark_rules: [rule = {}] = [], events, expected }: OracleCase): string {
  const counterexample = REFUTED[id];
  if (counterexample === undefined) return checkRule(rule, events, expected) || checkCut(rule, events, expected);
  const broken = checkRule(rule, [...events, ...counterexample], { complete: "fail", four_valued: "fail" });
  return broken || checkRule(rule, events, { ...expected, four_valued: "pass_so_far" });
}

function checkCut(rule: JsonObject, events: readonly JsonObject[], { if_cut: wanted }: JsonObject): string {
  const scenario = { events: { time: "t" }, rules: [rule] };
  const verdict = gradeEvents(scenario, events, { kind: "cut", why: "test" }).rules[0]?.verdict;
  return verdict === wanted ? "" : `cut: ${String(verdict)}, expected ${String(wanted)}`;
}

test("rules_core: every case, complete and cut", shared, (t) => {
  report(t, "rules_core", tally(readOracle("rules_core"), checkCore));
});
