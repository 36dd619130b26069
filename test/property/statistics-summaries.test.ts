import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { agreementOf, cohenKappa } from "../../grader/statistics/agreement.ts";
import { averageOverTasks, pooledRate } from "../../grader/statistics/clustered.ts";
import type { Counts } from "../../grader/statistics/counts.ts";
import { jensenShannonDistance, meanDiscrepancy } from "../../grader/statistics/distances.ts";
import { median, medianInterval } from "../../grader/statistics/quantiles.ts";
import { passAtK } from "../../grader/statistics/repeatability.ts";
import { shiftBetween } from "../../grader/statistics/shift.ts";

const ROUNDING = 1e-12;

const counts = (most: number): fc.Arbitrary<Counts> =>
  fc
    .tuple(fc.nat({ max: most }), fc.nat({ max: most }))
    .map(([a, b]) => ({ passed: Math.min(a, b), runs: Math.max(a, b) }));
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) <= ROUNDING, `${a} and ${b}`);

test("agreement lies in its range and kappa does not care which rater comes first", () => {
  const cell = fc.nat(40);
  fc.assert(
    fc.property(fc.tuple(cell, cell, cell, cell), ([truePositive, falsePositive, falseNegative, trueNegative]) => {
      const { runs, kappa, ...shares } = agreementOf({ truePositive, falsePositive, falseNegative, trueNegative });
      assert.equal(runs, truePositive + falsePositive + falseNegative + trueNegative);
      for (const value of Object.values(shares)) assert.ok(value === undefined || (value >= 0 && value <= 1));
      assert.ok(kappa === undefined || (kappa >= -1 && kappa <= 1));
      assert.equal(
        kappa,
        cohenKappa([
          [truePositive, falseNegative],
          [falsePositive, trueNegative],
        ]),
      );
    }),
  );
});

test("distances are symmetric, zero for equals, and within their range", () => {
  const weights = fc.array(fc.nat(30), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(weights, weights, (p, q) => {
      const distance = jensenShannonDistance(p, q);
      assert.equal(
        distance === undefined,
        [p, q].some((side) => side.every((weight) => weight === 0)),
      );
      if (distance === undefined) return;
      assert.ok(distance >= 0 && distance <= 1);
      near(distance, jensenShannonDistance(q, p) ?? Number.NaN);
      assert.ok((jensenShannonDistance(p, p) ?? 1) < 1e-7);
    }),
  );
  const vectors = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(vectors, vectors, (xs, ys) => {
      const got = meanDiscrepancy(xs, ys, 0.5);
      assert.ok(got !== undefined && got.biased >= 0 && got.biased <= 2);
      near(got.biased, meanDiscrepancy(ys, xs, 0.5)?.biased ?? Number.NaN);
      assert.ok((meanDiscrepancy(xs, xs, 0.5)?.biased ?? 1) < ROUNDING);
    }),
  );
});

test("rates over tasks stay in 0..1 with intervals around them", () => {
  fc.assert(
    fc.property(fc.array(counts(12), { maxLength: 12 }), (tasks) => {
      const shares = tasks.map((task) => passAtK(task, 1));
      for (const got of [pooledRate(tasks), averageOverTasks(shares)]) {
        if (got === undefined) continue;
        assert.ok(got.estimate >= 0 && got.estimate <= 1);
        assert.equal(got.tasks + got.leftOut, tasks.length);
        assert.equal(got.interval === undefined, got.tasks === 1);
        if (got.interval === undefined) continue;
        assert.ok(got.interval.low >= 0 && got.interval.high <= 1);
        assert.ok(got.interval.low <= got.estimate + ROUNDING && got.interval.high >= got.estimate - ROUNDING);
      }
    }),
  );
});

test("medians and shifts move with the values and lie in their intervals", () => {
  const values = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(values, values, fc.integer({ min: -500, max: 500 }), (a, b, by) => {
      const middle = median(a) ?? Number.NaN;
      const interval = medianInterval(a);
      assert.equal(interval === undefined, a.length < 6);
      if (interval !== undefined) assert.ok(interval.low <= middle && middle <= interval.high);
      const moved = shiftBetween(
        a.map((value) => value + by),
        b,
      );
      const shift = shiftBetween(a, b);
      assert.ok(shift !== undefined && moved !== undefined);
      assert.equal(moved.estimate, shift.estimate + by);
      const around = shift.interval;
      if (around !== undefined) assert.ok(around.low <= shift.estimate && shift.estimate <= around.high);
    }),
  );
});
