import assert from "node:assert/strict";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import { laneOn, open } from "../../bench/peers/lane.ts";
import { startTestCollector } from "../support/collector.ts";
import { startProxy } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";
import { seriesFiles } from "../support/series.ts";

/** WAYMARK_BIG=1 takes the million. */
const EVENTS = process.env["WAYMARK_BIG"] === "1" ? 1_000_000 : 40_000;
const PER_REQUEST = 50;
const LANES = 16;
/** Not more than is written meanwhile: what waits for the disk is kept in memory, up to a bound, and would be measured. */
const EVENTS_PER_SECOND = 5_000;
const TENTHS = 10;
/** A short run is all warm-up, and says nothing of growth. */
const GROWTH = process.env["WAYMARK_BIG"] === "1" ? 1.05 : 1.5;
const NEEDS_PROC = {
  skip: existsSync("/proc/self/status") ? false : "no /proc to read memory from",
  timeout: 3_000_000,
};

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** A POST with the events of these numbers. */
function requestOf(first: number, port: number): Buffer {
  const event = (number: number): string =>
    `{"ver":"4.0","name":"step","time":"2026-01-01T00:00:00.000Z","iKey":"o:k","data":{"n":${number},"text":"${"x".repeat(120)}"}}`;
  const body = Array.from({ length: PER_REQUEST }, (_, index) => event(first + index)).join("\n");
  const head = `POST /OneCollector/1.0/ HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.from(head + body);
}

interface Log {
  /** How often each event stands there. */
  readonly seen: Uint8Array;
  readonly seqs: number;
  readonly isWhole: boolean;
}

async function readLog(folder: string): Promise<Log> {
  const seen = new Uint8Array(EVENTS);
  let seqs = 0;
  let isWhole = true;
  for (const file of seriesFiles(folder)) {
    for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
      const { data, $capture } = JSON.parse(line) as { data?: { n: number }; $capture: { seq?: number } };
      if ($capture.seq === undefined) continue;
      seqs += 1;
      isWhole &&= $capture.seq === seqs;
      if (data !== undefined) seen[data.n] = (seen[data.n] ?? 0) + 1;
    }
  }
  return { seen, seqs, isWhole };
}

test(`${EVENTS} events through the proxy: none lost, none twice, numbers whole, memory flat`, NEEDS_PROC, async (t) => {
  const cwd = scratchFolder(t);
  const collector = await startTestCollector(t, cwd, ["localhost"], { isKept: false });
  const env = { WAYMARK_CA_DIR: join(cwd, "ca") };
  const words = ["--host", `localhost:${collector.port}`, "--upstream-ca", collector.caFile, "--rotate-size", "64MB"];
  const proxy = await startProxy(t, words, { cwd, env });
  const secureContext = createSecureContext({ ca: readFileSync(join(cwd, "ca", "waymark-ca.pem")) });
  const route = { host: "localhost", originPort: collector.port, proxyPort: proxy.port, secureContext };
  const pid = proxy.child.pid ?? 0;
  const peaks = new Array<number>(TENTHS).fill(0);
  let sent = 0;
  const sample = setInterval(() => {
    const tenth = Math.min(TENTHS - 1, Math.floor((sent * TENTHS) / EVENTS));
    peaks[tenth] = Math.max(peaks[tenth] ?? 0, residentMb(pid));
  }, 20);
  const begun = performance.now();
  const drive = async (): Promise<void> => {
    const socket = await open(route);
    let request: Buffer = Buffer.alloc(0);
    const lane = laneOn(socket, () => request);
    while (sent < EVENTS) {
      request = requestOf(sent, collector.port);
      const dueMs = begun + (sent * 1000) / EVENTS_PER_SECOND - performance.now();
      sent += PER_REQUEST;
      if (dueMs > 0) await pause(dueMs);
      await lane.post();
    }
    lane.end();
  };
  await Promise.all(Array.from({ length: LANES }, drive));
  const seconds = (performance.now() - begun) / 1000;
  clearInterval(sample);
  const { stderr } = await proxy.stop();

  const { seen, seqs, isWhole } = await readLog(join(cwd, "logs", "telemetry"));
  t.diagnostic(`${EVENTS} events in ${seconds.toFixed(1)} s, ${(EVENTS / seconds).toFixed(0)}/s`);
  t.diagnostic("events sent   peak MB of the proxy");
  for (const [tenth, mb] of peaks.entries()) {
    t.diagnostic(`${String(((tenth + 1) * EVENTS) / TENTHS).padStart(11)}   ${mb.toFixed(1)}`);
  }
  assert.equal(collector.requests(), EVENTS / PER_REQUEST, "all reached the collector, once");
  assert.deepEqual([seqs, isWhole], [EVENTS, true], stderr);
  assert.equal(
    seen.findIndex((count) => count !== 1),
    -1,
    "each event stands in the log once",
  );
  // The first tenth warms up; one in which the processor was elsewhere all the time has no sample.
  const [, second = 0] = peaks;
  const last = peaks[TENTHS - 1] ?? 0;
  assert.ok(last <= second * GROWTH || second === 0, `${last} MB at the end, ${second} MB after the warm-up`);
});
