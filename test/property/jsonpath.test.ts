import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { compileJsonPath } from "../../grader/operators/jsonpath.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import { evaluateQuery } from "../../proxy/record/json-path/evaluate.ts";
import { plainPath, runPlain } from "../../proxy/record/json-path/find.ts";
import { parseJsonPath } from "../../proxy/record/json-path/reader.ts";

const name = fc.constantFrom("a", "b", "id", "length", "constructor");
const { event } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, false, 0, 1, "", "text"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
  event: fc.dictionary(name, tie("value"), { maxKeys: 4 }),
}));
const step = fc.oneof(
  name.map((key) => `.${key}`),
  name.map((key) => `..${key}`),
  fc.constant("[*]"),
);

/** As text, in order, each once: what is listed again by several ways to it is found once. */
function distinct(values: readonly JsonValue[] | undefined): string[] {
  return [...new Set(values?.map((value) => JSON.stringify(value)))].sort();
}

test("jsonpath-plus and the RFC evaluator find the same where the package is used", () => {
  fc.assert(
    fc.property(event, fc.array(step, { minLength: 1, maxLength: 4 }), (root, steps) => {
      const parsed = parseJsonPath(`$${steps.join("")}`);
      assert.ok(parsed.ok);
      const plain = plainPath(parsed.query);
      assert.ok(plain);
      const expected = runPlain(plain, root as JsonValue);
      assert.deepEqual(distinct(evaluateQuery(parsed.query, root as JsonValue)), distinct(expected));
      const counting = parseJsonPath(`$[?count($${steps.join("")}) == ${expected?.length}]`);
      assert.ok(counting.ok);
      const children = Object.keys(root as object).length;
      assert.equal(evaluateQuery(counting.query, root as JsonValue).length, children);
    }),
    { numRuns: 500 },
  );
});

test("descendants of descendants of a deep event are found in steps times nodes, not in their power", () => {
  let event: JsonValue = { b: 1 };
  for (let level = 0; level < 900; level++) event = { a: event, c: [level] };
  for (const text of [
    "$..a..a..a..a..b",
    "$..*..*..*..b",
    "$..[*,*]..[*,*]..b",
    "$..[?@..[?@..[?@..b]]]..b",
    "$..[?$..a..a..b]..b",
    "$..[?@.a || @.b]..b",
  ]) {
    assert.deepEqual(compileJsonPath(text).all(event), [1], text);
  }
  // One way for each pair of levels, the lower of which has the b below it.
  const counting = compileJsonPath("$[?count($..a..a..b) == 404550]");
  assert.equal(counting.all(event).length, 2);
});

test("any text is a query or says at which character it is none", () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^\$[.[\]a?@()'"*:,0-9&|!<=> -]{0,16}$/));
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parseJsonPath(text);
      if (!parsed.ok) assert.ok(parsed.at >= 0 && parsed.at <= text.length && parsed.why !== "");
    }),
    { numRuns: 1000 },
  );
});
