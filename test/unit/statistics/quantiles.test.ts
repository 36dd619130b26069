import assert from "node:assert/strict";
import test from "node:test";
import { median, medianInterval, quantile } from "../../../grader/statistics/quantiles.ts";

const near = (got: number | undefined, want: number, margin = 1e-12) =>
  assert.ok(got !== undefined && Math.abs(got - want) < margin, `got ${got}, want ${want}`);

test("quantiles are NumPy's", () => {
  const values = [3.1, 4.2, 5.5, 7.7, 1.2];
  const want = [1.2, 1.96, 3.1, 4.2, 6.82, 7.7];
  [0, 0.1, 0.25, 0.5, 0.9, 1].forEach((share, index) => {
    near(quantile(values, share), want[index] ?? Number.NaN);
  });
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([]), undefined);
  assert.throws(() => median([1, Number.NaN]), RangeError);
  assert.throws(() => quantile([1], 1.1), RangeError);
});

test("the median's interval uses the published order statistics, and is undefined below six values", () => {
  const ranks = (count: number) => medianInterval(Array.from({ length: count }, (_, index) => index + 1));
  assert.equal(ranks(5), undefined);
  assert.equal(ranks(0), undefined);
  assert.deepEqual(ranks(6), { low: 1, high: 6 });
  assert.deepEqual(ranks(10), { low: 2, high: 9 });
  assert.deepEqual(ranks(15), { low: 4, high: 12 });
  assert.deepEqual(ranks(20), { low: 6, high: 15 });
  assert.deepEqual(ranks(30), { low: 10, high: 21 });
});
