import assert from "node:assert/strict";
import test from "node:test";
import {
  DEFAULT_SPRT,
  planSprt,
  runSprt,
  type SprtPlan,
  sprtShortest,
  sprtThreshold,
  startSprt,
  stepSprt,
} from "../../../grader/statistics/sprt.ts";
import { sprtCharacteristics } from "../../../grader/statistics/sprt-characteristics.ts";
import { seeded } from "./seeded.ts";

const ENDLESS = { ...DEFAULT_SPRT, maximum: Number.POSITIVE_INFINITY };
const WIDE: SprtPlan = { p0: 0.6, p1: 0.9, alpha: 0.05, beta: 0.05, maximum: 20 };
const times = (count: number, didPass: boolean) => new Array<boolean>(count).fill(didPass);

test("six passes accept, two failures reject, and the fifth pass is not enough", () => {
  assert.equal(runSprt(DEFAULT_SPRT, times(5, true)).decision, "continue");
  assert.equal(runSprt(DEFAULT_SPRT, times(6, true)).decision, "accept");
  assert.equal(runSprt(DEFAULT_SPRT, times(1, false)).decision, "continue");
  assert.equal(runSprt(DEFAULT_SPRT, times(2, false)).decision, "reject");
});

test("a decision stands: later runs change nothing", () => {
  const decided = runSprt(DEFAULT_SPRT, times(2, false));
  assert.equal(stepSprt(DEFAULT_SPRT, decided, true), decided);
  assert.deepEqual(runSprt(DEFAULT_SPRT, [false, false, ...times(50, true)]), decided);
});

test("the maximum ends the test undecided, unless the last run settles it", () => {
  const mixed = Array.from({ length: 30 }, (_, run) => run % 4 !== 0);
  const ended = runSprt(DEFAULT_SPRT, mixed);
  assert.equal(ended.decision, "undecided");
  assert.equal(ended.passed + ended.failed, 20);
  assert.equal(runSprt({ ...DEFAULT_SPRT, maximum: 6 }, times(6, true)).decision, "accept");
  assert.equal(runSprt({ ...DEFAULT_SPRT, maximum: 5 }, times(6, true)).decision, "undecided");
});

test("a bound that is reached exactly counts, whatever the rounding", () => {
  const exact: SprtPlan = { p0: 0.05, p1: 0.95, alpha: 0.05, beta: 0.05, maximum: 20 };
  assert.equal(stepSprt(exact, startSprt(), true).decision, "accept");
  assert.equal(stepSprt(exact, startSprt(), false).decision, "reject");
});

test("with 0.6 against 0.9 eight passes accept and three failures reject, so five runs can only reject", () => {
  assert.deepEqual(sprtShortest(WIDE), { passesToAccept: 8, failuresToReject: 3 });
  // Two of five: 2 * log(0.9/0.6) + 3 * log(0.1/0.4) = 0.811 - 4.159 = -3.348, below -2.944; three of five: -1.556.
  assert.deepEqual(sprtThreshold(WIDE, 5), { runs: 5, acceptFrom: undefined, rejectUpTo: 2 });
});

test("with at most 20 runs the mean numbers of runs are the published ones", () => {
  const mean = (p: number) => sprtCharacteristics(WIDE, p).expectedTrials.toFixed(1);
  assert.deepEqual([1, 0.95, 0.6, 0.3].map(mean), ["8.0", "10.0", "10.0", "4.5"]);
  assert.equal(Math.round(sprtCharacteristics(WIDE, 0.8).undecidedProbability * 100), 38);
});

test("the exact probabilities add up to one, also where few tests end", () => {
  for (const p of [0, 0.1, 0.5, 0.7, 0.75, 0.9, 1]) {
    for (const plan of [DEFAULT_SPRT, ENDLESS, WIDE, { ...WIDE, maximum: 1 }]) {
      const { acceptProbability, rejectProbability, undecidedProbability } = sprtCharacteristics(plan, p);
      assert.ok(Math.abs(acceptProbability + rejectProbability + undecidedProbability - 1) < 1e-12);
    }
  }
});

test("20,000 simulated tests agree with the exact error rates and mean trials", () => {
  const random = seeded(1945);
  for (const p of [0.5, 0.75, 0.9]) {
    let accepted = 0;
    let trials = 0;
    for (let batch = 0; batch < 20_000; batch++) {
      let state = startSprt();
      while (state.decision === "continue") state = stepSprt(ENDLESS, state, random() < p);
      accepted += state.decision === "accept" ? 1 : 0;
      trials += state.passed + state.failed;
    }
    const exact = sprtCharacteristics(ENDLESS, p);
    // Four standard errors; the number of trials has a standard deviation below 12.
    const share = exact.acceptProbability;
    assert.ok(Math.abs(accepted / 20_000 - share) < 4 * Math.sqrt((share * (1 - share)) / 20_000), `accepts at ${p}`);
    assert.ok(Math.abs(trials / 20_000 - exact.expectedTrials) < (4 * 12) / Math.sqrt(20_000), `trials at ${p}`);
  }
});

test("both real error rates stay below the five percent asked for", () => {
  const falseAccept = sprtCharacteristics(ENDLESS, 0.5).acceptProbability;
  const falseReject = sprtCharacteristics(ENDLESS, 0.9).rejectProbability;
  assert.equal((falseAccept * 100).toFixed(1), "3.4");
  assert.equal((falseReject * 100).toFixed(1), "3.0");
});

test("a plan that cannot be is refused in words", () => {
  assert.deepEqual(planSprt(), { ok: true, plan: DEFAULT_SPRT });
  const bad: readonly (readonly [Partial<SprtPlan>, RegExp])[] = [
    [{ p0: 0.9, p1: 0.5 }, /p1 \(0.5\) must be above p0 \(0.9\)/],
    [{ p0: 0.9 }, /above/],
    [{ p0: 0 }, /p0 must lie/],
    [{ p1: 1 }, /p1 must lie/],
    [{ alpha: 0.5 }, /alpha/],
    [{ beta: Number.NaN }, /beta/],
    [{ maximum: 0 }, /maximum/],
    [{ maximum: 2.5 }, /maximum/],
  ];
  for (const [wanted, why] of bad) {
    const planned = planSprt(wanted);
    assert.ok(!planned.ok && why.test(planned.why), JSON.stringify(planned));
  }
  assert.throws(() => sprtCharacteristics(DEFAULT_SPRT, 1.1), RangeError);
});
