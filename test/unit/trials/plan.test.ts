import assert from "node:assert/strict";
import test from "node:test";
import { DEFAULT_SPRT } from "../../../grader/statistics/sprt.ts";
import { sprtCharacteristics } from "../../../grader/statistics/sprt-characteristics.ts";
import { type Cell, type Design, nextRun, plannedRuns, type Started } from "../../../grader/trials/plan.ts";
import { seeded } from "../statistics/seeded.ts";

const cell = (variant: string, task?: string): Cell => ({
  variant,
  ...(task === undefined ? {} : { task }),
  command: [variant],
  env: {},
  params: new Map(),
});

/** Makes all runs of a design, each ended before the next one starts; `passed` says how they end. */
function runAll(design: Design, passed: (started: readonly Started[]) => boolean | undefined): readonly Started[] {
  const started: Started[] = [];
  for (let planned = nextRun(design, started); planned !== undefined; planned = nextRun(design, started)) {
    started.push({ planned, passed: [passed(started)] });
  }
  return started;
}

test("variants take turns within each task, and every run has its own number", () => {
  const cells = [cell("A", "t1"), cell("B", "t1"), cell("A", "t2"), cell("B", "t2")];
  const design: Design = { kind: "fixed", cells, runs: 2 };
  const order = runAll(design, () => true).map(({ planned }) => `${planned.cell.variant}${planned.cell.task}`);
  assert.deepEqual(order, ["At1", "Bt1", "At2", "Bt2", "At1", "Bt1", "At2", "Bt2"]);
  const runs = runAll(design, () => true).map(({ planned }) => [planned.index, planned.round]);
  assert.deepEqual(runs, [
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 1],
    [5, 2],
    [6, 2],
    [7, 2],
    [8, 2],
  ]);
  assert.equal(plannedRuns(design), 8);
});

test("until sure: six passes or two failures in a row end it, and a cell that is settled is left alone", () => {
  const one: Design = { kind: "sequential", cells: [cell("A")], sprt: DEFAULT_SPRT };
  assert.equal(runAll(one, () => true).length, 6);
  assert.equal(runAll(one, () => false).length, 2);
  const two: Design = { kind: "sequential", cells: [cell("bad"), cell("good")], sprt: DEFAULT_SPRT };
  const started: Started[] = [];
  for (let planned = nextRun(two, started); planned !== undefined; planned = nextRun(two, started)) {
    started.push({ planned, passed: [planned.cell.variant === "good"] });
  }
  const variants = started.map(({ planned }) => planned.cell.variant);
  assert.deepEqual(variants, ["bad", "good", "bad", "good", "good", "good", "good", "good"]);
});

test("until sure: errors are no observations, but no batch goes on for ever", () => {
  const design: Design = { kind: "sequential", cells: [cell("A")], sprt: DEFAULT_SPRT };
  assert.equal(runAll(design, () => undefined).length, 20);
  assert.equal(runAll(design, (started) => (started.length % 2 === 0 ? undefined : true)).length, 12);
});

test("until sure: a run under way holds back what was started after it, and several scenarios have all to be settled", () => {
  const design: Design = { kind: "sequential", cells: [cell("A")], sprt: DEFAULT_SPRT };
  const planned = { cell: design.cells[0] ?? cell("A"), index: 1, round: 1 };
  const failed: Started = { planned, passed: [false] };
  assert.notEqual(nextRun(design, [{ planned }, failed, failed]), undefined);
  assert.equal(nextRun(design, [failed, failed, { planned }]), undefined);
  const both = (a: boolean, b: boolean): Started => ({ planned, passed: [a, b] });
  assert.notEqual(nextRun(design, [both(false, true), both(false, true)]), undefined);
  assert.equal(
    nextRun(
      design,
      Array.from({ length: 6 }, () => both(false, true)),
    ),
    undefined,
  );
});

test("10,000 simulated batches until sure: error rates and mean numbers of runs are the exact ones", () => {
  const design: Design = { kind: "sequential", cells: [cell("A")], sprt: DEFAULT_SPRT };
  const random = seeded(1945);
  for (const rate of [0.5, 0.9]) {
    let accepted = 0;
    let runs = 0;
    for (let batch = 0; batch < 10_000; batch++) {
      const started = runAll(design, () => random() < rate);
      const passes = started.filter(({ passed }) => passed?.[0] === true).length;
      // Settled for good when the log of the ratio has reached log 19.
      const logRatio = passes * Math.log(0.9 / 0.5) + (started.length - passes) * Math.log(0.1 / 0.5);
      accepted += logRatio > 2.944 ? 1 : 0;
      runs += started.length;
    }
    const exact = sprtCharacteristics(DEFAULT_SPRT, rate);
    const share = exact.acceptProbability;
    // Four standard errors of a share of 10,000, and of a mean whose values lie within 20.
    const tolerance = 4 * Math.sqrt((share * (1 - share)) / 10_000);
    assert.ok(Math.abs(accepted / 10_000 - share) < tolerance, `at ${rate}: ${accepted} accepted, expected ${share}`);
    assert.ok(Math.abs(runs / 10_000 - exact.expectedTrials) < 4 * (6 / 100), `at ${rate}: ${runs / 10_000} runs`);
    if (rate === 0.5) assert.ok(accepted / 10_000 <= 0.05, "a bad one is taken for good at most 5% of the time");
    else assert.ok((10_000 - accepted) / 10_000 <= 0.05 + exact.undecidedProbability);
  }
});
