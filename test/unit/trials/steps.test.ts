import assert from "node:assert/strict";
import test from "node:test";
import type { Cost } from "../../../grader/trials/spending-cost.ts";
import { markerSteps } from "../../../grader/trials/steps.ts";
import type { MarkerResult } from "../../../grader/verdict.ts";

const T0 = Date.UTC(2026, 0, 31, 12);
const iso = (second: number): string => new Date(T0 + second * 1000).toISOString();

function marker(name: string, record: number, second: number): MarkerResult {
  return { name, status: "found", record, at: iso(second), source: { file: "s.yaml", line: 1, column: 1 } };
}

const cost = (usd: number, tokens: number, when: Pick<Cost, "endedMs" | "place">): Cost => ({
  shown: { name: "call", kind: "llm", cost_usd: usd, tokens_in: tokens, tokens_out: 1, tokens: tokens + 1 },
  unpriced: [],
  isCostWhole: true,
  areTokensWhole: true,
  ...when,
});

const result = (markers: readonly MarkerResult[]) => ({ markers, log: "l", started_at: iso(1) });
const MARKERS = [marker("opened", 10, 4), marker("sent", 20, 9)];

test("cost and tokens belong to the stretch in which a call ended, a marker's own time included", () => {
  const costs = [
    cost(0.1, 5, { endedMs: T0 + 4000 }),
    cost(0.2, 5, { endedMs: T0 + 4001 }),
    cost(0.2, 5, { endedMs: T0 + 8000 }),
    cost(0.4, 5, { endedMs: T0 + 9500 }),
  ];
  assert.deepEqual(markerSteps(result(MARKERS), costs, iso(0)), [
    {
      name: "opened",
      kind: "marker",
      started_at: iso(0),
      duration_ms: 4000,
      cost_usd: 0.1,
      tokens_in: 5,
      tokens_out: 1,
      tokens: 6,
    },
    {
      name: "sent",
      kind: "marker",
      started_at: iso(4),
      duration_ms: 5000,
      cost_usd: 0.4,
      tokens_in: 10,
      tokens_out: 2,
      tokens: 12,
    },
    { name: "after sent", kind: "marker", started_at: iso(9), cost_usd: 0.4, tokens_in: 5, tokens_out: 1, tokens: 6 },
  ]);
});

test("a call that only the capture tells of ended where its line stands", () => {
  const costs = [9, 10, 11, 21].map((record) => cost(1, 0, { place: { log: "l", record } }));
  assert.deepEqual(
    markerSteps(result(MARKERS), costs).map(({ name, cost_usd }) => [name, cost_usd]),
    [
      ["opened", 2],
      ["sent", 1],
      ["after sent", 1],
    ],
  );
});

test("what has no time and no line is in no stretch; a figure nobody counted is absent", () => {
  const [opened, ...rest] = markerSteps(result(MARKERS), [cost(1, 1, {})]);
  assert.deepEqual(opened, { name: "opened", kind: "marker", started_at: iso(1), duration_ms: 3000 });
  assert.equal(rest.length, 1);
});

test("clocks that run against each other give no duration, missing markers no stretch", () => {
  const missing: MarkerResult = { name: "gone", status: "missing", source: { file: "s", line: 1, column: 1 } };
  const steps = markerSteps(result([marker("a", 1, 4), missing, marker("b", 2, 3)]), [], iso(60));
  assert.deepEqual(
    steps.map(({ name, duration_ms }) => [name, duration_ms]),
    [
      ["a", undefined],
      ["b", undefined],
    ],
  );
  assert.deepEqual(
    markerSteps(result([missing]), [cost(1, 1, { endedMs: T0 })]).map(({ name, cost_usd }) => [name, cost_usd]),
    [["before any marker", 1]],
  );
});
