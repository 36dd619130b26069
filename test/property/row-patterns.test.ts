import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { gradeEvents } from "../support/grade-events.ts";
import { bruteForcePlaces } from "../support/row-brute-force.ts";
import { rowDefinitions } from "../support/row-define.ts";
import { placesOf } from "../support/row-matches.ts";
import { parseRowPattern } from "../support/row-pattern.ts";
import { isNestable, isVoid, nestedMarkers, partitionLog } from "../support/row-scenario.ts";
import { wordsOf } from "../support/row-words.ts";

const seed = Number(process.env["WAYMARK_SEED"] ?? Date.now() % 1_000_000);
const runs = Math.ceil(Number(process.env["WAYMARK_RUNS"] ?? 2500) / 10);

const defines = fc.constantFrom(
  "A: any row; B: value < previous value; C: value > previous value",
  "A: value <= previous value; B: value >= previous; C: value = 2",
  "A: value=1; B: value in (1,2); C: value = previous value",
  "B: value = A.value; C: value < B.value",
);

const patterns = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("A", "B", "C"),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => parts.join(" ")),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => `(${parts.join(" | ")})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "*?", "{,2}?", "??"))
      .map(([pattern, quantifier]) => `(${pattern})${quantifier}`),
    tie("pattern").map((pattern) => `^ ${pattern}`),
    tie("pattern").map((pattern) => `${pattern} $`),
  ),
})).pattern;

test("row patterns that look back at the row before stand where trying every word says", (t) => {
  t.diagnostic(`seed ${seed}`);
  const values = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(patterns, defines, values, (text, define, list) => {
      const rows = list.map((value) => ({ value }));
      const tree = parseRowPattern(text);
      const definitions = rowDefinitions(define);
      const words = wordsOf(tree, rows.length).filter((word) => !isVoid(word, definitions));
      fc.pre(words.length < 40);
      const places = bruteForcePlaces(words, rows, define);
      assert.deepEqual(placesOf(words, rows, definitions), places, "each word by itself");
      if (!isNestable(tree, definitions)) return;
      const blocks = nestedMarkers(tree, definitions, rows.length);
      const { matchedInOrder, matchIndices } = gradeEvents({ markers: blocks }, partitionLog(rows));
      const used = places.map(({ from, labels }) => [from, ...labels.map(([row]) => row + 1)]);
      const [wanted] = used.sort((a, b) => (a.at(-1) ?? 0) - (b.at(-1) ?? 0) || (a[0] ?? 0) - (b[0] ?? 0));
      assert.equal(matchedInOrder, wanted !== undefined, "found");
      if (wanted !== undefined) assert.deepEqual(matchIndices, wanted, "the match that ends first");
    }),
    { seed, numRuns: runs },
  );
});
