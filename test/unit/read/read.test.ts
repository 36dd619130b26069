import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import test, { type TestContext } from "node:test";
import type { RangeRule } from "../../../grader/read/range.ts";
import { readSeries } from "../../../grader/read/read.ts";
import { findLogs } from "../../../grader/read/series.ts";
import type { RangeSummary } from "../../../grader/read/tally.ts";
import { Collected } from "../../support/collect.ts";
import { controlLine, eventLine } from "../../support/log-lines.ts";
import { scratchFolder } from "../../support/scratch.ts";

interface Seen extends RangeSummary {
  readonly sink: Collected;
  readonly names: unknown[];
}

/** Writes the files, names `target` (a file, or "" for the folder) and reads what is graded then. */
async function read(t: TestContext, files: Record<string, string>, target = "", rule?: RangeRule): Promise<Seen> {
  const folder = scratchFolder(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { series } = await findLogs([join(folder, target)]);
  const [only] = series;
  assert.ok(only !== undefined && series.length === 1);
  const sink = new Collected();
  const chosen = rule ?? { kind: only.isNamedFile ? "from file" : "newest" };
  const summary = await readSeries(only, { rule: chosen, sink, lineBytes: 1000 });
  return { ...summary, range: summary.range.replaceAll(folder, "F").replaceAll("\\", "/"), sink, names: sink.names };
}

const twoCaptures = {
  "t-0.log": controlLine("start", { at: "2026-01-01T00:00:00.000Z" }) + eventLine("a", 1) + eventLine("b", 2),
  "t-1.log": eventLine("c", 3) + controlLine("stop"),
  "t-2.log": controlLine("start", { at: "2026-01-02T00:00:00.000Z" }) + eventLine("d", 4),
  "t-3.log": eventLine("e", 5),
};

test("a folder means its newest capture", async (t) => {
  const seen = await read(t, twoCaptures);
  assert.deepEqual(seen.names, ["d", "e"]);
  assert.equal(seen.cut, undefined);
  assert.equal(seen.range, "capture of 2026-01-02T00:00:00.000Z, F/t-2.log to t-3.log");
});

test("records count from 0 over all physical lines of the series", async (t) => {
  const seen = await read(t, twoCaptures);
  assert.deepEqual(
    seen.sink.events.map(({ place }) => [basename(place.file), place.line, place.record]),
    [
      ["t-2.log", 2, 6],
      ["t-3.log", 1, 7],
    ],
  );
});

test("a file means its capture, from that file on", async (t) => {
  const first = await read(t, twoCaptures, "t-0.log");
  assert.deepEqual(first.names, ["a", "b", "c"]);
  assert.equal(first.cut, undefined);
  assert.equal(first.range, "capture of 2026-01-01T00:00:00.000Z, F/t-0.log to t-1.log");
});

test("a later file of a capture is cut at its beginning", async (t) => {
  const seen = await read(t, twoCaptures, "t-1.log");
  assert.deepEqual(seen.names, ["c"]);
  assert.match(seen.cut ?? "", /beginning is missing.*begins with record 3/);
  const plain = await read(t, { "t-0.log": '{"name":"a"}\n', "t-1.log": '{"name":"b"}\n' }, "t-1.log");
  assert.match(plain.cut ?? "", /t-0\.log stands before/);
});

test("--all takes the whole series; numbering goes on over starts", async (t) => {
  const seen = await read(t, twoCaptures, "", { kind: "all" });
  assert.deepEqual(seen.names, ["a", "b", "c", "d", "e"]);
  assert.equal(seen.cut, undefined);
  assert.equal(seen.range, "all of F/t-0.log to t-3.log");
  const again = { "t-0.log": eventLine("a", 1) + controlLine("start") + eventLine("b", 1) };
  assert.equal((await read(t, again, "", { kind: "all" })).cut, undefined);
});

test("--since begins at the first event that arrived then, and makes no gap", async (t) => {
  const sinceMs = Date.parse("2026-01-01T00:00:03.000Z");
  const seen = await read(t, twoCaptures, "", { kind: "since", sinceMs });
  assert.deepEqual(seen.names, ["c", "d", "e"]);
  assert.equal(seen.cut, undefined);
  assert.equal(seen.range, "since 2026-01-01T00:00:03.000Z, F/t-1.log to t-3.log");
});

test("--since before everything that is left of a series is cut at its beginning", async (t) => {
  const seen = await read(t, { "t-5.log": eventLine("x", 40) }, "", { kind: "since", sinceMs: 0 });
  assert.match(seen.cut ?? "", /beginning is missing/);
});

test("--since looks for what is missing only from its time on", async (t) => {
  const line = (seq: number): string => eventLine(`e${seq}`, seq);
  const loss = (second: number): string => controlLine("loss", { records: 1, at: `2026-01-01T00:00:0${second}.500Z` });
  const since = (second: number): RangeRule => ({ kind: "since", sinceMs: Date.UTC(2026, 0, 1, 0, 0, second) });
  const cutOf = async (text: string, second: number): Promise<string> =>
    (await read(t, { "t-0.log": text }, "", since(second))).cut ?? "whole";
  assert.match(await cutOf(line(1) + line(3) + line(4), 2), /records 2 to 2 are missing/);
  assert.equal(await cutOf(line(1) + line(3) + line(4), 4), "whole");
  assert.match(await cutOf(line(1) + loss(2) + line(4), 2), /1 record lost/);
  assert.equal(await cutOf(line(1) + loss(1) + line(2) + line(3), 3), "whole");
});

test("a missing beginning and a missing file are gaps before the first event after them", async (t) => {
  const late = await read(t, { "t-4.log": eventLine("a", 9) });
  const middle = await read(t, { "t-0.log": '{"name":"a"}\n', "t-2.log": '{"name":"c"}\n' });
  for (const { sink } of [late, middle]) {
    assert.deepEqual(
      sink.gaps.map(({ place }) => place.record),
      [sink.events.at(-1)?.place.record],
    );
  }
});

test("a log without control lines is one capture; one that begins late is cut", async (t) => {
  assert.equal((await read(t, { "t-0.log": eventLine("a", 1) })).cut, undefined);
  assert.equal((await read(t, { "x.ndjson": '{"name":"a"}\n' })).cut, undefined);
  assert.match((await read(t, { "t-4.log": eventLine("a", 9) })).cut ?? "", /begins with record 9/);
});

test("a start line in the middle of a file begins the newest capture there", async (t) => {
  const text = `${eventLine("old", 1)}{bad\n${controlLine("start")}${eventLine("new", 2)}`;
  const seen = await read(t, { "t-0.log": text });
  assert.deepEqual([seen.names, seen.linesBad, seen.sink.restarts], [["new"], 0, 1]);
  assert.match(seen.range, /t-0\.log from line 3$/);
});

test("a hole in the numbers, a repeated and a late one cut the capture; a repeated record counts once", async (t) => {
  const hole = await read(t, { "t-0.log": eventLine("a", 1) + eventLine("c", 3) });
  assert.match(hole.cut ?? "", /records 2 to 2 are missing before .*t-0\.log:2/);
  assert.equal(hole.sink.gaps.length, 1);
  const twice = await read(t, { "t-0.log": eventLine("a", 1) + eventLine("a", 1) });
  assert.deepEqual(twice.names, ["a"]);
  assert.match(twice.cut ?? "", /record 1 stands a second time/);
  const late = await read(t, { "t-0.log": eventLine("a", 1) + eventLine("c", 3) + eventLine("b", 2) });
  assert.deepEqual(late.names, ["a", "c", "b"]);
});

test("records that a start line promises and that are not there cut the capture", async (t) => {
  const start = controlLine("start", { first_seq: 4 });
  assert.equal((await read(t, { "t-0.log": start + eventLine("d", 4) })).cut, undefined);
  assert.match((await read(t, { "t-0.log": start + eventLine("e", 5) })).cut ?? "", /records 4 to 4 are missing/);
});

test("a loss line cuts the capture and is a gap where it stands", async (t) => {
  const text = eventLine("a", 1) + controlLine("loss", { records: 12, why: "disk full" }) + eventLine("b", 2);
  const seen = await read(t, { "t-0.log": text });
  assert.match(seen.cut ?? "", /12 records lost at .*t-0\.log:2 \(disk full\)/);
  assert.deepEqual(
    seen.sink.gaps.map(({ place }) => place.line),
    [2],
  );
});

test("a missing file in the middle cuts the capture", async (t) => {
  const seen = await read(t, { "t-0.log": '{"name":"a"}\n', "t-2.log": '{"name":"c"}\n' });
  assert.deepEqual(seen.names, ["a", "c"]);
  assert.match(seen.cut ?? "", /a file is missing between .*t-0\.log and .*t-2\.log/);
});

test("a last line that is not whole JSON cuts the capture, with or without its newline", async (t) => {
  for (const end of ["", "\n", "\n\n"]) {
    const seen = await read(t, { "x.ndjson": `{"name":"a"}\n{"name":"b",${end}` });
    assert.deepEqual([seen.names, seen.linesBad], [["a"], 1]);
    assert.match(seen.cut ?? "", /x\.ndjson ends inside a record \(line 2\)/);
  }
  assert.equal((await read(t, { "x.ndjson": '{"name":"a"}\n{bad\n{"name":"c"}' })).cut, undefined);
  assert.equal((await read(t, { "x.ndjson": '{"name":"a"}\nnull' })).cut, undefined);
});

test("a record cut over two files is put together again", async (t) => {
  const seen = await read(t, { "t-0.log": '{"name":"a"}\n{"name":"b', "t-1.log": '"}\n{"name":"c"}\n' });
  assert.deepEqual([seen.names, seen.linesBad, seen.cut], [["a", "b", "c"], 0, undefined]);
  assert.deepEqual(
    seen.sink.events.map(({ place }) => [basename(place.file), place.line, place.record]),
    [
      ["t-0.log", 1, 0],
      ["t-0.log", 2, 1],
      ["t-1.log", 2, 3],
    ],
  );
});

test("halves that do not fit are two damaged lines, each with its place, and a cut", async (t) => {
  const seen = await read(t, { "t-0.log": '{"name":"a"}\n{"name":"b', "t-1.log": 'x"}}}\n{"name":"c"}\n' });
  assert.deepEqual(
    seen.badLines.map(({ file, line }) => [basename(file), line]),
    [
      ["t-0.log", 2],
      ["t-1.log", 1],
    ],
  );
  assert.match(seen.cut ?? "", /t-0\.log ends inside a record/);
});

test("unreadable lines are gaps, located, the first hundred listed and all counted", async (t) => {
  const seen = await read(t, {
    "x.ndjson": `${"{bad\n".repeat(150)}{"name":"a"}\n${"y".repeat(2000)}\n{"name":"b"}\n`,
  });
  assert.deepEqual([seen.linesBad, seen.badLines.length, seen.sink.gaps.length], [151, 100, 151]);
  assert.match(seen.sink.gaps.at(-1)?.why ?? "", /longer than 1000 bytes/);
  assert.deepEqual(seen.names, ["a", "b"]);
});

test("undecoded bodies are no events; of a telemetry endpoint they are gaps, known before or after", async (t) => {
  const raw = (seq: number, path: string): string =>
    eventLine("x", seq, { name: null, capture: { format: "raw", path, undecoded: "no decoder knows this body" } });
  const seen = await read(t, {
    "t-0.log": raw(1, "/v1") + raw(2, "/page") + eventLine("a", 3) + raw(4, "/v1") + raw(5, "/page"),
  });
  assert.deepEqual([seen.events, seen.undecoded, seen.sink.gaps.length], [1, 4, 2]);
  const decoder = eventLine("x", 1, { capture: { format: "onecollector", undecoded: "cut" } });
  assert.equal((await read(t, { "t-0.log": decoder })).sink.gaps.length, 1);
});

test("a tick moves the time on", async (t) => {
  const seen = await read(t, { "t-0.log": controlLine("start") + controlLine("tick", { at: "2026-01-01T00:01:00Z" }) });
  assert.deepEqual(seen.sink.ticks, [Date.UTC(2026, 0, 1, 0, 1)]);
});

test("a log in a newer record format is refused by name", async (t) => {
  const text = controlLine("start", { record_format: 99 }) + eventLine("a", 1);
  await assert.rejects(read(t, { "t-0.log": text }), { code: "WM_LOG_NEWER_FORMAT" });
});

test("a file that cannot be read is WM_LOG_UNREADABLE; one that is gone cuts the capture", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "t-0.log"), eventLine("a", 1));
  const base = { label: "t", before: [], isNamedFile: false, kind: "files" as const };
  const gone = { ...base, segments: [{ file: join(folder, "t-0.log") }, { file: join(folder, "t-1.log") }] };
  const sink = new Collected();
  const summary = await readSeries(gone, { rule: { kind: "all" }, sink, lineBytes: 1000 });
  assert.match(summary.cut ?? "", /t-1\.log was removed while the log was read/);
  assert.deepEqual(sink.names, ["a"]);
  const folderAsFile = { ...base, segments: [{ file: folder }] };
  await assert.rejects(readSeries(folderAsFile, { rule: { kind: "all" }, sink, lineBytes: 1000 }), {
    code: "WM_LOG_UNREADABLE",
  });
});

