import assert from "node:assert/strict";
import test from "node:test";
import { compareByTask, signFlipTest, type TaskPair } from "../../../grader/trials/compare-by-task.ts";

function pairs(...counts: readonly (readonly [number, number, number, number])[]): readonly TaskPair[] {
  return counts.map(([passedA, runsA, passedB, runsB], at) => ({
    task: `t${at}`,
    a: { passed: passedA, runs: runsA },
    b: { passed: passedB, runs: runsB },
  }));
}

/** By definition: every way of swapping the sides of tasks, in whole numbers. */
function bySwapping(differences: readonly number[]): number {
  const seen = Math.abs(differences.reduce((sum, value) => sum + value, 0));
  let extreme = 0;
  for (let ways = 0; ways < 2 ** differences.length; ways++) {
    const sum = differences.reduce((total, value, at) => total + ((ways >> at) & 1 ? value : -value), 0);
    if (Math.abs(sum) >= seen) extreme++;
  }
  return extreme / 2 ** differences.length;
}

test("the sign-flip test agrees with going through every swap", () => {
  const tables = [
    pairs([4, 4, 1, 4], [3, 4, 3, 4], [2, 4, 0, 4], [4, 4, 2, 4], [1, 4, 2, 4]),
    pairs([1, 2, 0, 3], [2, 2, 1, 3], [0, 2, 2, 3]),
    pairs([1, 1, 0, 1], [1, 1, 0, 1], [0, 1, 1, 1], [1, 1, 0, 1]),
  ];
  for (const table of tables) {
    const whole = table.map(({ a, b }) => Math.round((a.passed / a.runs - b.passed / b.runs) * 12));
    assert.equal(signFlipTest(table), bySwapping(whole));
  }
});

test("worked by hand: three tasks with differences 3/4, 1/2 and 0", () => {
  const compared = compareByTask(pairs([4, 4, 1, 4], [3, 4, 1, 4], [2, 4, 2, 4]));
  // Sums of +-3 and +-2 quarters: 5, 1, -1, -5. Two of four are as far from 0 as 5.
  assert.equal(compared.p, 0.5);
  assert.deepEqual([compared.test, compared.a_better, compared.b_better, compared.equal], ["sign-flip", 2, 0, 1]);
  // Mean 5/12. Deviations 4/12, 1/12, -5/12: squares sum to 42/144, variance of the mean 42/144/2/3 = 7/144, standard
  // error 0.2205; t(2) at 97.5 % is 4.3027, so half the interval is 0.9486.
  const { estimate = 0, low = 0, high = 0 } = compared.difference ?? {};
  assert.ok(Math.abs(estimate - 5 / 12) < 1e-12);
  assert.ok(Math.abs(low - (5 / 12 - 0.9486)) < 1e-3, `${low}`);
  assert.equal(high, 1);
});

test("too many flips to count out are left to the sign test", () => {
  const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
  const compared = compareByTask(pairs(...primes.map((runs) => [runs, runs, 1, runs] as const)));
  assert.equal(compared.test, "sign");
  assert.equal(compared.p, 2 / 2 ** 12);
});

test("no shared task gives no difference and no evidence", () => {
  const compared = compareByTask([]);
  assert.deepEqual([compared.difference, compared.p, compared.evidence], [null, 1, "none"]);
});
