import assert from "node:assert/strict";
import test from "node:test";
import { createRetryLedger } from "../../../../proxy/pipeline/retries.ts";
import { at, recordsOf } from "../../../support/records.ts";
import { exchangeOf } from "../../../support/requests.ts";

const A = { text: '{"name":"a"}' };
const B = { text: '{"name":"b"}' };

test("the same event after a failed delivery is a retry, once for each failure", () => {
  const ledger = createRetryLedger();
  assert.deepEqual(ledger.seen("1", [A, B]), [false, false]);
  ledger.answered("1", 503);
  assert.deepEqual(ledger.seen("2", [A, A]), [true, false]);
  ledger.answered("2", 200);
  assert.deepEqual(ledger.seen("3", [A]), [false]);
  assert.deepEqual(ledger.seen("4", [B]), [true]);
});

test("two equal clicks, both delivered or the first not yet answered, stay two", () => {
  const ledger = createRetryLedger();
  assert.deepEqual(ledger.seen("1", [A]), [false]);
  assert.deepEqual(ledger.seen("2", [A]), [false]);
  ledger.answered("1", 200);
  ledger.answered("2", 204);
  assert.deepEqual(ledger.seen("3", [A]), [false]);
});

test("no answer at all is a failed delivery, and a retry may fail again", () => {
  const ledger = createRetryLedger();
  ledger.seen("1", [A]);
  ledger.answered("1", undefined);
  assert.deepEqual(ledger.seen("2", [A]), [true]);
  ledger.answered("2", 429);
  assert.deepEqual(ledger.seen("3", [A]), [true]);
});

test("an answer may come before its request was handed on", () => {
  const ledger = createRetryLedger();
  ledger.answered("1", 500);
  assert.deepEqual(ledger.seen("1", [A]), [false]);
  assert.deepEqual(ledger.seen("2", [A]), [true]);
});

test("an event with an id is a retry whenever the id was seen before", () => {
  const ledger = createRetryLedger();
  assert.deepEqual(ledger.seen("1", [{ text: "x", id: "json:1" }]), [false]);
  ledger.answered("1", 200);
  assert.deepEqual(ledger.seen("2", [{ text: "y", id: "json:1" }, { text: "x" }]), [true, false]);
});

test("memory is bounded; what was forgotten counts as never seen", () => {
  const ledger = createRetryLedger({ maxPendingChars: 50, maxRemembered: 2 });
  ledger.seen("1", [A]);
  for (let id = 2; id < 10; id++) ledger.seen(String(id), [{ text: "x".repeat(20) }]);
  ledger.answered("1", 503);
  assert.deepEqual(ledger.seen("20", [A]), [false]);
  for (const text of ["p", "q", "r"]) {
    ledger.seen(text, [{ text }]);
    ledger.answered(text, 503);
  }
  assert.deepEqual(ledger.seen("30", [{ text: "p" }, { text: "q" }, { text: "r" }]), [false, true, true]);
});

test("bodies that were cut are no retries of each other, however alike what is left of them is", () => {
  const ledger = createRetryLedger();
  const sent = (id: string, body: string, truncated = true) =>
    recordsOf(exchangeOf({ id, target: `/${id}`, body, truncated }), ledger).map((record) => [
      record["name"],
      at(record, "$capture", "retry"),
    ]);
  for (const [first, second] of [
    ["", ""],
    ['{"x', '{"x'],
  ] as const) {
    assert.deepEqual(sent("1", first), [[null, undefined]]);
    ledger.answered("1", 503);
    assert.deepEqual(sent("2", second), [[null, undefined]]);
    ledger.answered("2", 503);
  }
  assert.deepEqual(sent("3", '{"name":"a"}\n{"name":"b"}\n{"na').length, 3);
  ledger.answered("3", 503);
  const again = sent("4", '{"name":"a"}\n{"name":"b"}\n', false);
  assert.deepEqual(again, [
    ["a", true],
    ["b", true],
  ]);
});
