import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { compareGroups } from "../../grader/trials/compare.ts";
import type { ShiftComparison } from "../../grader/trials/compare-shift.ts";
import { tableOf } from "../../grader/trials/csv.ts";
import { readCsv } from "../../grader/trials/csv-read.ts";
import { summariseOutcomes } from "../../grader/trials/outcomes.ts";
import type { Trial } from "../../grader/trials/trial.ts";
import { trialOf } from "../support/trials.ts";

const verdict = fc.constantFrom("pass", "fail", "inconclusive", "error", "interrupted", "launch error");
const sketch = fc.record({
  verdict,
  task: fc.option(fc.constantFrom("t1", "t2", "t3"), { nil: undefined }),
  ms: fc.integer({ min: 0, max: 50 }),
  usd: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
});
const trials = fc.array(sketch, { minLength: 1, maxLength: 14 }).map((sketches): readonly Trial[] => [
  trialOf({ verdict: "pass" }),
  ...sketches.map(({ verdict: one, task, ms, usd }) =>
    trialOf({
      verdict: one,
      result: { duration_ms: ms },
      manifest: { ...(task === undefined ? {} : { task }), ...(usd === undefined ? {} : { used: { cost_usd: usd } }) },
    }),
  ),
]);

const MIRRORED = { a_better: "b_better", b_better: "a_better", none: "none", equivalent: "equivalent" } as const;

function near(one: number | null | undefined, other: number | null | undefined): void {
  if (typeof one !== "number" || typeof other !== "number") assert.equal(one ?? null, other ?? null);
  else assert.ok(Math.abs(one - other) < 1e-9, `${one} is not ${other}`);
}

function minus(value: number | null | undefined): number | null {
  return typeof value === "number" ? -value : null;
}

test("swapping the sides mirrors a comparison", () => {
  fc.assert(
    fc.property(
      trials,
      trials,
      fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
      (a, b, pass) => {
        const options = pass === undefined ? {} : { minEffects: { pass, duration: 10 } };
        const [one] = compareGroups(a, b, options).comparisons;
        const [other] = compareGroups(b, a, options).comparisons;
        assert.ok(one !== undefined && other !== undefined);
        near(one.pass.p, other.pass.p);
        near(one.pass.difference.estimate, minus(other.pass.difference.estimate));
        near(one.pass.difference.low, -other.pass.difference.high);
        near(one.pass.difference.high, -other.pass.difference.low);
        assert.equal(one.pass.decision, MIRRORED[other.pass.decision]);
        assert.deepEqual({ ...one.a, name: "" }, { ...other.b, name: "" });
        for (const [at, shift] of one.shifts.entries()) {
          const mirror: ShiftComparison | undefined = other.shifts[at];
          near(shift.shift?.estimate, minus(mirror?.shift?.estimate));
          near(shift.shift?.low, minus(mirror?.shift?.high));
          assert.equal(shift.decision, MIRRORED[mirror?.decision ?? "none"]);
        }
        assert.deepEqual(
          one.flips.map(({ a: from, b: to }) => [from, to]),
          other.flips.map(({ a: from, b: to }) => [to, from]),
        );
      },
    ),
    { numRuns: 150 },
  );
});

test("no run is ever lost between a side's counts and its list", () => {
  fc.assert(
    fc.property(trials, trials, (a, b) => {
      const [one] = compareGroups(a, b).comparisons;
      assert.equal(one?.a.runs.length, a.length);
      assert.equal((one?.a.n ?? 0) + (one?.a.interrupted ?? 0), a.length);
      const { passed = 0, failed = 0, inconclusive = 0, errors = 0, n } = one?.a ?? {};
      assert.equal(passed + failed + inconclusive + errors, n);
    }),
    { numRuns: 100 },
  );
});

test("pass@1, pass^1 and the success rate are one, pass@k grows with k and pass^k falls", () => {
  const outcome = fc.record({
    task: fc.constantFrom("a", "b", "c"),
    success: fc.option(fc.boolean(), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(outcome, { minLength: 1, maxLength: 30 }), (rows) => {
      // The same number of trials for every task, so that each k is over the same tasks.
      const outcomes = rows.flatMap(({ success }, at) =>
        ["a", "b", "c"].map((task) => {
          return { task, variant: "v", trial: String(at), success: (success ?? false) !== (task === "b") };
        }),
      );
      const [variant] = summariseOutcomes(outcomes).variants;
      near(variant?.at_k[0]?.pass_at_k?.estimate, variant?.rate?.estimate);
      near(variant?.at_k[0]?.pass_hat_k?.estimate, variant?.rate?.estimate);
      for (const [at, { pass_at_k: some, pass_hat_k: every }] of (variant?.at_k ?? []).entries()) {
        const before = variant?.at_k[at - 1];
        if (before === undefined) continue;
        assert.ok((some?.estimate ?? 0) >= (before.pass_at_k?.estimate ?? 0) - 1e-12);
        assert.ok((every?.estimate ?? 0) <= (before.pass_hat_k?.estimate ?? 0) + 1e-12);
      }
    }),
    { numRuns: 100 },
  );
});

test("every text comes back from the exported table, but for the quote before a formula", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 5 }), (tasks) => {
      const text = tableOf(tasks.map((task) => trialOf({ verdict: "pass", manifest: { task } })));
      const { rows, problems } = readCsv(text);
      const column = rows[0]?.cells.indexOf("task") ?? -1;
      assert.deepEqual(problems, []);
      assert.deepEqual(
        rows.slice(1).map(({ cells }) => (cells[column] ?? "").replace(/^'(?='*[=+\-@\t\r])/, "")),
        tasks,
      );
      assert.ok(rows.slice(1).every(({ cells }) => !/^[=+\-@\t\r]/.test(cells[column] ?? "")));
    }),
    { numRuns: 200 },
  );
});
