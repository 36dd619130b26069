import assert from "node:assert/strict";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createRunIds } from "../../../grader/run-id.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { placesIn, readTrial } from "../../../grader/trials/folder.ts";
import { liveNotes } from "../../../grader/trials/live-notes.ts";
import { type StartOrder, startLiveRun } from "../../../grader/trials/live-run.ts";
import { type StopOrder, stopLiveRun } from "../../../grader/trials/live-stop.ts";
import { selectTrial, selectTrials } from "../../../grader/trials/select.ts";
import type { Trial } from "../../../grader/trials/trial.ts";
import { openSeries, type SeriesWriter } from "../../../proxy/log/writer.ts";
import { emptyProject, type Project } from "../../support/kept-trials.ts";
import { controlsOf, fileLines, seqsOf, unnumbered } from "../../support/series.ts";

const SCENARIO = parseScenario("waymark: 1\nscenario: s\nmarkers: [{ event: a }, { event: b }]\n", "s.yaml");

interface Live extends Project {
  readonly log: string;
  open(more?: object): Promise<SeriesWriter>;
  start(more?: Partial<StartOrder>): Promise<Trial & { readonly folder: string }>;
  stop(trial: Trial, more?: Partial<StopOrder>): ReturnType<typeof stopLiveRun>;
}

function live(t: TestContext): Live {
  const own = emptyProject(t);
  const log = join(own.dir, "logs");
  const newRunId = createRunIds(Date.now);
  const common = { newRunId, now: Date.now };
  const start = { log, runs: own.runs, scenarios: ["s"], markers: "markers", params: {}, labels: [], versions: {} };
  return {
    ...own,
    log,
    async open(more = {}) {
      const writer = await openSeries({ dir: log, name: "t", maxFileBytes: 1_000_000, ...more });
      t.after(() => writer.close());
      return writer;
    },
    start: (more = {}) => startLiveRun({ ...start, ...common, ...more }),
    stop: (trial, more = {}) =>
      stopLiveRun(trial, { scenarios: [SCENARIO], settle: { idleMs: 1, limitMs: 1000 }, ...common, ...more }, own),
  };
}

async function write(writer: SeriesWriter, ...names: readonly string[]): Promise<void> {
  for (const name of names) writer.append(unnumbered(name));
  await writer.flush();
}

test("a run holds what came between start and stop, and nothing of before or after", async (t) => {
  const own = live(t);
  const writer = await own.open();
  await write(writer, "a", "b");
  const trial = await own.start({ labels: ["main"], versions: { model: "m-7" }, variant: "new" });
  assert.deepEqual(
    (await selectTrials(["running"], own)).map(({ manifest }) => manifest.id),
    [trial.manifest.id],
  );
  await write(writer, "x", "a");
  const { document, cuts } = await own.stop(trial);
  await write(writer, "b");
  assert.deepEqual([document.verdict, cuts], ["fail", []]);
  const lines = fileLines(join(placesIn(trial.folder).telemetry, "t-0.log"));
  assert.deepEqual(seqsOf(lines), [3, 4]);
  assert.deepEqual(controlsOf(lines, "start")[0]?.["first_seq"], 3);
  const { manifest, results } = readTrial(trial.folder);
  assert.equal(results[0]?.run, trial.manifest.id, "the first result has the run's own id");
  assert.deepEqual([manifest.state, manifest.end?.kind, manifest.settled?.awaited], ["graded", "stopped", ["b"]]);
  const row = own.store.getRun(trial.manifest.id);
  assert.deepEqual([row.variant, row.labels, row.versions, row.events], ["new", ["main"], { model: "m-7" }, 2]);
  assert.equal(row.result.stream.end, "complete");
});