test("stdin is one series", async () => {
  const { series } = await findLogs(["-"]);
  const [only] = series;
  assert.ok(only);
  const sink = new Collected();
  const stdin = Readable.from([Buffer.from('\ufeff{"name":"a"}\r\nnull\n{"na'), Buffer.from('me":"b"}')]);
  const summary = await readSeries(only, { rule: { kind: "newest" }, sink, lineBytes: 1000, source: stdin });
  assert.deepEqual([sink.names, summary.linesBad, summary.cut], [["a", "b"], 1, undefined]);
});

test("stdin that never ends is read until decided, or until the signal", async () => {
  const { series } = await findLogs(["-"]);
  const [only] = series;
  assert.ok(only);
  for (const isDecided of [() => true, () => false]) {
    const sink = new Collected();
    const stop = new AbortController();
    const stdin = new Readable({ read: () => {} });
    stdin.push('{"name":"a"}\n');
    const follow = { signal: stop.signal, isDecided };
    const reading = readSeries(only, { rule: { kind: "newest" }, sink, lineBytes: 1000, source: stdin, follow });
    if (!isDecided()) setImmediate(() => setImmediate(() => stop.abort()));
    const summary = await reading;
    assert.deepEqual([sink.names, summary.cut], [["a"], undefined]);
  }
});

