import assert from "node:assert/strict";
import test from "node:test";
import { averageOverTasks } from "../../../grader/statistics/clustered.ts";
import { comparePairs, compareRates } from "../../../grader/statistics/comparison.ts";
import { decideGate, parseGate } from "../../../grader/statistics/gate.ts";
import { probability, range, share } from "../../../grader/statistics/numbers.ts";
import { DEFAULT_SPRT, runSprt } from "../../../grader/statistics/sprt.ts";
import {
  sayComparison,
  sayGate,
  sayOverTasks,
  sayPairedComparison,
  sayRate,
  sayRepeatability,
  sayResolution,
  saySprt,
  saySprtPlan,
  sayVisible,
} from "../../../grader/statistics/words.ts";

const of = (passed: number, runs: number) => ({ passed, runs });

test("a rate says its interval, and its denominator where runs are unknown", () => {
  assert.equal(sayRate({ passed: 4, failed: 1, unknown: 0 }), "4 of 5 passed: 80% (95% interval 38–96%)");
  assert.equal(
    sayRate({ passed: 2, failed: 4, unknown: 2 }),
    "2 of 8 passed, 4 failed, 2 unknown: 33% of the graded, 25–50% of all (95% interval 7–78%)",
  );
  assert.equal(sayRate({ passed: 0, failed: 0, unknown: 0 }), "no runs, so there is no pass rate");
  assert.match(sayRate({ passed: 0, failed: 0, unknown: 3 }), /^none of 3 runs could be graded/);
});

test("repeatability in one line, or why there is none", () => {
  assert.equal(sayRepeatability(of(4, 5), 3), "pass@3 1.00   pass^3 0.40");
  assert.equal(sayRepeatability(of(1, 2), 3), "pass@3 and pass^3 need 3 graded runs, there are 2");
});

test("what the runs cannot tell apart", () => {
  assert.equal(sayResolution(of(4, 5)), "5 runs cannot tell 80% from 95%");
  assert.equal(sayResolution(of(3, 5)), "5 runs cannot tell 60% from 85%");
  assert.equal(sayResolution(of(5, 5)), "5 runs cannot tell 100% from 60%");
  assert.equal(sayResolution(of(0, 5)), "5 runs cannot tell 0% from 40%");
  assert.equal(sayResolution(of(1, 1)), "1 run cannot tell 100% from 25%");
  assert.equal(sayResolution(of(18, 20)), "20 runs cannot tell 90% from 95%");
  assert.equal(sayResolution(of(950, 1000)), "1000 runs cannot tell 95% from 96%");
  assert.equal(sayResolution(of(0, 0)), "without graded runs nothing can be told apart");
});

test("a gate says by how much", () => {
  const say = (text: string, passed: number, failed: number, unknown = 0) => {
    const parsed = parseGate(text);
    assert.ok(parsed.ok);
    return sayGate(decideGate(parsed.gate, { passed, failed, unknown }));
  };
  assert.equal(say("all", 4, 1), 'gate "all": not met by 1 run');
  assert.equal(say("80%", 4, 1), 'gate "80%": met, 4 of 5 passed and 4 were needed');
  assert.equal(say("any", 1, 3, 1), 'gate "any": met, 1 of 5 passed and 1 was needed (1 run could not be graded)');
  assert.equal(say("4/5", 3, 1, 1), 'gate "4/5": undecided, 3 of 5 passed, 4 needed, and 1 run could not be graded');
  assert.equal(say("lower:60%", 5, 0), 'gate "lower:60%": not met, and 5 runs are too few to ever meet it');
  assert.equal(say("all", 0, 0), 'gate "all": undecided, because there are no runs');
});

test("the sequential test ends in a sentence", () => {
  const outcomes = Array.from({ length: 20 }, (_, run) => run % 4 !== 0);
  assert.equal(
    saySprt(DEFAULT_SPRT, runSprt(DEFAULT_SPRT, outcomes)),
    'undecided after 20 runs: 15 passed. Neither "90% or better" nor "50% or worse" is settled.',
  );
  assert.equal(
    saySprt(DEFAULT_SPRT, runSprt(DEFAULT_SPRT, new Array<boolean>(6).fill(true))),
    'sure after 6 runs: 6 passed, so "90% or better" rather than "50% or worse"',
  );
  assert.equal(
    saySprtPlan(DEFAULT_SPRT),
    '6 passes in a row settle "90% or better", 2 failures in a row "50% or worse"; at most 20 runs',
  );
});

test("a comparison says no evidence either way, or which is better", () => {
  assert.equal(
    sayComparison(compareRates(of(3, 5), of(4, 5)), ["A", "B"]),
    "no evidence either way: 3 of 5 against 4 of 5, difference −20 points (95% interval −60 to +31), Fisher p = 1.00, Barnard p = 0.66",
  );
  assert.match(
    sayComparison(compareRates(of(18, 20), of(5, 20)), ["A", "B"]),
    /^A is better than B: .*Fisher p < 0.001/,
  );
  assert.equal(sayComparison(compareRates(of(3, 5), of(0, 0)), ["A", "B"]), "nothing to compare: B has no graded run");
  assert.match(
    sayPairedComparison(comparePairs({ both: 3, onlyA: 0, onlyB: 6, neither: 1 }), ["old", "new"]),
    /^new is better than old: only old passed 0, only new 6, both 3, neither 1; .*McNemar p = 0.031$/,
  );
});

test("what a size can show, and averages over tasks", () => {
  assert.equal(sayVisible(5), "5 runs a side show a difference from 5/5 against 1/5 on");
  assert.equal(sayVisible(3), "3 runs a side cannot show any difference, not even 3/3 against 0/3");
  assert.equal(sayVisible(0), "without runs nothing can be compared");
  assert.match(sayOverTasks(averageOverTasks([1, 0.5, 0.5]) ?? assert.fail()), /^67% over 3 tasks \(95% interval/);
  assert.match(sayOverTasks(averageOverTasks([1, undefined]) ?? assert.fail()), /no interval\); 1 left out/);
});

test("rounding never claims a certainty that is not there", () => {
  const table = [
    [0, "0%"],
    [1, "100%"],
    [0.9996, "99.96%"],
    [0.004, "0.4%"],
    [0.9999999, "over 99.999%"],
    [1e-9, "under 0.001%"],
    [0.376, "38%"],
  ] as const;
  for (const [value, text] of table) assert.equal(share(value), text);
  assert.equal(range({ low: 0.9, high: 0.9999999 }), "90% to over 99.999%");
  assert.equal(probability(0.6648), "= 0.66");
  assert.equal(probability(0.0139), "= 0.014");
  assert.equal(probability(1e-9), "< 0.001");
});
