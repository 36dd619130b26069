import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import test from "node:test";
import { type GradeRequest, gradeLogs } from "../../../grader/grade.ts";
import type { SeriesStanding } from "../../../grader/live-series.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { NewsReel, newsLine } from "../../../grader/watch/news.ts";
import { standingKey } from "../../../grader/watch/standing-key.ts";
import { scratchFolder } from "../../support/scratch.ts";

const MARKERS = "markers:\n  - { name: first, event: a }\n  - { name: last, event: b }\n";
const LIMITS = [
  ["loose", ""],
  ["tight", "limits: { line_bytes: 100 }\n"],
  ["loose_too", ""],
  ["middling", "limits: { line_bytes: 1000 }\n"],
] as const;
const scenarios = LIMITS.map(([id, limit]) =>
  parseScenario(`waymark: 1\nscenario: ${id}\n${limit}${MARKERS}`, `${id}.yaml`),
);

const A = '{"name":"a"}\n';
/** Too long for one of them. */
const LONG_B = `${JSON.stringify({ name: "b", pad: "x".repeat(400) })}\n`;
const LOG = A + LONG_B;
/** As each of the scenarios is graded alone. */
const VERDICTS = ["pass", "inconclusive", "pass", "pass"];

async function results(request: Omit<GradeRequest, "scenarios">, only = scenarios) {
  const { document } = await gradeLogs({ ...request, scenarios: only, newRunId: ({ scenario }) => scenario });
  return document.results;
}

test("of scenarios graded together each has the verdict it has alone, whatever length of line the others allow", async (t) => {
  const file = join(scratchFolder(t), "t.log");
  writeFileSync(file, LOG);
  const together = await results({ logs: [file] });
  const alone = [];
  for (const one of scenarios) alone.push(...(await results({ logs: [file] }, [one])));
  assert.deepEqual(together, alone);
  const said = together.map(({ scenario, verdict, lines_bad }) => [scenario, verdict, lines_bad]);
  assert.deepEqual(said, [
    ["loose", "pass", 0],
    ["tight", "inconclusive", 1],
    ["loose_too", "pass", 0],
    ["middling", "pass", 0],
  ]);
  assert.deepEqual(await results({ logs: [file], fast: true }, scenarios.slice(1, 2)), alone.slice(1, 2));
});

test("a stream, which can be read only once, gives every one of them all its lines", async () => {
  const idle = `${JSON.stringify({ name: "x", pad: "x".repeat(60) })}\n`;
  const streamed = await results({ logs: ["-"], stdin: Readable.from([Buffer.from(LOG)]) });
  assert.deepEqual(
    streamed.map(({ verdict }) => verdict),
    VERDICTS,
  );
  const large = await results({ logs: ["-"], stdin: Readable.from([Buffer.from(LOG + idle.repeat(5000))]) });
  assert.deepEqual(
    large.map(({ events, lines_bad }) => [events, lines_bad]),
    [
      [5002, 0],
      [5001, 1],
      [5002, 0],
      [5002, 0],
    ],
  );
});

test("a stream that fails is an error of all, one that goes on is left once all are decided", async () => {
  const broken = new PassThrough();
  const grading = results({ logs: ["-"], stdin: broken });
  broken.write(LOG);
  setImmediate(() => broken.destroy(new Error("disk on fire")));
  assert.deepEqual(
    (await grading).map(({ error }) => error?.code),
    scenarios.map(() => "WM_LOG_UNREADABLE"),
  );

  const endless = new PassThrough();
  endless.write(`${LOG}{"name":"b"}\n`);
  const followed = await results({ logs: ["-"], stdin: endless, follow: new AbortController().signal });
  assert.deepEqual(
    followed.map(({ verdict }) => verdict),
    ["pass", "pass", "pass", "pass"],
  );
  if (!endless.destroyed) await once(endless, "close");
});

test("who watches a log sees each group apart, with the captures that it sees itself", async (t) => {
  const file = join(scratchFolder(t), "t.log");
  const pad = "x".repeat(200);
  const start = (more: object): string =>
    `${JSON.stringify({ name: null, $capture: { control: "start", at: "2026-01-31T12:00:00.000Z", ...more } })}\n`;
  writeFileSync(file, start({}) + A);
  const parts = ["lines up to 16777216 bytes", "lines up to 100 bytes", "lines up to 1000 bytes"];
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(20_000)]);
  const reel = new NewsReel();
  const told: string[] = [];
  const latest = new Map<string, SeriesStanding>();
  let isWritten = false;
  const onRead = (standing: () => SeriesStanding): void => {
    const now = standing();
    latest.set(standingKey(now), now);
    for (const news of reel.take(now)) told.push(newsLine(news)?.replaceAll(file, "t.log") ?? "");
    if (!isWritten && latest.size === 3) {
      isWritten = true;
      // a start line that is too long for one group is no new capture for it
      appendFileSync(file, LONG_B + start({ pad }) + A);
    }
    if (isWritten && parts.every((part, at) => latest.get(`${file}\n${part}`)?.events === (at === 1 ? 2 : 1)))
      stop.abort();
  };
  await results({ logs: [file], follow: signal, watching: { until: "signal", onRead } });
  assert.deepEqual(
    parts.map((part) => {
      const { life, scenarios: own = [] } = latest.get(`${file}\n${part}`) ?? {};
      return [part, life, own.map(({ scenario }) => scenario.id)];
    }),
    [
      [parts[0], 3, ["loose", "loose_too"]],
      [parts[1], 2, ["tight"]],
      [parts[2], 3, ["middling"]],
    ],
  );
  const newer = parts.filter((_, at) => at !== 1).map((part) => `watching t.log (${part}): a newer capture begins`);
  assert.deepEqual(told.filter((line) => line.includes("newer")).sort(), newer.sort());
});
