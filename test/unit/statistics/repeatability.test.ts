import assert from "node:assert/strict";
import test from "node:test";
import { passAtK, passHatK } from "../../../grader/statistics/repeatability.ts";

const of = (passed: number, runs: number) => ({ passed, runs });

test("pass@k and pass^k are undefined for runs that were not made", () => {
  for (const k of [0, 6, 1.5, -1, Number.NaN]) {
    assert.equal(passAtK(of(4, 5), k), undefined);
    assert.equal(passHatK(of(4, 5), k), undefined);
  }
  assert.equal(passAtK(of(0, 0), 1), undefined);
  assert.throws(() => passAtK(of(6, 5), 1), RangeError);
});

test("4 of 5: pass@2 1.00, pass^2 0.60, pass^3 0.40, pass^5 0", () => {
  assert.equal(passAtK(of(4, 5), 2), 1);
  assert.deepEqual(
    [2, 3, 5].map((k) => passHatK(of(4, 5), k)),
    [0.6, 0.4, 0],
  );
});

test("a very small pass@k keeps its digits", () => {
  assert.equal(passAtK(of(1, 1_000_000), 1), 1e-6);
  assert.equal(passAtK(of(1, 1_000_000), 3), 3e-6);
});
