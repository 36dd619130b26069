import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { RUN_KINDS, type RunKind, writeLongRun } from "../../../bench/long-runs.ts";
import { nodeProgram, runToEnd, WAYMARK } from "../../../bench/processes.ts";
import { Distiller } from "../../../grader/learn/distil.ts";
import { type LocatedRun, locateRuns } from "../../../grader/learn/read-runs.ts";
import { distilRuns, takeRuns } from "../../../grader/learn/take-runs.ts";
import { scratchFolder } from "../../support/scratch.ts";

/** WAYMARK_BIG=1 takes the numbers of the promise; fewer are still enough for the second thread. */
const IS_BIG = process.env["WAYMARK_BIG"] === "1";
const [RUNS, EVENTS] = IS_BIG ? [10, 100_000] : [4, 20_000];
const MOST_MB = 500;
/** Fewer varied events than the promise has are not yet known to vary without end, and take as long. */
const KINDS = (Object.keys(RUN_KINDS) as RunKind[]).filter((kind) => IS_BIG || kind === "plain");

function writeRuns(t: TestContext, kind: RunKind = "plain"): readonly string[] {
  const folder = scratchFolder(t);
  return Array.from({ length: RUNS }, (_, run) => {
    const file = join(folder, `run${run}.ndjson`);
    writeLongRun(file, run + 1, EVENTS, kind);
    return file;
  });
}

test("long runs distilled in two threads come to what they come to in one, in any order", async (t) => {
  const runs = await locateRuns(writeRuns(t));
  const alone = new Distiller();
  await distilRuns(
    alone,
    runs.map((run, index) => ({ run, index })),
  );
  for (const order of [runs, [...runs].reverse()]) {
    const shared = new Distiller();
    await takeRuns(shared, order);
    assert.deepEqual(shared.corpus(), alone.corpus());
    assert.deepEqual(shared.endless, alone.endless);
    assert.deepEqual(shared.words, alone.words);
  }
});

test("of several runs that cannot be read the first one named is told of, whichever thread finds it", async (t) => {
  const files = writeRuns(t);
  const empties = ["first", "second", "third"].map((name) => {
    const file = join(scratchFolder(t), `${name}.ndjson`);
    writeFileSync(file, `{"other":"${"x".repeat(name.length)}"}\n`);
    return file;
  });
  const runs: readonly LocatedRun[] = await locateRuns([...files, ...empties]);
  await assert.rejects(takeRuns(new Distiller(), runs), { code: "WM_LEARN_NO_RUNS", message: /first\.ndjson/ });
});

test("lines that only look like events do not change what is learned", async (t) => {
  const folder = scratchFolder(t);
  const broken = `{"name":"steady","pad":"${"x".repeat(4000)}"\n`.repeat(5000);
  const files = ["a", "b"].map((name, run) => {
    const file = join(folder, `${name}.ndjson`);
    const events = Array.from({ length: 600 }, (_, at) => `{"name":"steady","data":{"kind":"${run}-${at % 9}"}}\n`);
    writeFileSync(file, events.join("") + broken);
    return file;
  });
  const runs = await locateRuns(files);
  const alone = new Distiller();
  await distilRuns(
    alone,
    runs.map((run, index) => ({ run, index })),
  );
  const shared = new Distiller();
  const partly = await takeRuns(shared, runs);
  assert.deepEqual(
    partly.map(({ run, gaps, first }) => [run, gaps, first?.line]),
    files.map((file) => [file, 5000, 601]),
  );
  assert.deepEqual(alone.endless, []);
  assert.deepEqual(shared.endless, []);
  assert.deepEqual(shared.corpus(), alone.corpus());
});

for (const kind of KINDS) {
  test(`learning from ${RUNS} ${kind} runs of ${EVENTS} events, the graph drawn${IS_BIG ? `, stays under ${MOST_MB} MB` : ""}`, async (t) => {
    const files = writeRuns(t, kind);
    const folder = scratchFolder(t);
    const args = ["learn", ...files, "-o", join(folder, "long.yaml"), "--graph", join(folder, "long.svg")];
    const { code, stderr, wallMs, cpuMs = 0, peakMb } = await runToEnd(nodeProgram(WAYMARK, args));
    assert.equal(code, 0, stderr);
    assert.match(stderr, new RegExp(`learned from ${RUNS} runs: 5 ordered places`));
    t.diagnostic(
      `${(wallMs / 1000).toFixed(1)} s, ${(cpuMs / 1000).toFixed(1)} s of processor time, ${peakMb?.toFixed(0)} MB`,
    );
    if (IS_BIG && peakMb !== undefined) assert.ok(peakMb < MOST_MB, `${peakMb} MB`);
  });
}
