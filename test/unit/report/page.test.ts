import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import { openPromise } from "yauzl";
import { pageAsset } from "../../../grader/report/page/asset.ts";
import { collectEvents } from "../../../grader/report/page/collect-events.ts";
import { escapeHtml, escapeJson } from "../../../grader/report/page/escape.ts";
import { readLogLines } from "../../../grader/report/page/log-lines.ts";
import { pageDataOf } from "../../../grader/report/page/page-data.ts";
import { prettyJson } from "../../../grader/report/page/pretty-json.ts";
import { renderPage } from "../../../grader/report/page/render.ts";
import { writeZip } from "../../../grader/report/page/zip.ts";
import { trialsOf } from "../../support/batches.ts";
import { HOSTILE } from "../../support/hostile-results.ts";
import { scratchFolder } from "../../support/scratch.ts";

const MADE_AT = "2026-01-31T12:30:00.000Z";

test("counts, gate, rate and stall are those of the batch", () => {
  const data = pageDataOf({ trials: trialsOf("PPFEI-"), madeAt: MADE_AT, gate: "all" });
  assert.deepEqual(data.counts, { pass: 2, fail: 1, inconclusive: 1, error: 1, interrupted: 1 });
  assert.equal(data.verdict, "fail");
  const [group] = data.groups;
  assert.equal(group?.passed, 2);
  assert.equal(group?.failed, 1);
  assert.equal(group?.unknown, 2);
  assert.equal(group?.interrupted, 1);
  assert.deepEqual(group?.stalls, [{ after: "a", before: "b", runs: 1 }]);
  assert.equal(group?.can_show, "3 runs cannot tell 67% from 90%");
});

test("what nobody counted is absent, never 0", () => {
  const [run] = pageDataOf({ trials: trialsOf("P"), madeAt: MADE_AT }).runs;
  assert.ok(run !== undefined);
  for (const key of ["cost_usd", "tokens", "claim", "agrees"]) assert.ok(!(key in run), key);
});

test("a claim that the grade contradicts is named, and changes no verdict", () => {
  const report = { claim: "done", claims_success: true };
  const honest = pageDataOf({ trials: trialsOf("PF"), madeAt: MADE_AT });
  const data = pageDataOf({ trials: trialsOf("PF", { self_report: report }), madeAt: MADE_AT });
  assert.deepEqual(data.agreement?.disagreeing, [1]);
  assert.deepEqual(
    data.runs.map(({ verdict }) => verdict),
    honest.runs.map(({ verdict }) => verdict),
  );
  assert.equal(data.verdict, honest.verdict);
});

test("runs graded by different markers are different scenarios, and a comparison of them is refused in words", () => {
  const [a, b] = trialsOf("PP");
  assert.ok(a !== undefined && b !== undefined);
  const other = {
    manifest: { ...b.manifest, batch: "01OTHER" },
    results: b.results.map((result) => ({ ...result, markers_sha256: "1".repeat(64) })),
  };
  const data = pageDataOf({ trials: [a, other], madeAt: MADE_AT });
  assert.equal(data.scenarios.length, 2);
  assert.equal(data.comparisons.length, 0);
  assert.equal(data.notes.length, 1);
});

test("no data can end a script element, begin a comment or break a line of the page", () => {
  const data = pageDataOf({ trials: trialsOf("F", { task: HOSTILE }), madeAt: MADE_AT, title: HOSTILE });
  const html = renderPage(data, [{ id: "events-0", encoding: "gzip", bytes: Buffer.from(HOSTILE) }]);
  const scripts = html.match(/<script\b/g)?.length ?? 0;
  assert.equal(html.match(/<\/script>/g)?.length, scripts);
  assert.equal(scripts, 4);
  // Without the page's own code, which is the same whatever the data is.
  const { script } = pageAsset();
  assert.doesNotMatch(html.replace(script, ""), /<img|<!--|\u2028/);
});

test("escapes leave the values as they were", () => {
  const json = JSON.stringify([HOSTILE, "a\u{1f600}b\u{e0041}"]);
  assert.deepEqual(JSON.parse(escapeJson(json)), JSON.parse(json));
  assert.doesNotMatch(escapeJson(json), /[<>&\u2028\u2029\u202e]/);
  assert.equal(escapeHtml(`<a href="x">'&`), "&#60;a href=&#34;x&#34;&#62;&#39;&#38;");
});

test("JSON is laid out without changing a digit", () => {
  const text = '{"id":9007199254740993123,"n":1e400,"list":[],"s":"a,{\\"}","deep":{"x":[1,-0.50]}}';
  const shown = prettyJson(text)
    .map((piece) => piece.text)
    .join("");
  assert.equal(shown.replaceAll(/\n */g, "").replaceAll(": ", ":"), text);
  assert.match(shown, /"id": 9007199254740993123,\n/);
  assert.match(shown, /"x": \[\n {6}1,\n {6}-0\.50\n {4}\]/);
  assert.doesNotThrow(() => prettyJson("]]}} not json {{"));
});

test("a log is packed whole, with its lines numbered as they stand; without room only the wanted lines are", async (t) => {
  const folder = scratchFolder(t);
  const file = join(folder, "telemetry-0.log");
  const control = '{"name":null,"$capture":{"control":"start"}}';
  const event = (at: number): string =>
    `{"name":"e${at}","time":"2026-01-31T12:00:0${at}.000Z","$capture":{"seq":${at},"redacted":2}}`;
  writeFileSync(file, [control, event(1), "", "not json", event(2), event(3)].join("\n"));
  const zero = Date.parse("2026-01-31T12:00:00.000Z");
  const linesOf = (packed: Uint8Array | undefined) =>
    readLogLines(gunzipSync(packed ?? Buffer.alloc(0)).toString(), zero).map(({ line, name, at }) => [line, name, at]);

  const whole = await collectEvents([file], [{ file: "telemetry-0.log", line: 5, timed: true }], 1_000_000);
  assert.deepEqual(linesOf(whole.packed), [
    [2, "e1", 1000],
    [5, "e2", 2000],
    [6, "e3", 3000],
  ]);
  assert.equal(whole.redacted, 6);
  assert.equal(whole.times.get("0:5"), "2026-01-31T12:00:02.000Z");

  const some = await collectEvents([file], [{ file: "telemetry-0.log", line: 6 }], 0);
  assert.deepEqual(linesOf(some.packed), [[6, "e3", 3000]]);
  assert.match(some.why ?? "", /only the events that markers name/);
});

test("a zip holds the files as they are", async (t) => {
  const folder = scratchFolder(t);
  mkdirSync(join(folder, "in"));
  writeFileSync(join(folder, "in", "a"), "hello");
  const archive = join(folder, "out.zip");
  await writeZip(archive, [{ name: "x/ä.txt", file: join(folder, "in", "a") }]);
  const entries: (readonly [name: string, crc32: number, size: number])[] = [];
  const zip = await openPromise(archive);
  for await (const entry of zip.eachEntry()) entries.push([entry.fileName, entry.crc32, entry.uncompressedSize]);
  // 3610a686 is the CRC-32 of "hello".
  assert.deepEqual(entries, [["x/ä.txt", 0x3610a686, 5]]);
});
