import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { learnRuns } from "../../grader/learn/learn.ts";
import { createPredictor } from "../../grader/learn/predict.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { heldRun, type Short } from "../support/learning.ts";

const NAMES = [
  "opened",
  "create_order",
  "update_cart",
  "get_price",
  "done",
  "user.message",
  "Loaded Page",
  "sql.select",
];
const value = fc.oneof(
  fc.constantFrom<JsonObject[string]>(
    "x",
    "y",
    5,
    "5",
    5.5,
    true,
    null,
    "$x",
    ["$", "{y}"].join(""),
    "$$",
    "",
    "1.10",
    "a: b #c",
    "VM 1 Started",
    "VM 2 Started",
    90071992547409931n,
    90071992547409932n,
  ),
  fc.array(fc.constantFrom<JsonObject[string]>("p", "q", "r", 90071992547409931n), { maxLength: 3 }),
  fc.constantFrom('{"k": ["p", 1]}', "{'k': ('p', None)}", '[{"k": 1}, {"k": 2}]'),
  fc.record({ k: fc.integer({ min: 0, max: 2 }), "odd key.": fc.constantFrom("u", "v") }),
);
const data = fc.dictionary(fc.constantFrom("args", "result", "error", "write", "chat id", "n"), value, { maxKeys: 4 });
const event = fc.tuple(fc.constantFrom(...NAMES), data).map(([name, own]): Short => [name, own as JsonObject]);
const runs = fc.array(fc.array(event, { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 5 });

for (const closedWorld of [false, true]) {
  test(`a learned scenario passes every run it was learned from${closedWorld ? ", in a closed world too" : ""}`, () => {
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 900 }), (events, gapMs) => {
        const good = events.map((own, index) => heldRun(`r${index}`, own, { gapMs }));
        const { text } = learnRuns(good, "learned", { closedWorld });
        let predictor: ReturnType<typeof createPredictor>;
        try {
          predictor = createPredictor(text);
        } catch (error) {
          if (error instanceof Error && /WM_SCENARIO_EMPTY/.test(error.message)) return; // only noise: nothing to learn
          throw error;
        }
        for (const run of good) {
          const outcome = predictor.grade(run);
          assert.equal(outcome.verdict, "pass", `${outcome.reason}\n${text}`);
        }
      }),
      { numRuns: 400 },
    );
  });
}

test("what is called like talk but says that it changes something is work, also where others of its name are talk", () => {
  const ended: JsonObject = { result: { k: 1, text: "u" } };
  for (const before of [[], [["user.message", { result: "hello" }]]] as const) {
    const told: Short[] = [...(before as readonly Short[]), ["user.message", { ...ended, write: true }]];
    const good = [heldRun("a", told), heldRun("b", [["opened", ended]])];
    const predictor = createPredictor(learnRuns(good, "learned").text);
    assert.deepEqual(
      good.map((run) => predictor.grade(run).verdict),
      ["pass", "pass"],
    );
  }
});

test("learning from shuffled runs gives the same bytes", () => {
  fc.assert(
    fc.property(runs, fc.infiniteStream(fc.nat()), (events, stream) => {
      const good = events.map((own, index) => heldRun(`r${index}`, own));
      const keys = good.map(() => stream.next().value ?? 0);
      const shuffled = good
        .map((run, at) => ({ run, key: keys[at] ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ run }) => run);
      assert.equal(learnRuns(shuffled, "x").text, learnRuns(good, "x").text);
    }),
    { numRuns: 200 },
  );
});
