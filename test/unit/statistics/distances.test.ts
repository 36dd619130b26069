import assert from "node:assert/strict";
import test from "node:test";
import { jensenShannon, meanDiscrepancy } from "../../../grader/statistics/distances.ts";

test("distances of nothing are undefined and of misfits refused", () => {
  assert.equal(jensenShannon([0, 0], [1, 1]), undefined);
  assert.equal(jensenShannon([], []), undefined);
  assert.throws(() => jensenShannon([1], [1, 1]), RangeError);
  assert.throws(() => jensenShannon([-1, 2], [1, 1]), RangeError);
  assert.equal(meanDiscrepancy([], [[1]], 1), undefined);
  assert.equal(meanDiscrepancy([[1]], [[1]], 1)?.unbiased, undefined);
  assert.equal(meanDiscrepancy([[1]], [[1]], 1)?.biased, 0);
  assert.throws(() => meanDiscrepancy([[1]], [[1, 2]], 1), RangeError);
  assert.throws(() => meanDiscrepancy([[1]], [[2]], 0), RangeError);
});
