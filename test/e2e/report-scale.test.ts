import assert from "node:assert/strict";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { prepareReport } from "../../grader/report/page/report.ts";
import { writeReport } from "../../grader/report/page/write.ts";
import { placesIn, writeManifest } from "../../grader/trials/folder.ts";
import type { Trial, TrialManifest } from "../../grader/trials/trial.ts";
import type { MarkerResult } from "../../grader/verdict.ts";
import { NEEDS_CHROMIUM } from "../support/chromium.ts";
import { openReader, openReport, until } from "../support/report-page.ts";
import { sampleResult } from "../support/result.ts";
import { scratchFolder } from "../support/scratch.ts";

const BEGIN = Date.parse("2026-01-31T12:00:00.000Z");

/** A run of so many markers; every seventh fails at a marker that moves. */
function trialWith(at: number, markers: number, folder?: string): Trial {
  const id = `01RUN${String(at).padStart(6, "0")}`;
  const startedAt = BEGIN + at * 60_000;
  const reached = at % 7 === 3 ? at % markers : markers;
  const rows = Array.from({ length: markers }, (_, marker): MarkerResult => {
    const source = { file: "markers/long.yaml", line: 5 + marker * 3, column: 5 };
    const name = `Step ${marker + 1} of a long way`;
    if (marker >= reached) return { name, status: "missing", source };
    const place = { file: "telemetry/telemetry-0.log", line: 1 + marker * 90, record: marker * 90 };
    const time = new Date(startedAt + 400 + marker * 900 + ((at * 37) % 300)).toISOString();
    return { name, status: "found", ...place, at: time, after_ms: marker === 0 ? 0 : 900, source };
  });
  const found = rows.slice(0, reached).map(({ name }) => name);
  const missing = rows.slice(reached).map(({ name }) => name);
  const passed = missing.length === 0;
  const manifest: TrialManifest = {
    schema: "waymark.trial/1",
    id,
    state: "graded",
    batch: "01BATCH",
    index: at + 1,
    retries: 0,
    command: ["node", "agent.js"],
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(startedAt + 46_000).toISOString(),
    end: { kind: "exited", code: 0 },
    provenance: "simulated",
    versions: {},
    labels: [],
    self_report: { claim: "done", claims_success: true },
  };
  const verdict = passed ? "pass" : "fail";
  const waiting = passed ? {} : { waiting_for: missing[0] ?? "" };
  const started = new Date(startedAt + 300).toISOString();
  const own = { run: id, verdict, success: passed, found, not_found: missing, markers: rows, rules: [] } as const;
  const result = sampleResult(id, { ...own, ...waiting, scenario: "long", started_at: started, duration_ms: 45_000 });
  return { manifest, results: [result], ...(folder === undefined ? {} : { folder }) };
}

/** A log of events as a OneCollector app sends them, about 600 bytes each, none like the other. */
function logOf(at: number, events: number): string {
  const lines = Array.from({ length: events }, (_, event) => {
    const time = new Date(BEGIN + at * 60_000 + event * 9).toISOString();
    const noise = ((at * 7919 + event * 104_729) % 2_147_483_647).toString(36);
    return JSON.stringify({
      name: ["presence_update", "message_rendered", "chat_switch", "view_shown"][event % 4],
      time,
      ver: "4.0",
      iKey: "[redacted]",
      ext: { app: { name: "chat", ver: "1.0.0", sesId: `s-${at}` }, user: { localId: "agent" }, os: { name: "linux" } },
      data: { chatId: `c${event % 50}`, messageId: noise, length: event % 400, trace: `${noise}${noise}${event}` },
      $capture: {
        seq: event + 1,
        at: time,
        host: "events.example",
        path: "/OneCollector/1.0",
        format: "onecollector",
        request: `r${event >> 3}`,
        index: event % 8,
        redacted: 2,
      },
    });
  });
  return `${lines.join("\n")}\n`;
}

function withLogs(t: TestContext, runs: number, events: number): readonly Trial[] {
  const root = scratchFolder(t);
  return Array.from({ length: runs }, (_, at) => {
    const trial = trialWith(at, 50);
    const folder = join(root, trial.manifest.id);
    writeManifest(folder, trial.manifest);
    mkdirSync(placesIn(folder).telemetry);
    writeFileSync(join(placesIn(folder).telemetry, "telemetry-0.log"), logOf(at, events));
    return { ...trial, folder };
  });
}

async function build(t: TestContext, trials: readonly Trial[]) {
  const file = join(scratchFolder(t), "report.html");
  const began = performance.now();
  const made = await prepareReport(trials, { file, embedLimit: 20_000_000, madeAt: new Date(BEGIN).toISOString() });
  await writeReport(file, made, { zip: false });
  return { file, ms: performance.now() - began, bytes: statSync(file).size, redacted: made.data.redacted };
}

/** Opens a page and answers when its first text was painted, as the browser measured it. */
async function firstPaint(t: TestContext, file: string) {
  const report = await openReport(await openReader(t), file);
  const entry = "performance.getEntriesByName('first-contentful-paint')[0]";
  await until(report.page, entry);
  const paint = await report.page.evaluate<number>(`${entry}.startTime`);
  return { ...report, paint };
}

test("100 runs of 5,000 events: built, painted and opened", NEEDS_CHROMIUM, async (t) => {
  const { file, ms, bytes, redacted } = await build(t, withLogs(t, 100, 5000));
  assert.ok(bytes < 40_000_000, `${bytes} bytes`);
  assert.ok((redacted ?? 0) > 0);
  const { page, paint, troubles, goTo } = await firstPaint(t, file);
  t.diagnostic(
    `built in ${Math.round(ms)} ms, ${(bytes / 1e6).toFixed(1)} MB, first paint after ${Math.round(paint)} ms`,
  );
  await goTo(await page.$eval("#broken a", (link) => link.getAttribute("href") ?? ""));
  assert.match((await page.textContent(".tabs [role=status]")) ?? "", /5,000 events/);
  await goTo("#/scenario/0");
  assert.ok((await page.locator("#timeline .lane").count()) >= 40);
  assert.deepEqual(troubles, []);
});

test("2,000 runs by 50 markers open, and a run of them", NEEDS_CHROMIUM, async (t) => {
  const trials = Array.from({ length: 2000 }, (_, at) => trialWith(at, 50));
  const { file, ms, bytes } = await build(t, trials);
  assert.ok(bytes < 3_000_000, `${bytes} bytes`);
  const { page, paint, troubles, goTo } = await firstPaint(t, file);
  t.diagnostic(
    `built in ${Math.round(ms)} ms, ${(bytes / 1e6).toFixed(2)} MB, first paint after ${Math.round(paint)} ms`,
  );
  assert.match((await page.textContent("#runs-passed")) ?? "", /of 2,000 runs passed/);
  for (const hash of ["#/scenario/0", "#/markers/0", "#/overview?verdict=fail&q=17"]) await goTo(hash);
  await goTo(await page.$eval("a.run-link", (link) => link.getAttribute("href") ?? ""));
  assert.equal(await page.locator("[data-marker]").count(), 50);
  assert.deepEqual(troubles, []);
});
