import assert from "node:assert/strict";
import test from "node:test";
import { barnardExact } from "../../../grader/statistics/barnard.ts";
import { binomialProbability } from "../../../grader/statistics/binomial.ts";
import { comparePairs, compareRates } from "../../../grader/statistics/comparison.ts";
import { newcombe, newcombePaired } from "../../../grader/statistics/difference.ts";
import { fisherExact } from "../../../grader/statistics/fisher.ts";
import { mcnemarExact } from "../../../grader/statistics/mcnemar.ts";

const of = (passed: number, runs: number) => ({ passed, runs });

test("Fisher's p agrees with scipy, in small and large tables", () => {
  const table: readonly [number, number, number, number, number][] = [
    [47, 50, 41, 50, 0.12124495753823494],
    [120, 150, 99, 140, 0.07606175038270069],
    [0, 8, 3, 9, 0.20588235294117646],
    [700, 1000, 650, 1000, 0.019284321614513614],
    [3, 3, 0, 3, 0.1],
    [17, 30, 4, 12, 0.30576379199510595],
  ];
  for (const [a, n, b, m, want] of table) {
    assert.ok(Math.abs(fisherExact(of(a, n), of(b, m)) - want) < 1e-12 * want + 1e-13);
  }
});

/** Barnard's p straight from its definition, with a tolerance for ties instead of whole numbers. */
function barnardByEnumeration(a: { passed: number; runs: number }, b: { passed: number; runs: number }): number {
  const statistic = (x: number, y: number) => {
    const pooled = (x + y) / (a.runs + b.runs);
    const spread = Math.sqrt(pooled * (1 - pooled) * (1 / a.runs + 1 / b.runs));
    return spread === 0 ? 0 : Math.abs(x / a.runs - y / b.runs) / spread;
  };
  const seen = statistic(a.passed, b.passed) * (1 - 1e-9);
  let largest = 0;
  for (let step = 0; step <= 2000; step++) {
    let p = 0;
    for (let x = 0; x <= a.runs; x++) {
      for (let y = 0; y <= b.runs; y++) {
        if (statistic(x, y) < seen) continue;
        p += binomialProbability(x, a.runs, step / 2000) * binomialProbability(y, b.runs, step / 2000);
      }
    }
    largest = Math.max(largest, p);
  }
  return largest;
}

test("Barnard's p is the enumerated supremum, unequal sides included", () => {
  for (const [a, n, b, m] of [
    [1, 5, 5, 5],
    [2, 4, 5, 7],
    [0, 3, 2, 8],
    [6, 6, 3, 5],
    [7, 9, 2, 6],
  ] as const) {
    const got = barnardExact(of(a, n), of(b, m));
    const coarse = barnardByEnumeration(of(a, n), of(b, m));
    assert.ok(got >= coarse - 1e-12 && got - coarse < 1e-5, `${a}/${n} against ${b}/${m}: ${got} and ${coarse}`);
  }
});

test("Newcombe's published examples come out, independent and paired", () => {
  const independent = newcombe(of(56, 70), of(48, 80));
  assert.equal(independent.low.toFixed(4), "0.0524");
  assert.equal(independent.high.toFixed(4), "0.3339");
  const paired = newcombePaired({ both: 36, onlyA: 12, onlyB: 2, neither: 0 });
  assert.equal(paired.low.toFixed(4), "0.0569");
  assert.equal(paired.high.toFixed(4), "0.3404");
});

test("a paired interval without pairs, and one with all pairs alike, have values", () => {
  assert.deepEqual(newcombePaired({ both: 0, onlyA: 0, onlyB: 0, neither: 0 }), {
    estimate: undefined,
    low: -1,
    high: 1,
  });
  const alike = newcombePaired({ both: 5, onlyA: 0, onlyB: 0, neither: 0 });
  assert.equal(alike.estimate, 0);
  assert.ok(alike.low < -0.3 && alike.high > 0.3, "five equal pairs are no proof of equality");
});

test("a side without runs is no evidence, whatever the other side did", () => {
  const nothing = compareRates(of(5, 5), of(0, 0));
  assert.equal(nothing.fisher, 1);
  assert.equal(nothing.barnard, 1);
  assert.deepEqual(nothing.difference, { estimate: undefined, low: -1, high: 1 });
  assert.equal(nothing.evidence, "none");
});

test("equal rates are never evidence, and swapping the sides swaps the answer", () => {
  assert.equal(barnardExact(of(2, 4), of(5, 10)), 1);
  assert.equal(compareRates(of(5, 5), of(1, 5)).evidence, "a_better");
  assert.equal(compareRates(of(1, 5), of(5, 5)).evidence, "b_better");
  assert.equal(compareRates(of(5, 5), of(2, 5)).evidence, "none");
});

test("above a thousand runs Barnard is left out, and Fisher still decides", () => {
  const comparison = compareRates(of(700, 1000), of(650, 1000));
  assert.equal(comparison.barnard, undefined);
  assert.equal(comparison.evidence, "a_better");
});

test("pairs that agree say nothing; six flips one way do", () => {
  assert.equal(mcnemarExact({ onlyA: 0, onlyB: 0 }), 1);
  assert.equal(mcnemarExact({ onlyA: 6, onlyB: 0 }), 2 / 64);
  assert.equal(comparePairs({ both: 100, onlyA: 5, onlyB: 0, neither: 100 }).evidence, "none");
  assert.equal(comparePairs({ both: 0, onlyA: 0, onlyB: 6, neither: 0 }).evidence, "b_better");
  assert.throws(() => mcnemarExact({ onlyA: -1, onlyB: 0 }), RangeError);
});
