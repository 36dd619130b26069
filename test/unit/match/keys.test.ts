import assert from "node:assert/strict";
import test from "node:test";
import { bindingsKey, rememberedKey } from "../../../grader/match/keys.ts";
import { isEqual } from "../../../proxy/record/equality.ts";
import type { JsonValue } from "../../../proxy/record/json.ts";

const long = "x".repeat(300);

test("keys of long values are short, and equal exactly when the values are", () => {
  const values: readonly JsonValue[] = [
    ...[long, `${long}y`, `${long}\ud800`, `${long}\ud801`, `${long}\ufffd`],
    ...[[long], { a: long }, "x".repeat(255), `#${long}`],
    ...[BigInt("7".repeat(400)), "7".repeat(400), { b: long, a: 1 }, { a: 1, b: long }],
  ];
  for (const a of values) {
    assert.ok(rememberedKey(a).length <= 256);
    for (const b of values) assert.equal(rememberedKey(a) === rememberedKey(b), isEqual(a, b));
  }
});

test("no value has a key that looks like that of a long one", () => {
  assert.notEqual(rememberedKey(rememberedKey(long)), rememberedKey(long));
  assert.ok(bindingsKey(new Map([["v", "y".repeat(1_000_000)]])).length < 100);
});
