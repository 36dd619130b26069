import assert from "node:assert/strict";
import test from "node:test";
import { applyBudget } from "../../../grader/budget.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import type { ScenarioResult } from "../../../grader/verdict.ts";
import { sampleResult } from "../../support/result.ts";

const { scenario } = parseScenario("waymark: 1\nscenario: s\nmarkers: [{ name: a, event: a }]\n", "s.yaml");
const passed = sampleResult("01A", { verdict: "pass", success: true, rules: [] });
const limited = (budget: object) => ({ ...scenario, budget });

test("within the limit, the limit itself included, nothing changes", () => {
  const result = applyBudget(passed, limited({ durationMs: 1500 }), {});
  assert.deepEqual(
    [result.verdict, result.rules.map(({ name, verdict }) => [name, verdict])],
    ["pass", [["budget: duration", "pass"]]],
  );
});

test("over the limit an error rule fails and says how much was used", () => {
  const result = applyBudget(passed, limited({ cost: 1, tokens: 100, durationMs: 9000 }), {
    costUsd: 1.5,
    steps: [{ name: "x", tokens: 60 }, { name: "y", tokens: 30 }, { name: "z" }],
  });
  assert.deepEqual(
    [result.verdict, result.success, result.reason],
    ["fail", false, "budget: cost: $1.5 used, limit $1"],
  );
  assert.deepEqual(
    result.rules.map(({ verdict }) => verdict),
    ["pass", "fail", "pass"],
  );
});

test("what nobody counted is not checked; a cut capture may have gone on", () => {
  const uncounted = applyBudget(passed, limited({ cost: 1, tokens: 5 }), {});
  assert.equal(uncounted.verdict, "pass");
  assert.deepEqual(
    uncounted.checks.map(({ name, verdict }) => [name, verdict]),
    [
      ["budget: cost", "not_checked"],
      ["budget: tokens", "not_checked"],
    ],
  );
  const cut: ScenarioResult = { ...passed, stream: { ...passed.stream, end: "cut", cut_because: "x" } };
  assert.equal(applyBudget(cut, limited({ durationMs: 9000 }), {}).verdict, "inconclusive");
  assert.equal(applyBudget(cut, limited({ durationMs: 1 }), {}).verdict, "fail");
});
