import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Captured } from "../../../proxy/backlog.ts";
import { startRecordingThread } from "../../../proxy/hand-over.ts";
import { takeSeries } from "../../../proxy/log/open-series.ts";
import { openSeries } from "../../../proxy/log/writer.ts";
import { openLastingRecording } from "../../../proxy/succession.ts";
import { at } from "../../support/records.ts";
import { exchangeOf } from "../../support/requests.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { controlsOf, fileLines, seriesFiles } from "../../support/series.ts";

const REAL = new URL("../../../proxy/recording-thread.js", import.meta.url);

/** A thread that does this before it becomes the real one. */
function threadThat(does: string): URL {
  const script = `import { parentPort } from "node:worker_threads"; ${does}; await import(${JSON.stringify(REAL.href)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}

/** The real thread, which dies when it is told this, for the n-th time. */
function threadThatDies(order: "work" | "flush" | "close", nth = 1): URL {
  return threadThat(`
    const listen = parentPort.on.bind(parentPort);
    let left = ${nth};
    parentPort.on = (name, listener) => listen(name, (message) => {
      if (message.kind === "${order}" && --left === 0) throw new Error("out of luck");
      listener(message);
    })`);
}

function event(name: string): Captured {
  const exchange = exchangeOf({ target: "/OneCollector/1.0/", body: JSON.stringify({ name, data: {} }) });
  return { kind: "exchange", exchange, notRecorded: undefined };
}

async function open(t: TestContext, script: URL) {
  const dir = scratchFolder(t);
  const problems: string[] = [];
  const options = { log: { dir, name: "t", maxFileBytes: 1_000_000 }, redact: [], maxInflatedBytes: 1_000_000 };
  const state: { succeeded?: () => void } = {};
  const succeeded = new Promise<void>((resolve) => {
    state.succeeded = resolve;
  });
  const recording = await openLastingRecording(startRecordingThread(script), {
    options,
    lock: await takeSeries(dir, "t"),
    onProblem: (message) => void problems.push(message),
    onReady: () => state.succeeded?.(),
  });
  return { dir, problems, recording, succeeded };
}

/** Names of events and words of control lines, file by file. */
function written(dir: string): unknown[][] {
  return seriesFiles(dir).map((file) =>
    fileLines(join(dir, file)).map((line) => line["name"] ?? at(line, "$capture", "control")),
  );
}

test("a thread records what it is sent, and its counts come back", async (t) => {
  const { dir, problems, recording } = await open(t, REAL);
  recording.work([event("a"), event("b")]);
  await recording.flush();
  const { exchanges, events, log } = recording.counts();
  assert.deepEqual([exchanges, events, log.written, log.lost], [2, { onecollector: 2 }, 2, 0]);
  assert.equal(recording.file, join(dir, "t-0.log"));
  await recording.close();
  assert.deepEqual(written(dir), [["start", "a", "b", "stop"]]);
  assert.deepEqual(problems, []);
  await (await openSeries({ dir, name: "t", maxFileBytes: 1000 })).close();
});

test("a series is refused while another thread of this process writes it", async (t) => {
  const { dir, recording } = await open(t, REAL);
  await assert.rejects(openSeries({ dir, name: "t", maxFileBytes: 1000 }), { code: "WM_PROXY_OUT_TAKEN" });
  await recording.close();
});

test("what is no telemetry is told to whoever passed it on", async (t) => {
  const { recording } = await open(t, REAL);
  let passedOver = 0;
  const notRecorded = () => void passedOver++;
  const login = exchangeOf({ target: "/login", body: "user=ann" });
  recording.work([{ kind: "exchange", exchange: login, notRecorded }, event("a")]);
  await recording.flush();
  assert.equal(passedOver, 1);
  assert.equal(recording.counts().exchanges, 1);
  await recording.close();
});

test("a thread that dies costs what it had not read, counted, and the log goes on in a new capture", async (t) => {
  const { dir, problems, recording, succeeded } = await open(t, threadThatDies("work", 2));
  recording.work([event("a")]);
  await recording.flush();
  recording.work([event("b"), event("c"), { kind: "answer", id: "none", status: 200 }]);
  await succeeded;
  recording.work([event("d")]);
  await recording.flush();
  assert.equal(recording.file, join(dir, "t-1.log"));
  const { exchanges, log } = recording.counts();
  assert.deepEqual([exchanges, log.written, log.lost, log.files], [2, 2, 2, 2]);
  await recording.close();
  assert.deepEqual(written(dir), [
    ["start", "a"],
    ["start", "loss", "d", "stop"],
  ]);
  const [loss] = controlsOf(fileLines(join(dir, "t-1.log")), "loss");
  assert.deepEqual([loss?.["records"], loss?.["why"]], [2, "the thread that wrote the log died"]);
  assert.match(problems.join(), /thread that wrote the log died: out of luck; up to 2 records are lost/);
  assert.equal(existsSync(join(dir, ".t.lock")), false);
});

test("a thread that dies while it is waited for holds up nobody", async (t) => {
  for (const order of ["flush", "close"] as const) {
    const { dir, recording } = await open(t, threadThatDies(order));
    if (order === "flush") await recording.flush();
    else recording.work([event("a")]);
    await recording.close();
    assert.equal(written(dir).at(-1)?.at(-1), "stop", order);
    assert.equal(existsSync(join(dir, ".t.lock")), false);
  }
});

test("without a thread the log is written in this one, and that is said", async (t) => {
  for (const script of [new URL("no-such-file.js", REAL), threadThat('throw new Error("no luck at all")')]) {
    const { dir, problems, recording } = await open(t, script);
    recording.work([event("a")]);
    await recording.close();
    assert.deepEqual(written(dir), [["start", "a", "stop"]]);
    assert.match(problems.join(), /written without a thread of its own/);
  }
});

test("a thread that lags is not ready until it has caught up", async (t) => {
  const { recording, succeeded } = await open(t, REAL);
  const exchange = exchangeOf({ target: "/big", body: Buffer.alloc(5_000_000, 0x20) });
  assert.equal(recording.isReady(), true);
  recording.work([{ kind: "exchange", exchange, notRecorded: () => undefined }]);
  assert.equal(recording.isReady(), false);
  await succeeded;
  assert.equal(recording.isReady(), true);
  await recording.close();
});
