import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gradeLogs } from "../../../grader/grade.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { measure, measuresOf, traceOf } from "../../../grader/trials/measures.ts";
import { actionIn, kindOfTool, mergeActions } from "../../../grader/trials/measures-actions.ts";
import { isObject, type JsonObject, parseJson } from "../../../proxy/record/json.ts";
import { capturedExchange, writeCapture, writeEvents } from "../../support/captured-runs.ts";
import { needsShared, PROJECT } from "../../support/project.ts";
import { recordsOf } from "../../support/records.ts";
import { scratchFolder } from "../../support/scratch.ts";

const call = (name: string, args: object, more: object = {}): JsonObject =>
  ({ name, data: { args, ...more } }) as unknown as JsonObject;
const measuresFor = (events: readonly JsonObject[]) => measuresOf(traceOf(events), { results: [] });

test("duplicate-call rate: a repeat counts unless something was changed in between", () => {
  const read = call("get_order", { id: "W1" });
  const other = call("get_user", { id: "u" });
  const write = call("cancel_order", { id: "W1" });
  for (const [events, rate] of [
    [[read, read, other, read], 2 / 4],
    [[read, write, read], 0],
    [[read, write, read, read], 1 / 4],
    [[write, write], 1 / 2],
    [[write, other, write], 1 / 3],
    [[call("get", { a: 1, b: 2 }), call("get", { b: 2, a: 1 })], 1 / 2],
    [[call("get", { a: 1 }), call("get", { a: 2 })], 0],
  ] as const) {
    assert.equal(measuresFor(events)["duplicate_call_rate"], rate);
  }
  assert.equal(measuresFor([])["duplicate_call_rate"], undefined);
});

test("verification: a tool that checks, or a read of what was just changed", () => {
  const edit = call("edit_file", { path: "a.ts" });
  const events = [
    edit,
    call("run_tests", {}),
    edit,
    call("read_file", { path: "a.ts" }),
    edit,
    call("read_file", { path: "b.ts" }),
  ];
  const measures = measuresFor(events);
  assert.equal(measures["verification_action_rate"], 2 / 6);
  assert.equal(measures["verified_effect_rate"], 2 / 3);
  assert.equal(measuresFor([call("get", {})])["verified_effect_rate"], undefined, "no effects");
});

test("what a tool does is guessed from whole words of its name", () => {
  for (const [name, kind] of [
    ["cancel_order", "effect"],
    ["runTests", "check"],
    ["mcp__mail__send-message", "effect"],
    ["get_settings", "read"],
    ["list_updates", "read"],
    ["verify_update", "check"],
  ] as const) {
    assert.equal(kindOfTool(name), kind, name);
  }
});

test("recall of earlier facts: of the ids an action uses, the share that it had been given", () => {
  const events = [
    { name: "user.message", data: { text: "Please cancel #W2378156 for yusuf@example.com" } },
    call("find_user", { email: "yusuf@example.com" }, { result: '{"user_id": "yusuf_rossi_9620"}' }),
    call("get_user", { user_id: "yusuf_rossi_9620", verbose: true, page: 2 }),
    call("cancel_order", { order_id: "#W2378157" }),
  ] as JsonObject[];
  assert.equal(measuresFor(events)["recall_of_earlier_facts"], 2 / 3);
  assert.equal(measuresFor([call("search", { q: "chats" })])["recall_of_earlier_facts"], undefined, "no facts used");
});

test("a model's own earlier words give no facts, the tool's answers in its request do", () => {
  const asked = (id: string): JsonObject[] => [
    {
      name: "chat/completions",
      request: {
        messages: [
          { role: "assistant", content: "order W999" },
          { role: "tool", content: '{"order":"W111"}' },
        ],
      },
      response: { choices: [{ message: { content: `W999 ${id}` } }] },
      $capture: { format: "openai" },
    },
    { name: "tool_call", data: { name: "get", arguments: { id } }, $capture: { format: "openai" } },
  ];
  assert.equal(measuresFor(asked("W111"))["recall_of_earlier_facts"], 1);
  assert.equal(measuresFor(asked("W999"))["recall_of_earlier_facts"], 0);
});

test("a call that a model asked for and a server then ran is one action", needsShared("captures"), () => {
  const asked = recordsOf(capturedExchange("openai", "001"));
  const span = recordsOf(capturedExchange("otel-genai-json", "001", false));
  const args = { name: "search_chats", arguments: { q: "ž" } };
  const run = { name: "tools/call", data: args, $capture: { format: "mcp" } };
  const actions = [...asked, run as JsonObject, ...asked, ...span].flatMap((event, at) => actionIn(event, at) ?? []);
  assert.deepEqual(
    actions.map(({ from, name }) => [from, name]),
    [
      ["asked", "search_chats"],
      ["done", "search_chats"],
      ["asked", "search_chats"],
      ["done", "search_chats"],
    ],
  );
  // the first is run by MCP; the second and the span have two different ids, so they are two
  assert.deepEqual(
    mergeActions(actions).map(({ record }) => record),
    [2, 4, 7],
  );
  const prefixed = {
    name: "tool_call",
    data: { ...args, name: "mcp__chats__search_chats" },
    $capture: { format: "openai" },
  };
  const both = [prefixed, run].flatMap((event, at) => actionIn(event as JsonObject, at) ?? []);
  assert.equal(mergeActions(both).length, 1);
});

