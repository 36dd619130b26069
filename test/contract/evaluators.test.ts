import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { EVALUATORS } from "../../grader/evaluator/evaluators/index.ts";
import { createLocator } from "../../grader/evaluator/locator.ts";
import { lookAtState, lookOnce } from "../../grader/evaluator/look.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import { scratchFolder } from "../support/scratch.ts";

const VERDICTS = ["pass", "fail", "inconclusive", "error"];
const place = { file: "s.yaml", line: 1, column: 1 };

for (const evaluator of EVALUATORS) {
  test(`evaluator ${evaluator.name}: has a name for items, a sentence, and an example that fits its schema`, () => {
    assert.match(evaluator.name, /^[a-z]+(_[a-z]+)*$/);
    assert.match(evaluator.summary, /^[A-Z].*\.$/);
    assert.ok(evaluator.schema.safeParse(evaluator.example).success);
    assert.equal(evaluator.schema.safeParse({ ...evaluator.example, nonsense: 1 }).success, false);
  });

  test(`evaluator ${evaluator.name}: its example gives a verdict with a reason and facts that are JSON`, async (t) => {
    const sight = { commands: new Map<string, readonly string[]>(), cwd: scratchFolder(t) };
    const seen = await lookOnce({ evaluator: evaluator.name, args: evaluator.example }, sight);
    assert.ok(VERDICTS.includes(seen.verdict));
    assert.notEqual(seen.verdict, "pass", "nothing of it is there");
    assert.match(seen.reason, /\S/);
    assert.deepEqual(JSON.parse(JSON.stringify(seen.facts)), seen.facts);
  });

  test(`evaluator ${evaluator.name}: arguments of any kind are answered, never thrown`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 2 }), async (args) => {
        const { verdict } = await lookOnce(
          { evaluator: evaluator.name, args: args as JsonValue },
          { commands: new Map() },
        );
        assert.ok(VERDICTS.includes(verdict));
      }),
      { numRuns: 25 },
    );
  });

  test(`evaluator ${evaluator.name}: tells every path it looks at, so that a root can hold it`, async (t) => {
    const folder = scratchFolder(t);
    const outside = join(scratchFolder(t), "out.db");
    writeFileSync(outside, "x");
    const args = { ...evaluator.example, ...("path" in evaluator.example ? { path: outside } : {}) };
    const paths = evaluator.paths(evaluator.schema.parse(args));
    const locator = createLocator({ root: folder });
    if (!("path" in args)) return assert.deepEqual(paths, []);
    assert.ok(paths.length > 0);
    assert.throws(() => paths.map(({ path }) => locator.locate(path)), { name: "OutsideRoot" });
    const check = { evaluator: evaluator.name, args: args as JsonValue, place };
    const answer = await lookAtState({ root: folder })(check);
    assert.deepEqual([answer.verdict, answer.reason], ["error", "the path leads out of the root"]);
  });
}

test("evaluators have different names, and an unknown one is an error that names the nearest", async () => {
  const names = EVALUATORS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const answer = await lookAtState()({ evaluator: "file_exist", args: {}, place });
  assert.equal(answer.verdict, "error");
  assert.match(answer.reason ?? "", /did you mean "file_exists"/);
});