test("a stream that fails is WM_LOG_UNREADABLE", async () => {
  const broken = { label: "/no/such/pipe", segments: [], before: [], isNamedFile: true, kind: "stream" as const };
  const sink = new Collected();
  await assert.rejects(readSeries(broken, { rule: { kind: "newest" }, sink, lineBytes: 1000 }), {
    code: "WM_LOG_UNREADABLE",
  });
});

test("a number that is there and cannot be read is a cut, with and without the line being parsed", async (t) => {
  for (const seq of ["1", -1, 1.5, null, true, [], {}, 0]) {
    const line = eventLine("b", 2, { capture: { seq } });
    const files = { "t-0.log": controlLine("start") + eventLine("a", 1) + line + eventLine("c", 3) };
    const seen = await read(t, files);
    assert.deepEqual(seen.names, ["a", "b", "c"]);
    assert.match(seen.cut ?? "", /a record without a readable number stands at .*t-0\.log:3/, String(seq));
  }
});

test("a named event that looks like a start line does not begin the range again", async (t) => {
  const forged = eventLine("b", 2, { capture: { control: "start", first_seq: 1 } });
  const seen = await read(t, { "t-0.log": controlLine("start") + eventLine("a", 1) + forged + eventLine("c", 3) });
  assert.deepEqual([seen.names, seen.cut], [["a", "b", "c"], undefined]);
});

