import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { plainPath, runPlain } from "../../grader/operators/jsonpath.ts";
import { evaluateQuery } from "../../grader/operators/query.ts";
import { parseJsonPath } from "../../grader/scenario/jsonpath-reader.ts";
import type { JsonValue } from "../../proxy/record/json.ts";

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

test("jsonpath-plus and the RFC evaluator find the same where the package is used", () => {
  fc.assert(
    fc.property(event, fc.array(step, { minLength: 1, maxLength: 4 }), (root, steps) => {
      const parsed = parseJsonPath(`$${steps.join("")}`);
      assert.ok(parsed.ok);
      const plain = plainPath(parsed.query);
      assert.ok(plain);
      const sorted = (values: readonly JsonValue[] | undefined) => values?.map((value) => JSON.stringify(value)).sort();
      assert.deepEqual(
        sorted(runPlain(plain, root as JsonValue)),
        sorted(evaluateQuery(parsed.query, root as JsonValue)),
      );
    }),
    { numRuns: 500 },
  );
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
