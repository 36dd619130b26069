import assert from "node:assert/strict";
import test from "node:test";
import { matrixLines, matrixOf } from "../../../grader/trials/matrix.ts";
import type { Trial } from "../../../grader/trials/trial.ts";
import { trialOf } from "../../support/trials.ts";

function runs(variant: string, task: string, verdicts: string): readonly Trial[] {
  const of = { p: "pass", f: "fail", e: "error" } as const;
  return [...verdicts].map((letter) => trialOf({ verdict: of[letter as "p"], manifest: { variant, task } }));
}

test("variants by tasks, with rates, gaps and averages over tasks", () => {
  const trials = [
    ...runs("small", "book", "ppff"),
    ...runs("small", "pay", "ffff"),
    ...runs("large", "book", "pppp"),
    ...runs("large", "pay", "ppfe"),
    ...runs("large", "ship", "e"),
  ];
  const matrix = matrixOf(trials, "s");
  assert.deepEqual(matrix.tasks, ["book", "pay", "ship"]);
  assert.deepEqual(
    matrix.variants.map(({ variant, cells }) => [variant, cells.map((cell) => cell?.rate)]),
    [
      ["small", [0.5, 0, undefined]],
      ["large", [1, 2 / 3, null]],
    ],
  );
  // Averages over tasks: (1/2 + 0) / 2 and (1 + 2/3) / 2; `ship` has no graded run.
  assert.deepEqual(
    matrix.variants.map(({ average }) => [Math.round((average?.estimate ?? 0) * 1e9) / 1e9, average?.tasks]),
    [
      [0.25, 2],
      [0.833333333, 2],
    ],
  );
  const [pair] = matrix.comparisons;
  // Differences -1/2 and -2/3: mean -7/12; flips of 3 and 4 sixths: 7, 1, -1, -7, so p = 2/4.
  assert.ok(Math.abs((pair?.difference?.estimate ?? 0) + 7 / 12) < 1e-12);
  assert.deepEqual([pair?.p, pair?.tasks], [0.5, 2]);
  assert.deepEqual(
    matrixLines(matrix, (name) => name),
    [
      "task     small  large",
      "book     2/4    4/4",
      "pay      0/4    2/3 ?1",
      "ship     –      0/0 ?1",
      "average  25%    83%",
    ],
  );
});
