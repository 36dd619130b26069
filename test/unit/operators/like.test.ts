import assert from "node:assert/strict";
import test from "node:test";
import { like } from "../../../grader/operators/like.ts";
import { readSpelled } from "../../../grader/operators/spelled.ts";
import type { JsonValue } from "../../../proxy/record/json.ts";

function isLike(wanted: JsonValue, got: JsonValue): boolean {
  const parsed = like.parse(wanted, { ignoreCase: false });
  return parsed.ok && like.test(parsed.value, got, { ignoreCase: false });
}

test("one value in many spellings", () => {
  const wanted = { order: "#W1", items: ["a", "b"] };
  for (const got of [
    { order: "#W1", items: ["b", "a"], more: 1 },
    '{"items": ["a","b"], "order": "#W1"}',
    "{'order': '#W1', 'items': ('a', 'b'), 'note': None}",
    { order: "#W1", items: '["a", "b"]' },
    { order: "#W1", items: "['a', 'b']" },
  ]) {
    assert.equal(isLike(wanted, got), true, JSON.stringify(got));
  }
});

test("what is another value", () => {
  const wanted = { order: "#W1", items: ["a", "b"] };
  for (const got of [
    { order: "#W2", items: ["a", "b"] },
    { order: "#W1", items: ["a"] },
    { order: "#W1", items: ["a", "a"] },
    { items: ["a", "b"] },
    "{'order': '#W1', 'items': ['a', 'b']",
    null,
    [],
  ]) {
    assert.equal(isLike(wanted, got), false, JSON.stringify(got));
  }
});

test("numbers and truth however spelled; leading zeros are text", () => {
  assert.equal(isLike(5, "5"), true);
  assert.equal(isLike("5.0", 5), true);
  assert.equal(isLike("05", 5), false);
  assert.equal(isLike(true, "True"), true);
  assert.equal(isLike(null, "null"), false);
});

// What Python 3.11's ast.literal_eval reads these texts as.
test("Python literals as Python reads them", () => {
  assert.deepEqual(readSpelled("{'a': 'it\\'s', \"b\": [1, 2.5, -3], 'c': (True, False, None,)}"), {
    a: "it's",
    b: [1, 2.5, -3],
    c: [true, false, null],
  });
  assert.deepEqual(readSpelled("[]"), []);
  assert.deepEqual(readSpelled("{}"), {});
  for (const text of ["{'a'}", "[1,,2]", "{'a': open}", "[__import__('os')]", "(1", "plain", "[1] + [2]"]) {
    assert.equal(readSpelled(text), text);
  }
});