test("several runs at once each hold their own stretch, over rotated files too", async (t) => {
  const own = live(t);
  const writer = await own.open({ maxFileBytes: 400 });
  await write(writer, "x");
  const first = await own.start();
  await write(writer, "a", "x", "x", "x");
  const second = await own.start();
  await write(writer, "a", "x", "x", "b", "x");
  const seqs = async (trial: Trial) => {
    const { document, cuts } = await own.stop(trial);
    assert.deepEqual([document.verdict, cuts], ["pass", []]);
    return seqsOf(fileLines(join(placesIn(trial.folder ?? "").telemetry, "t-0.log")));
  };
  assert.ok(readdirSync(own.log).length > 3);
  assert.deepEqual(await seqs(second), [6, 7, 8, 9, 10]);
  assert.deepEqual(await seqs(first), [2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("records that another run's credentials came with are left out, and only what is missing is a gap", async (t) => {
  const own = live(t);
  const writer = await own.open();
  await write(writer, "x");
  const one = await own.start();
  const two = await own.start();
  const note = (name: string, run?: string): void => {
    const { before, after, ...rest } = unnumbered(name);
    writer.append({ before, after: run === undefined ? after : after.replace(/}}$/, `,"run":"${run}"}}`), ...rest });
  };
  note("a", one.manifest.id);
  note("a", two.manifest.id);
  note("b", one.manifest.id);
  note("x");
  await writer.flush();
  const seen = async (trial: Trial) => {
    const { document, cuts } = await own.stop(trial);
    const lines = fileLines(join(placesIn(trial.folder ?? "").telemetry, "t-0.log"));
    return [document.verdict, cuts, seqsOf(lines)];
  };
  assert.deepEqual(await seen(two), ["fail", [], [2, 3]]);
  assert.deepEqual(await seen(one), ["pass", [], [2, 3, 4]]);
});

test("a run that passed does not pass when its beginning was rotated away: it is cut, and says so", async (t) => {
  const own = live(t);
  const writer = await own.open({ maxFileBytes: 400, keepFiles: 2 });
  await write(writer, "x");
  const trial = await own.start();
  await write(writer, "x", "x", "x", "x", "x", "x", "x", "x", "a");
  const { document, cuts } = await own.stop(trial);
  assert.equal(document.verdict, "inconclusive");
  assert.match(cuts.join(), /t-0\.log, in which the run began, was removed meanwhile/);
  assert.match(document.results[0]?.stream.cut_because ?? "", /lost at .*was removed meanwhile/);
});

test("a proxy that was started again during the run leaves the evidence cut, and both its lives count", async (t) => {
  const own = live(t);
  const before = await own.open();
  const trial = await own.start();
  await write(before, "a");
  await before.close();
  const after = await own.open();
  await write(after, "b");
  const { document, cuts } = await own.stop(trial);
  assert.match(cuts.join(), /^the proxy was stopped at .* and was started again at .*, during the run$/);
  const [result] = document.results;
  assert.deepEqual([result?.found, result?.stream.end], [["a", "b"], "cut"]);
  assert.equal(document.verdict, "pass", "what was found was found");
  const another = await own.start();
  await write(after, "a");
  await after.close();
  const last = await own.open();
  await write(last, "x");
  assert.equal((await own.stop(another)).document.verdict, "inconclusive", "b may have come while nobody listened");
});

test("a proxy that has stopped in order at the end of the run cuts nothing", async (t) => {
  const own = live(t);
  const writer = await own.open();
  const trial = await own.start();
  await write(writer, "a");
  await writer.close();
  const { document, cuts } = await own.stop(trial);
  assert.deepEqual([document.verdict, cuts, document.results[0]?.stream.end], ["fail", [], "complete"]);
});

test("a loss of the proxy's is a loss of the run's; a log that was changed under the run is one too", async (t) => {
  const own = live(t);
  const writer = await own.open();
  await write(writer, "x", "x");
  const lossy = await own.start();
  writer.lose(3, "the disk was full");
  await write(writer, "a");
  const { document } = await own.stop(lossy);
  assert.match(document.results[0]?.stream.cut_because ?? "", /3 records lost at .*the disk was full/);
  const changed = await own.start();
  truncateSync(writer.file, 10);
  const { document: second, cuts } = await own.stop(changed);
  assert.equal(second.verdict, "inconclusive");
  assert.match(cuts.join(), /was changed by another program/);
});

test("a series that is gone altogether leaves a run that is inconclusive", async (t) => {
  const own = live(t);
  const writer = await own.open();
  await write(writer, "x");
  const trial = await own.start();
  await writer.close();
  rmSync(own.log, { recursive: true });
  const { document, cuts } = await own.stop(trial);
  assert.equal(document.verdict, "inconclusive");
  assert.match(cuts.join(), /was removed meanwhile/);
});

test("a run needs a log that somebody writes", async (t) => {
  const own = live(t);
  await assert.rejects(own.start(), { code: "WM_RUN_NO_CAPTURE" });
  const writer = await own.open();
  await writer.close();
  await assert.rejects(own.start(), { code: "WM_RUN_NO_CAPTURE" });
  assert.equal(existsSync(own.runs), false, "nothing is left of a run that did not begin");
});

test("a run is stopped once, and only one that was started so", async (t) => {
  const own = live(t);
  const writer = await own.open();
  const trial = await own.start();
  await write(writer, "a", "b");
  await own.stop(trial);
  const again = await selectTrial(trial.manifest.id, own);
  assert.throws(() => liveNotes(again), { code: "WM_USAGE" });
  writeFileSync(join(trial.folder, "live.json"), "{}");
  const { manifest } = again;
  assert.throws(() => liveNotes({ ...again, manifest: { ...manifest, state: "running" } }), /was not begun by/);
});

test("late events are waited for, ticks are not taken for them", async (t) => {
  const own = live(t);
  const writer = await own.open();
  const trial = await own.start();
  await write(writer, "a");
  const stopping = own.stop(trial, { settle: { idleMs: 400, limitMs: 5000 } });
  writer.tick();
  await write(writer, "b");
  const { document, trial: ended } = await stopping;
  assert.deepEqual([document.verdict, ended.manifest.settled?.why], ["pass", "idle"]);
  const busy = await own.start();
  const noise = setInterval(() => writer.append(unnumbered("x")), 20);
  t.after(() => clearInterval(noise));
  const limited = await own.stop(busy, { settle: { idleMs: 1000, limitMs: 1500 } });
  assert.equal(limited.trial.manifest.settled?.why, "limit");
  assert.deepEqual(limited.trial.manifest.settled?.awaited, ["a"]);
});

test("the agent's claim and cost are kept beside the grade and decide nothing", async (t) => {
  const own = live(t);
  const writer = await own.open();
  const selfReport = join(own.dir, "claim.json");
  writeFileSync(selfReport, '{"claim":"done"}');
  const accounting = {
    readSelfReport: (file: string) => ({
      claim: JSON.parse(readFileSync(file, "utf8")).claim as string,
      claims_success: true,
    }),
    spend: async () => ({ used: { cost_usd: 0.5, tokens_in: 7 } }),
    measure: async () => ({ measures: { backtracks: 1 } }),
  };
  const trial = await own.start({ selfReport });
  await write(writer, "a");
  const { document } = await own.stop(trial, { accounting });
  const without = await own.start();
  await write(writer, "a");
  const { document: plain } = await own.stop(without);
  assert.deepEqual([document.verdict, plain.verdict], ["fail", "fail"]);
  const row = own.store.getRun(trial.manifest.id);
  assert.deepEqual(
    [row.selfReport, row.agrees, row.costUsd, row.tokensIn, row.measures],
    ["done", false, 0.5, 7, { backtracks: 1 }],
  );
});

test("a half written line at the start belongs to the run", async (t) => {
  const own = live(t);
  const writer = await own.open();
  await write(writer, "x");
  appendFileSync(writer.file, '{"name":"a","$capt');
  const trial = await own.start();
  appendFileSync(writer.file, 'ure":{"seq":2}}\n{"name":"b","$capture":{"seq":3}}\n');
  assert.equal((await own.stop(trial)).document.verdict, "pass");
});
