import assert from "node:assert/strict";
import test from "node:test";
import { counterpartRows, shortestPass, summariseMeasures } from "../../../grader/trials/measures-group.ts";
import { COUNTERPARTS, MEASURES } from "../../../grader/trials/measures-table.ts";
import { outliers, sayOutlier } from "../../../grader/trials/spending-outliers.ts";
import { sampleTrial } from "../../support/sample-trial.ts";

const withSteps = (id: string, steps: number, verdict: "pass" | "fail" = "pass", more: object = {}) =>
  sampleTrial(id, { manifest: { measures: { steps, ...more } }, result: { verdict } });

test("a measure over runs is its median, with an interval from six runs on", () => {
  const trials = [3, 9, 4, 5, 8, 7].map((steps, index) => withSteps(`0${index}`, steps));
  const [steps, ratio] = summariseMeasures(trials);
  // sorted 3 4 5 7 8 9: the median is 6; Thompson's interval at n = 6 is the whole range
  assert.deepEqual([steps?.name, steps?.median, steps?.interval, steps?.counted], ["steps", 6, { low: 3, high: 9 }, 6]);
  assert.deepEqual([ratio?.name, ratio?.median], ["steps_over_shortest", 2]);
  assert.equal(summariseMeasures(trials.slice(0, 5))[0]?.interval, undefined);
});

test("the shortest pass is the measure, so a failing run that gave up early is none", () => {
  const trials = [withSteps("a", 2, "fail"), withSteps("b", 6), withSteps("c", 9)];
  assert.equal(shortestPass(trials), 6);
  assert.equal(shortestPass(trials.slice(0, 1)), undefined);
  assert.equal(summariseMeasures(trials).find(({ name }) => name === "steps_over_shortest")?.median, 1);
});

test("interrupted runs do not count, and what no run has is left out", () => {
  const stopped = sampleTrial("x", { manifest: { state: "interrupted", measures: { steps: 1000 } } });
  const summary = summariseMeasures([stopped, withSteps("a", 4)]);
  assert.equal(summary.find(({ name }) => name === "steps")?.counted, 1);
  assert.equal(
    summary.find(({ name }) => name === "backtracks"),
    undefined,
  );
});

test("what is rare shows beside its median", () => {
  const trials = [0, 0, 0, 2].map((backtracks, index) => withSteps(`${index}`, 4, "pass", { backtracks }));
  const found = summariseMeasures(trials).find(({ name }) => name === "backtracks");
  assert.deepEqual([found?.median, found?.share_above_zero], [0, 0.25]);
});

test("a lower bound of cost is no cost to take a median of", () => {
  const cost = (cost_usd: number, isWhole: boolean) =>
    sampleTrial(String(cost_usd), {
      manifest: { used: { cost_usd, ...(isWhole ? {} : { at_least: ["cost"] as const }) } },
    });
  const found = summariseMeasures([cost(1, true), cost(3, true), cost(0.01, false)]).find(
    ({ name }) => name === "cost_usd",
  );
  assert.deepEqual([found?.median, found?.counted], [2, 2]);
});

test("each effort is shown beside its counterpart", () => {
  const trial = sampleTrial("a", {
    manifest: {
      measures: { steps: 4, verification_action_rate: 0.25, safety_violations: 0 },
      used: { tokens_in: 5, tokens_out: 2 },
    },
    result: { duration_ms: 12_300 },
  });
  assert.deepEqual(
    counterpartRows(summariseMeasures([trial])).map(({ words }) => words),
    [
      "actions of the agent 4 (1 run); actions that check something 25% (1 run)",
      "tokens 7 (1 run); facts used that had been given: not counted",
      "time 12.3 s (1 run); forbidden things done 0 (1 run)",
    ],
  );
  const names = new Set(MEASURES.map(({ name }) => name));
  for (const { effort, counterpart } of COUNTERPARTS) assert.ok(names.has(effort) && names.has(counterpart));
});

const pass = (id: string, cost_usd: number, duration_ms: number, more: object = {}) =>
  sampleTrial(id, { manifest: { used: { cost_usd, ...more } }, result: { duration_ms } });

test("the pass that cost ten times the median is called out", () => {
  const trials = [
    pass("a", 0.04, 1000),
    pass("b", 0.05, 1100),
    pass("c", 0.5, 900),
    pass("d", 0.06, 11_000),
    pass("e", 0.05, 1000),
  ];
  assert.deepEqual(outliers(trials), [
    { run: "d", of: "duration", times: 11 },
    { run: "c", of: "cost", times: 10 },
  ]);
  assert.equal(sayOutlier({ run: "c", of: "cost", times: 10 }), "run c passed at 10 times the median cost");
});

test("of two passes none stands out, and a failing run never does", () => {
  assert.deepEqual(outliers([pass("a", 1, 1), pass("b", 1000, 1000)]), []);
  const failed = sampleTrial("f", {
    manifest: { used: { cost_usd: 99 } },
    result: { verdict: "fail", duration_ms: 1e9 },
  });
  assert.deepEqual(outliers([pass("a", 1, 1), pass("b", 1, 1), pass("c", 1, 1), failed]), []);
});

test("a lower bound can stand out but is no part of the median", () => {
  const partly = { at_least: ["cost"] };
  const trials = [
    pass("a", 1, 1),
    pass("b", 1, 1),
    pass("c", 1, 1),
    pass("d", 12, 1, partly),
    pass("e", 0.001, 1, partly),
  ];
  assert.deepEqual(outliers(trials), [{ run: "d", of: "cost", times: 12 }]);
});

test("a free pass makes nothing ten times as dear", () => {
  assert.deepEqual(outliers([pass("a", 0, 5), pass("b", 0, 5), pass("c", 7, 5)]), []);
});
