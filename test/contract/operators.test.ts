import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { OPERATORS } from "../../grader/operators/index.ts";
import { modifierNames } from "../../grader/operators/modifiers.ts";
import type { JsonValue } from "../../proxy/record/json.ts";

const values = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => value as JsonValue),
  fc.bigInt().map((value): JsonValue => value),
  fc.constantFrom<JsonValue>("/a/../b", "..", "*", "?", "(a+)+$", "5", "", 1e20, 100000000000000000000n, -0, null),
);
const options = fc.record({ ignoreCase: fc.boolean() });

for (const operator of OPERATORS) {
  test(`operator ${operator.name}: reads an argument or says why not`, () => {
    fc.assert(
      fc.property(values, options, (argument, how) => {
        const parsed = operator.parse(argument, how);
        if (!parsed.ok) assert.match(parsed.why, /^\S.*\S$/s, "the end of 'takes ...'");
      }),
    );
  });

  test(`operator ${operator.name}: answers for every value and never throws`, () => {
    fc.assert(
      fc.property(values, values, options, (argument, value, how) => {
        const parsed = operator.parse(argument, how);
        if (parsed.ok) assert.equal(typeof operator.test(parsed.value, value, how), "boolean");
      }),
    );
  });

  test(`operator ${operator.name}: gives the same answer every time`, () => {
    fc.assert(
      fc.property(values, values, options, (argument, value, how) => {
        const parsed = operator.parse(argument, how);
        if (!parsed.ok) return;
        assert.equal(operator.test(parsed.value, value, how), operator.test(parsed.value, value, how));
      }),
    );
  });

  test(`operator ${operator.name}: explains itself as the end of "should ..."`, () => {
    fc.assert(
      fc.property(values, options, (argument, how) => {
        const parsed = operator.parse(argument, how);
        if (!parsed.ok) return;
        const words = operator.explain(parsed.value);
        assert.match(words, /^(be|equal|contain|start|end|match)\b/);
        assert.doesNotMatch(words, /[\n.]$/);
      }),
    );
  });
}

test("operators have different names, all of which can stand behind a pipe except the plain one", () => {
  const names = OPERATORS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    names.filter((name) => !modifierNames().includes(name)),
    ["is"],
  );
});