test("what the stop line says against the evidence is a cut", async (t) => {
  const begin = controlLine("start", { first_seq: 1 }) + eventLine("a", 1) + eventLine("b", 2);
  const cut = async (stop: object) => (await read(t, { "t-0.log": begin + controlLine("stop", { ...stop }) })).cut;
  assert.equal(await cut({ records: 2, lost: 0 }), undefined);
  assert.match((await cut({ records: 2, lost: 1 })) ?? "", /not whole: its writer lost 1 record$/);
  assert.match((await cut({ records: 3, lost: 0 })) ?? "", /its writer wrote 3 records, and 2 stand there/);
  assert.match((await cut({ records: "2", lost: 0 })) ?? "", /an unreadable number of records/);
  assert.match((await cut({ records: 2, lost: null })) ?? "", /an unreadable number of records/);
});

test("without its start line a capture's stop line is not held against the records seen", async (t) => {
  const files = { "t-0.log": eventLine("a", 1) + controlLine("stop", { records: 5, lost: 0 }) };
  assert.equal((await read(t, files)).cut, undefined);
  const late = { "t-0.log": controlLine("start") + eventLine("a", 1) + eventLine("b", 2) };
  const stopped = { "t-0.log": late["t-0.log"] + controlLine("stop", { records: 2, lost: 0 }) };
  const since: RangeRule = { kind: "since", sinceMs: Date.UTC(2026, 0, 1, 0, 0, 2) };
  const seen = await read(t, stopped, "", since);
  assert.deepEqual([seen.names, seen.cut], [["b"], undefined]);
});

