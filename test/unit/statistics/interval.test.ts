import assert from "node:assert/strict";
import test from "node:test";
import { binomialProbability } from "../../../grader/statistics/binomial.ts";
import { rateOf } from "../../../grader/statistics/counts.ts";
import { clopperPearson, type Interval, wilson, wilsonCorrected } from "../../../grader/statistics/interval.ts";
import { seeded, simulate } from "./seeded.ts";

const percent = ({ low, high }: Interval) => [Math.round(low * 100), Math.round(high * 100)];

test("Wilson gives the published 95% intervals for a handful of runs", () => {
  const table = [
    [5, 5, 57, 100],
    [4, 5, 38, 96],
    [3, 5, 23, 88],
    [10, 10, 72, 100],
    [20, 20, 84, 100],
    [18, 20, 70, 97],
  ] as const;
  for (const [passed, runs, low, high] of table) assert.deepEqual(percent(wilson({ passed, runs })), [low, high]);
});

test("no runs say nothing: the interval is everything and there is no rate", () => {
  for (const interval of [wilson, wilsonCorrected, clopperPearson]) {
    assert.deepEqual(interval({ passed: 0, runs: 0 }), { low: 0, high: 1 });
  }
  assert.equal(rateOf({ passed: 0, runs: 0 }), undefined);
});

test("counts that cannot be are stopped", () => {
  for (const counts of [
    { passed: 6, runs: 5 },
    { passed: -1, runs: 5 },
    { passed: 1.5, runs: 5 },
    { passed: Number.NaN, runs: 5 },
  ]) {
    for (const interval of [wilson, wilsonCorrected, clopperPearson]) {
      assert.throws(() => interval(counts), /impossible/);
    }
  }
});

test("Clopper-Pearson's ends are where the binomial tails hold half of the error", () => {
  const upTo = (passed: number, runs: number, p: number) =>
    Array.from({ length: passed + 1 }, (_, x) => binomialProbability(x, runs, p)).reduce((a, b) => a + b, 0);
  for (const [passed, runs] of [
    [1, 5],
    [4, 5],
    [7, 10],
    [45, 50],
    [1, 200],
  ] as const) {
    const { low, high } = clopperPearson({ passed, runs });
    assert.ok(Math.abs(upTo(passed, runs, high) - 0.025) < 1e-12);
    assert.ok(Math.abs(1 - upTo(passed - 1, runs, low) - 0.025) < 1e-12);
  }
});

/** Coverage by enumeration: the probability of the outcomes whose interval holds the true rate. */
function exactCoverage(interval: (counts: { passed: number; runs: number }) => Interval, runs: number, rate: number) {
  let covered = 0;
  for (let passed = 0; passed <= runs; passed++) {
    const { low, high } = interval({ passed, runs });
    if (low <= rate && rate <= high) covered += binomialProbability(passed, runs, rate);
  }
  return covered;
}

test("10,000 simulated batches of five runs at 0.8 are covered as often as enumeration says", () => {
  const exact = exactCoverage(wilson, 5, 0.8);
  assert.ok(
    Math.abs(exact - 0.94208) < 1e-12,
    "two passes or more of five: 1 - 0.2^5 - 5 * 0.8 * 0.2^4 = 0.99328 - 0.0512",
  );
  const random = seeded(20_260_131);
  let covered = 0;
  for (let batch = 0; batch < 10_000; batch++) {
    const { low, high } = wilson({ passed: simulate(random, 5, 0.8), runs: 5 });
    if (low <= 0.8 && 0.8 <= high) covered++;
  }
  // Four standard errors of a share of 10,000: sqrt(0.942 * 0.058 / 10,000) = 0.0023.
  assert.ok(Math.abs(covered / 10_000 - exact) < 0.0094, `covered ${covered} of 10,000, expected ${exact}`);
});

test("Clopper-Pearson never covers less than its level, Wilson does so on average", () => {
  let wilsonSum = 0;
  let points = 0;
  for (const runs of [5, 10, 20]) {
    for (let rate = 0.02; rate < 1; rate += 0.02) {
      assert.ok(exactCoverage(clopperPearson, runs, rate) >= 0.95, `${runs} runs at ${rate}`);
      wilsonSum += exactCoverage(wilson, runs, rate);
      points++;
    }
  }
  assert.ok(Math.abs(wilsonSum / points - 0.95) < 0.01);
});
