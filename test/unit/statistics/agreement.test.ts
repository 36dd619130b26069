import assert from "node:assert/strict";
import test from "node:test";
import { agreementOf, cohenKappa, countAgreement } from "../../../grader/statistics/agreement.ts";

const near = (got: number | undefined, want: number, margin = 1e-12) =>
  assert.ok(got !== undefined && Math.abs(got - want) < margin, `got ${got}, want ${want}`);

test("agreement: one false claim in five runs", () => {
  const runs = [
    { claimed: true, passed: true },
    { claimed: true, passed: true },
    { claimed: true, passed: false },
    { claimed: false, passed: true },
    { claimed: false, passed: false },
  ];
  const matrix = countAgreement(runs);
  assert.deepEqual(matrix, { truePositive: 2, falsePositive: 1, falseNegative: 1, trueNegative: 1 });
  const { accuracy, precision, recall, specificity, f1, kappa } = agreementOf(matrix);
  assert.deepEqual([accuracy, precision, recall, specificity, f1], [0.6, 2 / 3, 2 / 3, 0.5, 2 / 3]);
  // Chance agreement (3*3 + 2*2) / 25 = 0.52.
  near(kappa, (0.6 - 0.52) / 0.48);
});

test("measures without a denominator are undefined, each by itself", () => {
  const nothing = agreementOf(countAgreement([]));
  assert.deepEqual(Object.values(nothing), [0, undefined, undefined, undefined, undefined, undefined, undefined]);
  const silent = agreementOf({ truePositive: 0, falsePositive: 0, falseNegative: 3, trueNegative: 2 });
  assert.deepEqual([silent.precision, silent.recall, silent.f1, silent.kappa], [undefined, 0, 0, 0]);
  assert.equal(cohenKappa([]), undefined);
  assert.throws(() => cohenKappa([[1, 2]]), RangeError);
  assert.throws(() => cohenKappa([[-1]]), RangeError);
});