test("records behind a stop line, or below the start line's first number, are a cut", async (t) => {
  const stopped = controlLine("start") + eventLine("a", 1) + controlLine("stop") + eventLine("b", 2);
  const behind = await read(t, { "t-0.log": stopped });
  assert.deepEqual(behind.names, ["a", "b"]);
  assert.match(behind.cut ?? "", /records go on behind the end of their capture at .*t-0\.log:4/);
  const again = await read(t, { "t-0.log": stopped.replace('{"name":"b"', `${controlLine("start")}{"name":"b"`) }, "", {
    kind: "all",
  });
  assert.equal(again.cut, undefined);
  for (const seq of [1, 4]) {
    const below = await read(t, { "t-0.log": controlLine("start", { first_seq: 5 }) + eventLine("a", seq) });
    assert.deepEqual(below.names, ["a"]);
    assert.match(below.cut ?? "", new RegExp(`record ${seq} stands at .*before the first one`));
  }
});

test("a record format that is no known integer never passes", async (t) => {
  for (const format of ["2", "1.5", "0", "-1", "12345678901234567890"]) {
    const line = controlLine("start").replace('"control"', `"record_format":${format},"control"`);
    const reading = read(t, { "t-0.log": line + eventLine("a", 1) });
    await assert.rejects(reading, { code: "WM_LOG_NEWER_FORMAT", message: new RegExp(`record format ${format};`) });
  }
  for (const format of ["2", "1", null, [1], true]) {
    const seen = await read(t, { "t-0.log": controlLine("start", { record_format: format }) + eventLine("a", 1) });
    assert.match(seen.cut ?? "", /start line at .*t-0\.log:1 names no readable record format/);
  }
  assert.equal(
    (await read(t, { "t-0.log": controlLine("start", { record_format: 1 }) + eventLine("a", 1) })).cut,
    undefined,
  );
});

test("a file that reports no size is read to its end, once", { skip: !existsSync("/proc/self/limits") }, async () => {
  const { series } = await findLogs(["/proc/self/limits"]);
  const [only] = series;
  assert.ok(only !== undefined);
  const summary = await readSeries(only, { rule: { kind: "all" }, sink: new Collected(), lineBytes: 1000 });
  assert.ok(summary.linesBad > 3 && summary.linesBad < 100);
});

test("a folder that is named like a file of the series is passed over, as the writer does", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "t-0.log"), controlLine("start") + eventLine("a", 1));
  mkdirSync(join(folder, "t-1.log"));
  writeFileSync(join(folder, "t-2.log"), eventLine("b", 2));
  const { series } = await findLogs([folder]);
  const [only] = series;
  assert.ok(only !== undefined);
  const sink = new Collected();
  const summary = await readSeries(only, { rule: { kind: "newest" }, sink, lineBytes: 1000 });
  assert.deepEqual([sink.names, summary.cut], [["a", "b"], undefined]);
});
