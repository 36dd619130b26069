import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import test from "node:test";
import { parsePrices } from "../../../grader/trials/prices-file.ts";
import { sayCost, spend, spendingDetails } from "../../../grader/trials/spending.ts";
import { postedStepsIn } from "../../../grader/trials/steps-file.ts";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { capturedExchange, writeCapture, writeEvents } from "../../support/captured-runs.ts";
import { needsShared } from "../../support/project.ts";
import { scratchFolder } from "../../support/scratch.ts";

const PRICES = parsePrices(
  `
gpt-synthetic*: {input: 2.50, output: 10, cached: 1.25}
emb-*: {input: 0.1}
claude-*: {input: 3, output: 15, cached: 0.3}
`,
  "prices.yaml",
);
const RUN = { id: "01A" };

const openai = (answered = true) => ["001", "002", "003", "004"].map((id) => capturedExchange("openai", id, answered));
const anthropic = () => ["001", "002", "003"].map((id) => capturedExchange("anthropic", id));

test("captured calls of OpenAI's API cost what the price list says", needsShared("captures"), async (t) => {
  const places = writeCapture(scratchFolder(t), openai());
  const { used, steps, warnings } = await spend(places, RUN, { prices: PRICES });
  // 20*2.5+100*1.25+34*10, 150*2.5+4*10, 5*2.5+2*10, 3*0.1 per million
  assert.deepEqual(
    steps?.map(({ name, kind, cost_usd, tokens_in, tokens_out }) => [name, kind, cost_usd, tokens_in, tokens_out]),
    [
      ["chat/completions gpt-synthetic-1", "llm", 0.000515, 120, 34],
      ["chat/completions gpt-synthetic-1", "llm", 0.000415, 150, 4],
      ["responses gpt-synthetic-1", "llm", 0.0000325, 5, 2],
      ["embeddings emb-synthetic", "llm", 0.0000003, 3, 0],
    ],
  );
  assert.deepEqual(used, { cost_usd: 0.0009628, tokens_in: 278, tokens_out: 40, tokens: 318 });
  assert.deepEqual(warnings, []);
});

test(
  "Anthropic's cached tokens come on top of its input; counting tokens is free",
  needsShared("captures"),
  async (t) => {
    const places = writeCapture(scratchFolder(t), anthropic());
    const { used, steps } = await spend(places, RUN, { prices: PRICES });
    // 100*3 + 20*0.3 + 30*15 and 140*3 + 25*15 per million
    assert.deepEqual(
      steps?.map(({ cost_usd, tokens_in }) => [cost_usd, tokens_in]),
      [
        [0.000756, 120],
        [0.000795, 140],
      ],
    );
    assert.deepEqual(used, { cost_usd: 0.001551, tokens_in: 260, tokens_out: 55, tokens: 315 });
  },
);

test(
  "GenAI spans are calls with times; tools are steps that cost nothing, agents none",
  needsShared("captures"),
  async (t) => {
    const places = writeCapture(scratchFolder(t), [capturedExchange("otel-genai-json", "001", false)]);
    const { used, steps } = await spend(places, RUN, { prices: PRICES });
    // 120*2.5 + 34*10 per million
    assert.deepEqual(used, { cost_usd: 0.00064, tokens_in: 120, tokens_out: 34, tokens: 154 });
    assert.deepEqual(
      steps?.map(({ name, kind, started_at }) => [name, kind, started_at]),
      [
        ["chat gpt-synthetic", "span", new Date(1795997820789).toISOString()],
        ["execute_tool search_chats", "span", new Date(1795997820791).toISOString()],
      ],
    );
    assert.ok(Math.abs((steps?.[0]?.duration_ms ?? 0) - 0.446419) < 0.01);
  },
);