const SCENARIO = parseScenario(
  `waymark: 1
scenario: s
markers:
  - { name: opened, where: { event: open, data.chat: a } }
  - { name: switched, where: { event: open, data.chat: b } }
  - { name: sent, event: send }
rules:
  - { name: no drop, never: { event: drop } }
  - { name: not after, after: { event: send }, never: { event: open }, severity: warn }
  - { name: exclusive, if: { event: bad }, never: { event: worse } }
  - { name: answered, after: { event: ask }, expect: { event: answer } }
`,
  "s.yaml",
);

async function measured(t: Parameters<typeof scratchFolder>[0], names: readonly string[], code = 0) {
  const events = names.map((word, index) => {
    const [name = "", chat] = word.split(":");
    return {
      name,
      time: new Date(Date.UTC(2026, 0, 31, 12, 0, index)).toISOString(),
      ...(chat === undefined ? {} : { data: { chat } }),
    };
  });
  const places = writeEvents(scratchFolder(t), events as JsonObject[]);
  const { document } = await gradeLogs({ logs: [places.telemetry], scenarios: [SCENARIO] });
  const manifest = { started_at: "2026-01-31T12:00:00.000Z", end: { kind: "exited", code } as const };
  return measure(places, manifest, document.results);
}

test("backtracks: what completed a marker happens again after a later one", async (t) => {
  const backtracksOf = async (names: readonly string[]) => (await measured(t, names)).measures?.["backtracks"];
  assert.equal(await backtracksOf(["open:a", "open:b", "send"]), 0);
  assert.equal(await backtracksOf(["open:a", "open:a", "open:b", "send"]), 0, "before the later marker");
  assert.equal(await backtracksOf(["open:a", "open:b", "open:a", "send", "open:a", "open:b"]), 3);
});

test("stopped short, and went on after the goal", async (t) => {
  const goal = (await measured(t, ["open:a", "open:b", "send", "close", "close"])).measures;
  assert.deepEqual([goal?.["stopped_short"], goal?.["steps_after_goal"]], [0, 2]);
  const short = (await measured(t, ["open:a", "close"])).measures;
  assert.deepEqual([short?.["stopped_short"], short?.["steps_after_goal"]], [1, undefined]);
  const scenario = { results: [], end: { kind: "timeout", afterMs: 1 } as const };
  assert.equal(measuresOf(traceOf([]), scenario)["stopped_short"], undefined);
});

test("safety violations are what rules that forbid saw, not what others missed", async (t) => {
  const violations = async (names: readonly string[]) => (await measured(t, names)).measures?.["safety_violations"];
  assert.equal(await violations(["open:a", "open:b", "send"]), 0);
  assert.equal(await violations(["drop", "drop", "open:a", "ask"]), 2);
  assert.equal(await violations(["open:a", "send", "open:b"]), 1);
  assert.equal(await violations(["bad", "worse"]), 1);
});

test("steps are the stretches up to each marker, then what was logged", async (t) => {
  const { steps, measures } = await measured(t, ["open:a", "open:b", "send"]);
  assert.deepEqual(
    steps?.map(({ name, kind, duration_ms }) => [name, kind, duration_ms]),
    [
      ["opened", "marker", 0],
      ["switched", "marker", 1000],
      ["sent", "marker", 1000],
    ],
  );
  assert.equal(measures?.["steps"], 3, "without tool calls the app's events stand in");
  assert.equal(measures?.["verification_action_rate"], undefined, "nobody can see checks in them");
});

test("a captured conversation has its tool calls as steps", needsShared("captures"), async (t) => {
  const places = writeCapture(scratchFolder(t), [
    capturedExchange("openai", "001"),
    capturedExchange("mcp", "005"),
    capturedExchange("mcp", "006"),
  ]);
  writeFileSync(places.steps, '{"name":"think","duration_ms":5}\n');
  const { steps, measures } = await measure(places, { started_at: "x" }, []);
  assert.equal(measures?.["steps"], 3);
  assert.deepEqual(
    steps?.map(({ name }) => name),
    ["think", "chat/completions gpt-synthetic-1"],
  );
});

test("docs/measures.md defines every measure", async () => {
  const { MEASURES } = await import("../../../grader/trials/measures-table.ts");
  const page = readFileSync(join(PROJECT, "docs", "measures.md"), "utf8");
  for (const { name } of MEASURES) assert.ok(page.includes(`\`${name}\``), name);
});

test("a log of odd records is measured without a fault", async (t) => {
  const odd = [
    "null",
    "[]",
    '{"name":5}',
    '{"name":"a","data":[1]}',
    '{"name":"tool_call","data":{"name":7},"$capture":{"format":"openai"}}',
    '{"name":"x","data":{"args":null}}',
    '{"data":{"gen_ai.operation.name":"execute_tool"}}',
    '{"name":"y","data":{"args":{"a":{"b":[null,9007199254740993]}}}}',
  ];
  const events = odd.map((text) => parseJson(text)).filter(isObject);
  const measures = measuresFor(events);
  assert.equal(measures["steps"], 2);
  const places = writeEvents(scratchFolder(t), events);
  writeFileSync(join(places.telemetry, "telemetry-1.log"), "broken\n\0\n");
  assert.equal((await measure(places, { started_at: "" }, [])).measures?.["steps"], 2);
});
