import assert from "node:assert/strict";
import test from "node:test";
import { batchLines } from "../../../grader/report/batch-lines.ts";
import { paintFor } from "../../../grader/report/paint.ts";
import { DEFAULT_SPRT } from "../../../grader/statistics/sprt.ts";
import { amountOf, exactAmountOf } from "../../../grader/trials/amounts.ts";
import { attemptsOf } from "../../../grader/trials/compare-attempt.ts";
import { compareShifts, decidingShift } from "../../../grader/trials/compare-shift.ts";
import { measuresOfRun } from "../../../grader/trials/measures-group.ts";
import { summarise } from "../../../grader/trials/summarise.ts";
import type { Trial } from "../../../grader/trials/trial.ts";
import { batchOf, factsOf, trialOf, trialsOf } from "../../support/batches.ts";
import { trialOf as graded } from "../../support/trials.ts";

const text = (document: ReturnType<typeof batchOf>, detail: 0 | 1 | 2 = 1): string =>
  batchLines(document, paintFor(false), detail).join("\n");
const attempts = (trials: readonly Trial[]) => attemptsOf(trials, "s");

test("a run's time is the wall time of its command in its batch and in a comparison alike", () => {
  const [a, b] = [
    [1, 2, 3],
    [4, 5, 6],
  ].map((indices) => indices.map((at) => trialOf(at, "pass", { ms: at * 100 })));
  const shift = decidingShift(compareShifts(attempts(a ?? []), attempts(b ?? [])), "duration");
  assert.deepEqual([shift?.a?.median, shift?.b?.median, shift?.shift?.estimate], [200, 500, -300]);
  const [summed] = summarise(factsOf(a ?? [])).groups;
  assert.equal(summed?.duration?.median, 200);
});

test("where one run has no wall time, all are compared by what their events span", () => {
  const timed = trialOf(1, "pass", { ms: 60_000 });
  const untimed = graded({ verdict: "pass", result: { duration_ms: 250 } });
  assert.deepEqual([amountOf(timed, "duration"), amountOf(untimed, "duration")], [60_000, 250]);
  const shift = decidingShift(compareShifts(attempts([timed]), attempts([untimed])), "duration");
  assert.deepEqual([shift?.a?.median, shift?.b?.median], [timed.results[0]?.duration_ms, 250]);
});

test("a lower bound is in the total, which says so, and in no median and no comparison", () => {
  const at = (index: number, cost_usd: number, atLeast = false) =>
    trialOf(index, "pass", { used: { cost_usd, ...(atLeast ? { at_least: ["cost"] as const } : {}) } });
  const trials = [at(1, 1), at(2, 3), at(3, 100, true)];
  const cost = summarise(factsOf(trials)).groups[0]?.cost;
  assert.deepEqual([cost?.median, cost?.counted, cost?.total, cost?.at_least], [2, 2, 104, true]);
  assert.deepEqual(
    trials.map((trial) => exactAmountOf(trial, "cost")),
    [1, 3, undefined],
  );
  const shift = decidingShift(compareShifts(attempts(trials), attempts(trials)), "cost");
  assert.deepEqual(shift?.a, { median: 2, counted: 2 });
});

test("measures of effort stand beside their counterparts; what was not counted is told only on request", () => {
  const measures = { steps: 12, verification_action_rate: 0.25, backtracks: 2, safety_violations: 0 };
  const both = summarise(factsOf(trialsOf("PPF", { measures })));
  assert.match(text(both), /^actions of the agent 12 \(median of 3 runs\); actions that check something 25% \(median/m);
  assert.doesNotMatch(text(both), /forbidden things done|markers gone back to/, "nothing forbidden was done");
  assert.match(text(both, 2), /^time 1 s \(median of 3 runs\); forbidden things done 0 \(median of 3 runs\)$/m);
  assert.match(text(both, 2), /^markers gone back to 2 \(median of 3 runs\)$/m);
  const effort = summarise(factsOf(trialsOf("PPF", { measures: { steps: 12 } })));
  assert.doesNotMatch(text(effort), /actions/);
  assert.match(text(effort, 2), /^actions of the agent 12 .*; actions that check something: not counted$/m);
  assert.deepEqual(measuresOfRun(trialOf(1, "pass", { measures })), [
    "actions of the agent 12; actions that check something 25%",
    "markers gone back to 2",
    "forbidden things done 0",
  ]);
});

test("nobody is told to try --until-sure who just did", () => {
  assert.match(text(batchOf("PPPPF")), /try --until-sure/);
  assert.doesNotMatch(text(batchOf("PPPPF", { sprt: DEFAULT_SPRT })), /try --until-sure/);
});

test("a run that is inconclusive without having failed itself says why", () => {
  const trial = trialOf(1, "inconclusive");
  const results = trial.results.map((result) => ({ ...result, reason: "the capture is cut" }));
  const cut = summarise(factsOf([{ ...trial, results }, trialOf(2, "pass")]));
  assert.match(text(cut), /^inconclusive: the capture is cut in run 1$/m);
});