test("MCP shows tool calls, which have no tokens: nobody counted anything", needsShared("captures"), async (t) => {
  const places = writeCapture(scratchFolder(t), [capturedExchange("mcp", "005")]);
  assert.deepEqual(await spend(places, RUN, { prices: PRICES }), { warnings: [] });
});

test(
  "a model without a price is named, its cost absent, and the total a lower bound",
  needsShared("captures"),
  async (t) => {
    const places = writeCapture(scratchFolder(t), [...openai(), ...anthropic()]);
    const prices = parsePrices("gpt-*: {input: 2.5, output: 10, cached: 1.25}\n", "mine.yaml");
    const { used, steps, warnings } = await spend(places, RUN, { prices });
    assert.equal(used?.cost_usd, 0.0009625);
    assert.deepEqual(used?.at_least, ["cost"]);
    assert.deepEqual(used?.unpriced, ["emb-synthetic", "claude-synthetic-1"]);
    assert.equal(steps?.at(-1)?.cost_usd, undefined);
    assert.equal(sayCost(used), "at least $0.00096");
    assert.deepEqual(
      warnings.map(({ code, severity }) => [code, severity]),
      [["WM_RUN_UNPRICED", "warning"]],
    );
    assert.match(warnings[0]?.message ?? "", /mine\.yaml has no price for: emb-synthetic, claude-synthetic-1/);
  },
);

test("without prices tokens are counted and there is no cost at all", needsShared("captures"), async (t) => {
  const { used, warnings } = await spend(writeCapture(scratchFolder(t), openai()), RUN);
  assert.deepEqual([used?.cost_usd, used?.tokens, used?.at_least, warnings.length], [undefined, 318, undefined, 0]);
  assert.equal(sayCost(used), "–");
});

test(
  "a call without an answer was counted by nobody: the others are a lower bound",
  needsShared("captures"),
  async (t) => {
    const exchanges = [capturedExchange("openai", "001"), capturedExchange("openai", "002", false)];
    const { used } = await spend(writeCapture(scratchFolder(t), exchanges), RUN, { prices: PRICES });
    assert.deepEqual(used?.at_least, ["cost", "tokens"]);
    assert.equal(used?.cost_usd, 0.000515);
  },
);

const at = (seq: number, second: number, more: object = {}) => ({
  seq,
  at: new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString(),
  host: "api.example",
  path: "/v1/chat/completions",
  request: `r${seq}`,
  index: 0,
  ...more,
});

function chat(seq: number, second: number, data: object): JsonObject {
  return {
    name: "chat/completions",
    data: { model: "gpt-synthetic", input_tokens: 1000, output_tokens: 100, status: 200, ...data },
    $capture: at(seq, second, { format: "openai" }),
  } as JsonObject;
}

test("odd figures in a capture are no figures", async (t) => {
  for (const [tokens, isKnown] of [
    [9007199254740993n, false],
    [-5, false],
    [1.5, false],
    ["NaN", false],
    [null, false],
    ["1000", true],
    [1000, true],
  ] as const) {
    const places = writeEvents(scratchFolder(t), [chat(1, 1, { input_tokens: tokens })]);
    const { used } = await spend(places, RUN, { prices: PRICES });
    assert.deepEqual([used?.tokens_in, used?.at_least], isKnown ? [1000, undefined] : [undefined, ["cost", "tokens"]]);
  }
});

test("a call the service refused costs nothing; its retry does", async (t) => {
  const refused = {
    name: "chat/completions",
    data: { model: "gpt-synthetic", status: 529 },
    $capture: at(1, 1, { format: "openai" }),
  };
  const retried = { ...chat(2, 2, {}), $capture: at(2, 2, { format: "openai", retry: true }) };
  const { used, steps } = await spend(writeEvents(scratchFolder(t), [refused, retried as JsonObject]), RUN, {
    prices: PRICES,
  });
  assert.equal(steps?.length, 1);
  assert.deepEqual(used, { cost_usd: 0.0035, tokens_in: 1000, tokens_out: 100, tokens: 1100 });
});

