import assert from "node:assert/strict";
import test from "node:test";
import { betaQuantile, logGamma, regularisedBeta } from "../../../grader/statistics/beta.ts";
import { binomialProbability, choose, chooseRow } from "../../../grader/statistics/binomial.ts";
import { fraction, logOf, toNumber } from "../../../grader/statistics/fraction.ts";
import { normalMultiplier, normalQuantile, studentMultiplier } from "../../../grader/statistics/normal.ts";

// Reference values: scipy 1.17.1 (special.ndtri, betaincinv, betainc, gammaln; stats.t, stats.binom).

function near(got: number, want: number, relative = 1e-12): void {
  assert.ok(Math.abs(got - want) <= relative * Math.max(Math.abs(want), 1e-300), `got ${got}, want ${want}`);
}

test("normal quantiles reach far into both tails", () => {
  const table: readonly [number, number][] = [
    [1e-300, -37.0470962993612],
    [1e-20, -9.262340089798409],
    [1e-8, -5.612001244174789],
    [1e-3, -3.090232306167813],
    [0.02425, -1.972961051311885],
    [0.075, -1.4395314709384563],
    [0.3, -0.5244005127080409],
    [0.6, 0.2533471031357997],
    [0.975, 1.959963984540054],
    [0.9999, 3.719016485455709],
  ];
  for (const [probability, want] of table) near(normalQuantile(probability), want, 2e-15);
  assert.equal(normalQuantile(0.5), 0);
  near(normalMultiplier(0.95), 1.959963984540054, 2e-15);
});

test("Student multipliers go from Cauchy to normal", () => {
  const table: readonly [number, number, number][] = [
    [0.95, 1, 12.706204736174694],
    [0.95, 2, 4.302652729749462],
    [0.95, 4, 2.7764451051977934],
    [0.95, 30, 2.0422724563012378],
    [0.95, 1000, 1.9623390808264083],
    [0.99, 4, 4.604094871349992],
    [0.5, 3, 0.7648923284043444],
  ];
  for (const [level, degrees, want] of table) near(studentMultiplier(level, degrees), want, 1e-11);
});

test("beta quantiles and their distribution function agree with scipy, also for large and lopsided parameters", () => {
  const quantiles: readonly [number, number, number, number][] = [
    [0.025, 1, 1_000_000, 2.5317807663794178e-8],
    [0.025, 950, 51, 0.9346095120845064],
    [0.5, 0.5, 0.5, 0.5],
    [0.001, 2, 3, 0.013022947370814273],
    [0.3, 5000, 5000, 0.4973779499129741],
    [1e-10, 3, 4, 0.0001710195302398643],
    [0.05, 0.5, 20, 9.953491192326218e-5],
  ];
  for (const [probability, a, b, want] of quantiles) near(betaQuantile(probability, a, b), want);
  near(regularisedBeta(0.3, 2, 5), 0.579825);
  near(regularisedBeta(0.99, 100, 1), 0.99 ** 100);
  near(regularisedBeta(0.7, 1000, 500), 0.9973047634226494);
  assert.equal(regularisedBeta(0, 2, 5), 0);
  assert.equal(regularisedBeta(1, 2, 5), 1);
});

test("log gamma agrees with scipy and with factorials", () => {
  const table = [
    [0.001, 6.907178885383853],
    [0.5, 0.5723649429247],
    [10, Math.log(362_880)],
    [100.5, 361.43554046777757],
    [1e6, 12_815_504.569147611],
  ] as const;
  for (const [x, want] of table) near(logGamma(x), want, 1e-13);
  assert.ok(Math.abs(logGamma(1)) < 1e-14);
  for (const x of [0, -1, Number.NaN]) assert.throws(() => logGamma(x), RangeError);
});

test("binomial probabilities hold for few runs and for a million", () => {
  near(binomialProbability(4, 5, 0.8), 0.4096, 1e-15);
  near(binomialProbability(950, 1000, 0.94), 0.022643092432152158, 1e-11);
  near(binomialProbability(500_000, 1_000_000, 0.5), 0.0007978843613317499, 1e-8);
  assert.equal(binomialProbability(0, 5, 0), 1);
  assert.equal(binomialProbability(5, 5, 1), 1);
  assert.equal(binomialProbability(6, 5, 0.5), 0);
  assert.equal(binomialProbability(-1, 5, 0.5), 0);
});

test("binomial coefficients are exact beyond doubles", () => {
  assert.equal(choose(52, 5), 2_598_960n);
  assert.equal(choose(100, 50), 100_891_344_545_564_193_334_812_497_256n);
  assert.equal(choose(5, 6), 0n);
  assert.equal(choose(5, -1), 0n);
  assert.deepEqual(chooseRow(5), [1n, 5n, 10n, 10n, 5n, 1n]);
});

test("fractions are reduced and rounded once, however large their parts", () => {
  assert.deepEqual(fraction(6n, -4n), { numerator: -3n, denominator: 2n });
  assert.equal(toNumber(fraction(1n, 3n)), 1 / 3);
  assert.equal(toNumber(fraction(-2n, 3n)), -2 / 3);
  assert.equal(toNumber(fraction(0n, 7n)), 0);
  assert.equal(toNumber(fraction(10n ** 400n, 3n * 10n ** 400n)), 1 / 3);
  assert.equal(toNumber(fraction(1n, 2n ** 1000n)), 2 ** -1000);
  // 2^53 + 1 over 2^53 lies half way between two doubles and goes to the even one; a little more goes up.
  assert.equal(toNumber(fraction(2n ** 53n + 1n, 2n ** 53n)), 1);
  assert.equal(toNumber(fraction(2n ** 80n + 2n ** 27n + 1n, 2n ** 80n)), 1 + 2 ** -52);
  assert.throws(() => fraction(1n, 0n), RangeError);
  near(logOf(10n ** 1000n), 1000 * Math.LN10, 1e-15);
});

test("levels and probabilities outside 0..1 are refused, not answered with NaN", () => {
  for (const bad of [0, 1, -0.1, 95, Number.NaN]) {
    assert.throws(() => normalMultiplier(bad), RangeError);
    assert.throws(() => normalQuantile(bad), RangeError);
    assert.throws(() => betaQuantile(bad, 1, 1), RangeError);
  }
  assert.throws(() => studentMultiplier(0.95, 0), RangeError);
});
