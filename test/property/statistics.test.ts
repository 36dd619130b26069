import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { barnardExact } from "../../grader/statistics/barnard.ts";
import type { Counts } from "../../grader/statistics/counts.ts";
import { newcombe, newcombePaired } from "../../grader/statistics/difference.ts";
import { fisherExact } from "../../grader/statistics/fisher.ts";
import { clopperPearson, wilson, wilsonCorrected } from "../../grader/statistics/interval.ts";
import { mcnemarExact } from "../../grader/statistics/mcnemar.ts";
import { passAtK, passHatK } from "../../grader/statistics/repeatability.ts";

const INTERVALS = { wilson, wilsonCorrected, clopperPearson };
const ROUNDING = 1e-12;

const counts = (most: number): fc.Arbitrary<Counts> =>
  fc
    .tuple(fc.nat({ max: most }), fc.nat({ max: most }))
    .map(([a, b]) => ({ passed: Math.min(a, b), runs: Math.max(a, b) }));
const level = fc.constantFrom(0.5, 0.8, 0.9, 0.95, 0.99, 0.999);
const swapped = ({ passed, runs }: Counts): Counts => ({ passed: runs - passed, runs });
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) <= ROUNDING, `${a} and ${b}`);

test("an interval stays in 0..1, contains the rate and mirrors when passes and failures swap", () => {
  fc.assert(
    fc.property(counts(3000), level, (seen, at) => {
      for (const interval of Object.values(INTERVALS)) {
        const { low, high } = interval(seen, at);
        assert.ok(low >= 0 && low <= high && high <= 1);
        if (seen.runs > 0) assert.ok(low <= seen.passed / seen.runs && seen.passed / seen.runs <= high);
        const mirror = interval(swapped(seen), at);
        near(mirror.low, 1 - high);
        near(mirror.high, 1 - low);
      }
    }),
  );
});

test("one more pass never lowers an end, and a higher level never narrows", () => {
  fc.assert(
    fc.property(counts(500), ({ passed, runs }) => {
      for (const interval of Object.values(INTERVALS)) {
        const { low, high } = interval({ passed, runs });
        const wider = interval({ passed, runs }, 0.99);
        assert.ok(wider.low <= low + ROUNDING && wider.high >= high - ROUNDING);
        if (passed === runs) continue;
        const more = interval({ passed: passed + 1, runs });
        assert.ok(more.low >= low - ROUNDING && more.high >= high - ROUNDING);
      }
    }),
  );
});

test("pass^k <= rate <= pass@k, both equal it at k = 1, and they move apart as k grows", () => {
  fc.assert(
    fc.property(
      counts(60).filter(({ runs }) => runs > 0),
      (seen) => {
        let [some, every] = [0, 1];
        for (let k = 1; k <= seen.runs; k++) {
          const [at, hat] = [passAtK(seen, k) ?? Number.NaN, passHatK(seen, k) ?? Number.NaN];
          if (k === 1) assert.deepEqual([at, hat], [seen.passed / seen.runs, seen.passed / seen.runs]);
          assert.ok(at >= some && hat <= every && at <= 1 && hat >= 0);
          [some, every] = [at, hat];
        }
        assert.equal(passAtK(seen, seen.runs + 1), undefined);
      },
    ),
  );
});

/** C(part, k) / C(whole, k) by listing every subset: the definition behind pass^k. */
function shareOfSubsets(passes: readonly boolean[], k: number, fits: (chosen: readonly boolean[]) => boolean): number {
  let [all, good] = [0, 0];
  for (let mask = 0; mask < 2 ** passes.length; mask++) {
    const chosen = passes.filter((_, index) => ((mask >> index) & 1) === 1);
    if (chosen.length !== k) continue;
    all++;
    if (fits(chosen)) good++;
  }
  return good / all;
}

test("pass@k and pass^k are the shares of all subsets of k runs", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }), fc.nat(8), (passes, which) => {
      const k = 1 + (which % passes.length);
      const seen = { passed: passes.filter((passed) => passed).length, runs: passes.length };
      near(
        passAtK(seen, k) ?? Number.NaN,
        shareOfSubsets(passes, k, (chosen) => chosen.some((passed) => passed)),
      );
      near(
        passHatK(seen, k) ?? Number.NaN,
        shareOfSubsets(passes, k, (chosen) => chosen.every((passed) => passed)),
      );
    }),
  );
});

test("exact tests give a p in 0..1 that is the same from either side and for failures instead of passes", () => {
  fc.assert(
    fc.property(counts(60), counts(60), (a, b) => {
      const p = fisherExact(a, b);
      assert.ok(p > 0 && p <= 1);
      assert.equal(fisherExact(b, a), p);
      assert.equal(fisherExact(swapped(a), swapped(b)), p);
    }),
  );
  fc.assert(
    fc.property(counts(8), counts(8), (a, b) => {
      const p = barnardExact(a, b);
      assert.ok(p > 0 && p <= 1);
      near(barnardExact(b, a), p);
      near(barnardExact(swapped(a), swapped(b)), p);
    }),
    { numRuns: 25 },
  );
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), (onlyA, onlyB) => {
      const p = mcnemarExact({ onlyA, onlyB });
      assert.ok(p > 0 && p <= 1);
      assert.equal(mcnemarExact({ onlyA: onlyB, onlyB: onlyA }), p);
    }),
  );
});

test("the interval of a difference contains it, stays in -1..1 and turns around with the sides", () => {
  fc.assert(
    fc.property(counts(200), counts(200), (a, b) => {
      const { estimate, low, high } = newcombe(a, b);
      assert.ok(low >= -1 && high <= 1 && low <= high);
      const other = newcombe(b, a);
      near(other.low, -high);
      if (estimate !== undefined) assert.ok(low <= estimate && estimate <= high);
    }),
  );
  const cell = fc.nat(50);
  fc.assert(
    fc.property(cell, cell, cell, cell, (both, onlyA, onlyB, neither) => {
      const { estimate, low, high } = newcombePaired({ both, onlyA, onlyB, neither });
      assert.ok(low >= -1 && high <= 1);
      if (estimate !== undefined) assert.ok(low <= estimate && estimate <= high);
      near(newcombePaired({ both, onlyA: onlyB, onlyB: onlyA, neither }).low, -high);
    }),
  );
});