const NANO = (second: number): string => `${Date.UTC(2026, 0, 31, 12, 0, second)}000000`;

function span(
  seq: number,
  [from, to]: readonly [number, number],
  more: { data: object; trace?: string; retry?: true },
): JsonObject {
  return {
    name: "chat gpt-synthetic",
    time: new Date(Date.UTC(2026, 0, 31, 12, 0, from)).toISOString(),
    data: {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-synthetic",
      "gen_ai.usage.input_tokens": 1000,
      "gen_ai.usage.output_tokens": 100,
      ...more.data,
    },
    signal: "span",
    traceId: more.trace ?? "t1",
    spanId: `s${seq}`,
    endTimeUnixNano: NANO(to),
    $capture: at(seq, to, { format: "otlp", ...(more.retry ? { retry: true } : {}) }),
  } as JsonObject;
}

test("a call on the wire and the app's own span of it are one", async (t) => {
  const byId = [chat(1, 2, { response_id: "x" }), span(2, [1, 4], { data: { "gen_ai.response.id": "x" } })];
  const byShape = [chat(1, 2, {}), span(2, [1, 4], { data: {} })];
  for (const events of [byId, byShape]) {
    const { used, steps } = await spend(writeEvents(scratchFolder(t), events), RUN, { prices: PRICES });
    assert.deepEqual([used?.tokens, steps?.length, steps?.[0]?.duration_ms], [1100, 1, 3000]);
  }
});

test("calls that only look alike are two", async (t) => {
  for (const events of [
    [chat(1, 2, { response_id: "mock" }), chat(2, 3, { response_id: "mock" })],
    [chat(1, 2, {}), span(2, [10, 12], { data: {} })],
    [chat(1, 2, {}), span(2, [1, 4], { data: { "gen_ai.usage.output_tokens": 99 } })],
    [chat(1, 2, { response_id: "a" }), span(2, [1, 4], { data: { "gen_ai.response.id": "b" } })],
    [chat(1, 2, {}), span(2, [1, 4], { data: { "gen_ai.request.model": "other" } })],
  ]) {
    const { steps } = await spend(writeEvents(scratchFolder(t), events), RUN, { prices: PRICES });
    assert.equal(steps?.length, 2);
  }
  const three = [chat(1, 2, {}), span(2, [1, 4], { data: {} }), span(3, [1, 4], { data: {} })];
  assert.equal((await spend(writeEvents(scratchFolder(t), three), RUN)).steps?.length, 2, "an exchange takes one span");
});

