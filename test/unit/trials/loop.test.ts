import assert from "node:assert/strict";
import test from "node:test";
import { type LoopOptions, runDesign } from "../../../grader/trials/loop.ts";
import type { Design, Planned } from "../../../grader/trials/plan.ts";
import { isErrorRun, passedBy } from "../../../grader/trials/summarise-runs.ts";
import type { Verdict } from "../../../grader/verdict.ts";
import { CELL, trialOf } from "../../support/batches.ts";

const SCENARIOS = [{ id: "s", sha256: "", sessions: "all" }] as const;
const DESIGN: Design = { kind: "fixed", cells: [CELL], runs: 5 };

function options(
  verdictOf: (planned: Planned, retries: number) => Verdict,
  more: Partial<LoopOptions> = {},
): LoopOptions {
  return {
    jobs: 1,
    retryErrors: 0,
    signal: new AbortController().signal,
    play: async (planned, retries) => trialOf(planned.index, verdictOf(planned, retries), { retries }),
    passedOf: (trial) => passedBy(trial, SCENARIOS),
    isError: isErrorRun,
    ...more,
  };
}

const verdicts = async (given: LoopOptions): Promise<readonly (readonly unknown[])[]> =>
  (await runDesign(DESIGN, given)).map(({ manifest, results }) => [
    manifest.index,
    manifest.retries,
    results[0]?.verdict,
  ]);

test("an error is tried again as often as asked; a fail and an inconclusive capture never", async () => {
  const given = options(
    ({ index }, retries) => (index === 1 ? "fail" : index === 2 ? (retries < 2 ? "error" : "pass") : "inconclusive"),
    {
      retryErrors: 3,
    },
  );
  assert.deepEqual(await verdicts(given), [
    [1, 0, "fail"],
    [2, 0, "error"],
    [2, 1, "error"],
    [2, 2, "pass"],
    [3, 0, "inconclusive"],
    [4, 0, "inconclusive"],
    [5, 0, "inconclusive"],
  ]);
  const hopeless = options(() => "error", { retryErrors: 1 });
  assert.equal((await runDesign(DESIGN, hopeless)).length, 10);
});

test("a run without telemetry is tried again, one that a scenario failed is not", async () => {
  const silent = trialOf(1, "inconclusive", { error: { code: "WM_RUN_NO_TELEMETRY", message: "" } });
  assert.equal(isErrorRun(silent), true);
  assert.equal(isErrorRun(trialOf(1, "inconclusive")), false);
  const mixed = { ...silent, results: [...silent.results, ...trialOf(1, "fail").results] };
  assert.equal(isErrorRun(mixed), false);
  assert.equal(isErrorRun(trialOf(1, undefined)), false);
});

test("so many jobs run at a time, each run once, and the runs come back in order", async () => {
  let running = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const given = options(() => "pass", {
    jobs: 2,
    play: async (planned) => {
      most = Math.max(most, ++running);
      // The first of two waits for the second, so that they end in the other order.
      if (planned.index % 2 === 1 && planned.index < 5) await new Promise<void>((resolve) => waiting.push(resolve));
      else waiting.shift()?.();
      running--;
      return trialOf(planned.index, "pass");
    },
  });
  assert.deepEqual(
    (await runDesign(DESIGN, given)).map(({ manifest }) => manifest.index),
    [1, 2, 3, 4, 5],
  );
  assert.equal(most, 2);
});

test("after a stop no run is begun, and the one under way comes back as it is", async () => {
  const controller = new AbortController();
  const given = options(() => "pass", {
    signal: controller.signal,
    retryErrors: 5,
    play: async ({ index }) => {
      if (index === 2) controller.abort();
      return trialOf(index, index === 2 ? undefined : "pass");
    },
  });
  const trials = await runDesign(DESIGN, given);
  assert.deepEqual(
    trials.map(({ manifest }) => manifest.state),
    ["graded", "interrupted"],
  );
});
