import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import test, { type TestContext } from "node:test";
import { gradeLogs } from "../../../grader/grade.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { parsePrices } from "../../../grader/trials/prices-file.ts";
import { spend, spendingDetails } from "../../../grader/trials/spending.ts";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { writeEvents } from "../../support/captured-runs.ts";
import { scratchFolder } from "../../support/scratch.ts";

/** One call: 1,000 tokens in and 100 out, 2,000 and 100 micro-dollars: $0.0021. */
const CALL = {
  name: "chat/completions",
  data: { model: "m", input_tokens: 1000, output_tokens: 100, status: 200 },
  $capture: { seq: 1, at: "2026-01-31T12:00:01.000Z", format: "openai" },
} as unknown as JsonObject;
const DONE = { name: "done", $capture: { seq: 2, at: "2026-01-31T12:00:02.000Z" } } as unknown as JsonObject;

async function graded(t: TestContext, budget: string, { prices = "m: {input: 2, output: 1}", steps = "" } = {}) {
  const places = writeEvents(scratchFolder(t), [CALL, DONE]);
  if (steps !== "") writeFileSync(places.steps, steps);
  const spent = await spend(places, { id: "r" }, { prices: parsePrices(prices, "p.yaml") });
  const scenario = parseScenario(
    `waymark: 1\nscenario: s\nmarkers: [{ name: done, event: done }]\nbudget: ${budget}\n`,
    "s.yaml",
  );
  const { document } = await gradeLogs({
    logs: [places.telemetry],
    scenarios: [scenario],
    details: spendingDetails(spent),
  });
  const [result] = document.results;
  return {
    verdict: result?.verdict,
    reason: result?.reason,
    checks: result?.checks.map(({ name, reason }) => [name, reason]),
  };
}

test("a budget of cost and tokens decides by what was spent, the limit itself within", async (t) => {
  assert.equal((await graded(t, "{ cost: 0.0021, tokens: 1100 }")).verdict, "pass");
  const dear = await graded(t, "{ cost: 0.002 }");
  assert.deepEqual([dear.verdict, dear.reason], ["fail", "budget: cost: $0.0021 used, limit $0.002"]);
  const long = await graded(t, "{ tokens: 1099 }");
  assert.deepEqual([long.verdict, long.reason], ["fail", "budget: tokens: 1100 tokens used, limit 1099 tokens"]);
});

test("without a price nobody knows the cost, so it is not checked", async (t) => {
  const { verdict, checks } = await graded(t, "{ cost: 0.000001 }", { prices: "other: {input: 1}" });
  assert.deepEqual([verdict, checks], ["pass", [["budget: cost", "nobody counted it in this run"]]]);
});

test("a lower bound over the limit fails; one within it shows nothing", async (t) => {
  const steps = '{"name": "search", "cost_usd": 0.5}\n{"name": "other", "model": "unknown", "tokens": 7}\n';
  const over = await graded(t, "{ cost: 0.4 }", { steps });
  assert.deepEqual([over.verdict, over.reason], ["fail", "budget: cost: at least $0.5021 used, limit $0.4"]);
  const within = await graded(t, "{ cost: 1 }", { steps });
  assert.deepEqual(
    [within.verdict, within.checks],
    ["pass", [["budget: cost", "at least $0.5021 used, limit $1; not everything could be counted"]]],
  );
});

test("tokens that nobody told apart count towards the budget", async (t) => {
  const steps = '{"name": "a", "tokens": 500, "cost_usd": 0}\n';
  assert.equal((await graded(t, "{ tokens: 1600 }", { steps })).verdict, "pass");
  assert.equal((await graded(t, "{ tokens: 1599 }", { steps })).verdict, "fail");
});