test("an agent's sum counts only where none of its calls is in the capture; telemetry sent again counts once", async (t) => {
  const agent = span(9, [1, 9], {
    data: { "gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 3000 },
  });
  const alone = await spend(writeEvents(scratchFolder(t), [agent]), RUN);
  assert.equal(alone.used?.tokens, 3100);
  const withCalls = [span(1, [2, 3], { data: {} }), span(2, [2, 3], { data: {}, retry: true }), agent];
  assert.equal((await spend(writeEvents(scratchFolder(t), withCalls), RUN)).used?.tokens, 1100);
});

const line = (fields: object): string => `${JSON.stringify(fields)}\n`;
const START = "2026-01-31T12:00:00.000Z";

test("a call told by a step counts once: the step's cost wins, else the call's", async (t) => {
  const places = writeEvents(scratchFolder(t), [chat(1, 2, {}), chat(2, 20, {})]);
  writeFileSync(
    places.steps,
    line({ name: "plan", started_at: START, duration_ms: 5000, cost_usd: 0.5, model: "gpt-synthetic" }),
  );
  const { used, steps } = await spend(places, RUN, { prices: PRICES });
  // the second call alone is priced: 1000*2.5 + 100*10 per million
  assert.deepEqual(used, { cost_usd: 0.5035, tokens_in: 2000, tokens_out: 200, tokens: 2200 });
  assert.deepEqual(
    steps?.map(({ name, kind, cost_usd, tokens }) => [name, kind, cost_usd, tokens]),
    [
      ["plan", "log", 0.5, 1100],
      ["chat/completions gpt-synthetic", "llm", 0.0035, 1100],
    ],
  );
  writeFileSync(places.steps, line({ name: "plan", started_at: START, duration_ms: 5000 }));
  assert.equal((await spend(places, RUN, { prices: PRICES })).used?.cost_usd, 0.007);
});

test("steps without a duration or any time find their call by nearness, tokens and name", async (t) => {
  for (const fields of [
    { name: "x", started_at: "2026-01-31T12:00:03.000Z", cost_usd: 0.5 },
    { name: "x", tokens_in: 1000, tokens_out: 100, model: "gpt-synthetic", cost_usd: 0.5 },
    { name: "chat/completions", cost_usd: 0.5 },
    { name: "gpt-synthetic", cost_usd: 0.5 },
    { name: "x", started_at: "2026-01-31T12:00:02.400Z", duration_ms: 100, cost_usd: 0.5 },
  ]) {
    const places = writeEvents(scratchFolder(t), [chat(1, 2, {})]);
    writeFileSync(places.steps, line(fields));
    const { used } = await spend(places, RUN, { prices: PRICES });
    assert.deepEqual([used?.cost_usd, used?.tokens], [0.5, 1100], JSON.stringify(fields));
  }
  const places = writeEvents(scratchFolder(t), [chat(1, 2, {})]);
  writeFileSync(places.steps, line({ name: "x", started_at: START, duration_ms: 5000, cost_usd: 0.5, model: "other" }));
  assert.equal((await spend(places, RUN, { prices: PRICES })).used?.cost_usd, 0.5035, "another model's call");
});

test("posted steps count like logged ones, and once when they were logged as well", async (t) => {
  const places = writeEvents(scratchFolder(t), []);
  const step = { name: "a", started_at: START, cost_usd: 0.1, tokens: 50 };
  writeFileSync(places.steps, `${line(step)}broken\n`);
  writeFileSync(postedStepsIn(places.folder), line(step) + line({ name: "b", cost_usd: 0.2, tokens_in: 7 }));
  const { used, steps, warnings } = await spend(places, RUN);
  assert.deepEqual(
    steps?.map(({ name, kind }) => [name, kind]),
    [
      ["a", "log"],
      ["b", "posted"],
    ],
  );
  assert.deepEqual(used, { cost_usd: 0.3, tokens_in: 7, tokens: 57, at_least: ["tokens"] });
  assert.equal(warnings[0]?.code, "WM_RUN_STEP_LINE");
  assert.deepEqual(spendingDetails({ ...(used === undefined ? {} : { used }) }), {
    costUsd: 0.3,
    tokensIn: 7,
    tokens: 57,
    atLeast: ["tokens"],
  });
});

test("a step with tokens and a model but no cost is priced; one without a model cannot be", async (t) => {
  const places = writeEvents(scratchFolder(t), []);
  writeFileSync(
    places.steps,
    line({ name: "a", tokens_in: 1000, tokens_out: 100, model: "gpt-synthetic" }) + line({ name: "b", tokens: 9 }),
  );
  const { used } = await spend(places, RUN, { prices: PRICES });
  assert.equal(used?.cost_usd, 0.0035);
  assert.deepEqual(used?.unpriced, ['the step "b", which names no model']);
  assert.deepEqual(used?.at_least, ["cost"]);
  assert.equal(used?.tokens, 1109);
});

test("ten steps of ten cents are a dollar", async (t) => {
  const places = writeEvents(scratchFolder(t), []);
  writeFileSync(places.steps, line({ name: "a", cost_usd: 0.1 }).repeat(10));
  assert.equal((await spend(places, RUN)).used?.cost_usd, 1);
});
