import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { openSeries, type SeriesOptions } from "../../../../proxy/log/writer.ts";
import { WaymarkError } from "../../../../proxy/record/fault.ts";
import { RECORD_FORMAT } from "../../../../proxy/record/record.ts";
import { at } from "../../../support/records.ts";
import { scratchFolder } from "../../../support/scratch.ts";
import { controlsOf, fileLines, seqsOf, seriesFiles, seriesLines, unnumbered, upTo } from "../../../support/series.ts";

function options(dir: string, more: Partial<SeriesOptions> = {}): SeriesOptions {
  return { dir, name: "t", maxFileBytes: 1_000_000, ...more };
}

/** One whole run that writes `count` records. */
async function run(dir: string, count: number, more: Partial<SeriesOptions> = {}): Promise<void> {
  const writer = await openSeries(options(dir, more));
  for (let index = 0; index < count; index++) writer.append(unnumbered("e"));
  await writer.close();
}

test("a capture is a start line, records numbered from 1, and a stop line", async (t) => {
  const dir = join(scratchFolder(t), "deep", "logs");
  const writer = await openSeries(options(dir, { startOptions: { hosts: ["a"] }, now: () => 0 }));
  assert.equal(writer.file, join(dir, "t-0.log"));
  for (const name of ["a", "b", "c"]) assert.ok(writer.append(unnumbered(name)));
  const counts = await writer.close();
  const lines = seriesLines(dir);
  assert.deepEqual([counts.written, counts.lost, counts.files], [3, 0, 1]);
  assert.equal(counts.bytes, readFileSync(join(dir, "t-0.log")).length);
  const [start = {}] = controlsOf(lines, "start");
  assert.deepEqual(
    [start["record_format"], start["first_seq"], start["pid"], start["options"], start["at"]],
    [RECORD_FORMAT, 1, process.pid, { hosts: ["a"] }, "1970-01-01T00:00:00.000Z"],
  );
  assert.deepEqual(
    lines.map((line) => line["name"]),
    [null, "a", "b", "c", null],
  );
  assert.deepEqual(controlsOf(lines, "stop")[0], { control: "stop", at: start["at"], records: 3, lost: 0 });
  assert.equal(writer.append(unnumbered("late")), false);
});

test("each start opens a new file and goes on with the next number, also after a run without records", async (t) => {
  const dir = scratchFolder(t);
  await run(dir, 2);
  await run(dir, 0);
  await run(dir, 3);
  assert.deepEqual(seriesFiles(dir), ["t-0.log", "t-1.log", "t-2.log"]);
  assert.deepEqual(seqsOf(seriesLines(dir)), upTo(5));
  assert.deepEqual(
    controlsOf(seriesLines(dir), "start").map((start) => start["first_seq"]),
    [1, 3, 3],
  );
});

test("other series and other files in the folder are left alone", async (t) => {
  const dir = scratchFolder(t);
  for (const file of ["t-x-7.log", "t-01.log", "notes.log"]) writeFileSync(join(dir, file), "mine");
  await run(dir, 1, { keepFiles: 1 });
  await run(dir, 1, { keepFiles: 1 });
  for (const file of ["t-x-7.log", "t-01.log", "notes.log"])
    assert.equal(readFileSync(join(dir, file), "utf8"), "mine");
  assert.equal(seqsOf(fileLines(join(dir, "t-1.log")))[0], 2);
});

test("a file cut at any byte of its end is repaired, its loss counted, and numbers go on", async (t) => {
  const made = join(scratchFolder(t), "made");
  const writer = await openSeries(options(made));
  for (let index = 0; index < 3; index++) writer.append(unnumbered(`é${index}`));
  await writer.close();
  const bytes = readFileSync(join(made, "t-0.log"));
  const lastTwo = bytes.subarray(0, -1).lastIndexOf(10, bytes.subarray(0, -1).lastIndexOf(10) - 1) + 1;
  for (let end = lastTwo; end <= bytes.length; end++) {
    const dir = join(scratchFolder(t), String(end));
    mkdirSync(dir);
    writeFileSync(join(dir, "t-0.log"), bytes.subarray(0, end));
    await run(dir, 2);
    const lines = seriesLines(dir);
    assert.deepEqual(seqsOf(lines), upTo(seqsOf(lines).length), `cut at ${end}`);
    const isWhole = bytes[end - 1] === 10 || bytes[end] === 10;
    const losses = controlsOf(fileLines(join(dir, "t-0.log")), "loss");
    assert.deepEqual(
      losses.map((loss) => loss["records"]),
      isWhole ? [] : [1],
      `cut at ${end}`,
    );
  }
});

test("rotation happens between lines, and joined files equal the unrotated one", async (t) => {
  const [whole, rotated] = [scratchFolder(t), scratchFolder(t)];
  await run(whole, 500, { now: () => 0 });
  await run(rotated, 500, { now: () => 0, maxFileBytes: 5_000 });
  assert.ok(seriesFiles(rotated).length > 10);
  for (const file of seriesFiles(rotated)) assert.ok(readFileSync(join(rotated, file)).length <= 5_000);
  assert.deepEqual(seriesLines(rotated), seriesLines(whole));
});

test("rotation by age begins a new file with the next record", async (t) => {
  const dir = scratchFolder(t);
  let now = 0;
  const writer = await openSeries(options(dir, { maxFileAgeMs: 1000, now: () => now }));
  for (const time of [10, 990, 1000, 1001, 2000]) {
    now = time;
    writer.append(unnumbered(`at${time}`));
    await writer.flush();
  }
  await writer.close();
  const names = seriesFiles(dir).map((file) => fileLines(join(dir, file)).flatMap(({ name }) => name ?? []));
  assert.deepEqual(names, [["at10", "at990"], ["at1000", "at1001"], ["at2000"]]);
});

test("retention by bytes counts all runs and spares the live file", async (t) => {
  const dir = scratchFolder(t);
  for (let count = 0; count < 4; count++) await run(dir, 10);
  await run(dir, 10, { keepBytes: 1 });
  assert.deepEqual(seriesFiles(dir), ["t-4.log"]);
  assert.deepEqual(seqsOf(seriesLines(dir)), [41, 42, 43, 44, 45, 46, 47, 48, 49, 50]);
});

test("a second writer of the same series is refused while the first one lives", async (t) => {
  const dir = scratchFolder(t);
  const first = await openSeries(options(dir));
  await assert.rejects(
    openSeries(options(dir)),
    (error) => error instanceof WaymarkError && error.code === "WM_PROXY_OUT_TAKEN",
  );
  const other = await openSeries(options(dir, { name: "other" }));
  await first.close();
  await other.close();
  await run(dir, 1);
});

test("the lock of a dead process, a half written one and one of a reused process id are taken over", async (t) => {
  const dir = scratchFolder(t);
  const dead = { pid: 2 ** 22 + 1, started: "1", host: (await import("node:os")).hostname(), token: "x" };
  for (const content of [dead, { ...dead, pid: process.pid }, { ...dead, pid: process.ppid, started: "-1" }]) {
    if (content.pid === process.ppid && process.platform !== "linux") continue;
    writeFileSync(join(dir, ".t.lock"), JSON.stringify(content));
    await run(dir, 1);
  }
  assert.deepEqual(seqsOf(seriesLines(dir)).at(-1), process.platform === "linux" ? 3 : 2);
});

test("a folder that cannot be written is refused with its code", async (t) => {
  const dir = scratchFolder(t);
  writeFileSync(join(dir, "file"), "");
  await assert.rejects(
    openSeries(options(join(dir, "file", "logs"))),
    (error) => error instanceof WaymarkError && error.code === "WM_PROXY_OUT_UNWRITABLE",
  );
});

test("a name that is empty, a path or no file name is refused before anything is made", async (t) => {
  const dir = join(scratchFolder(t), "logs");
  for (const name of ["", "a/b", "..\\b", "a:b", "a\nb", "x".repeat(201)]) {
    await assert.rejects(openSeries(options(dir, { name })), (error) => {
      return error instanceof WaymarkError && error.code === "WM_USAGE";
    });
  }
  assert.ok(!existsSync(dir));
  await run(dir, 1, { name: "übung 1.2" });
  assert.deepEqual(seriesFiles(dir), ["übung 1.2-0.log"]);
});

test("records beyond the queue are lost, counted, and their place is marked", async (t) => {
  const dir = scratchFolder(t);
  const writer = await openSeries(options(dir, { maxQueueChars: 2_000 }));
  const taken = upTo(50).map((index) => writer.append(unnumbered(`burst${index}`)));
  const lost = taken.filter((isTaken) => !isTaken).length;
  assert.ok(lost > 0);
  await writer.flush();
  writer.append(unnumbered("after"));
  const counts = await writer.close();
  assert.deepEqual([counts.written, counts.lost], [51 - lost, lost]);
  const lines = seriesLines(dir);
  assert.deepEqual(seqsOf(lines), upTo(51 - lost));
  const [loss = {}] = controlsOf(lines, "loss");
  assert.equal(loss["records"], lost);
  const place = lines.findIndex((line) => at(line, "$capture", "control") === "loss");
  assert.equal(lines[place + 1]?.["name"], "after");
});

test("what another program appends stays, and is never glued to a record", async (t) => {
  const dir = scratchFolder(t);
  const writer = await openSeries(options(dir));
  writer.append(unnumbered("a"));
  await writer.flush();
  appendFileSync(writer.file, '{"name":"foreign"}');
  writer.append(unnumbered("b"));
  await writer.close();
  assert.deepEqual(
    seriesLines(dir).map(({ name }) => name),
    [null, "a", "foreign", "b", null],
  );
});

test("a live file that is moved or deleted is replaced by a new one, and the loss noted", async (t) => {
  const dir = scratchFolder(t);
  const problems: string[] = [];
  const writer = await openSeries(options(dir, { onProblem: (message) => problems.push(message) }));
  writer.append(unnumbered("a"));
  await writer.flush();
  rmSync(writer.file);
  writer.append(unnumbered("b"));
  await writer.close();
  const lines = seriesLines(dir);
  assert.deepEqual(seqsOf(lines), [2]);
  assert.equal(controlsOf(lines, "loss")[0]?.["records"], 1);
  assert.equal(problems.length, 1);
  assert.deepEqual(seriesFiles(dir), ["t-1.log"]);
});

test("a deleted folder is made again, told once, and what was in it counts as lost", async (t) => {
  const dir = join(scratchFolder(t), "logs");
  const problems: string[] = [];
  const writer = await openSeries({ dir, name: "t", maxFileBytes: 1e6, onProblem: (text) => problems.push(text) });
  for (let count = 0; count < 5; count++) writer.append(unnumbered("gone"));
  await writer.flush();
  rmSync(dir, { recursive: true });
  writeFileSync(dir, "in its place");
  writer.append(unnumbered("after"));
  for (let attempt = 0; attempt < 3; attempt++) await writer.flush();
  assert.equal(problems.filter((text) => text.includes("moved or deleted")).length, 1);
  rmSync(dir);
  await writer.flush();
  assert.ok(existsSync(join(dir, ".t.lock")));
  assert.equal(problems.filter((text) => text.includes("moved or deleted")).length, 1);
  await writer.close();
  const lines = seriesLines(dir);
  assert.deepEqual(
    controlsOf(lines, "loss").map(({ records, why }) => [records, why]),
    [[5, "the file was moved or deleted by another program"]],
  );
  assert.deepEqual(seqsOf(lines), [6]);
  assert.ok(!existsSync(join(dir, ".t.lock")));
});

test("of a deleted folder with several files of the capture, the number of lost records is unknown", async (t) => {
  const dir = join(scratchFolder(t), "logs");
  const writer = await openSeries({ dir, name: "t", maxFileBytes: 1_000 });
  for (let count = 0; count < 30; count++) writer.append(unnumbered("gone"));
  await writer.flush();
  rmSync(dir, { recursive: true });
  writer.append(unnumbered("after"));
  await writer.close();
  assert.equal(controlsOf(seriesLines(dir), "loss")[0]?.["records"], null);
});

test("a file truncated to the middle of a line keeps only whole lines", async (t) => {
  const dir = scratchFolder(t);
  const writer = await openSeries(options(dir));
  for (const name of ["a", "b", "c"]) writer.append(unnumbered(name));
  await writer.flush();
  truncateSync(writer.file, readFileSync(writer.file).length - 30);
  writer.append(unnumbered("d"));
  await writer.close();
  const lines = seriesLines(dir);
  assert.deepEqual(
    lines.flatMap(({ name }) => name ?? []),
    ["a", "b", "d"],
  );
  assert.equal(controlsOf(lines, "loss").length, 1);
});

test("a tick is written only while nothing else waits", async (t) => {
  const dir = scratchFolder(t);
  const writer = await openSeries(options(dir));
  writer.tick();
  await writer.flush();
  writer.append(unnumbered("a"));
  writer.tick();
  await writer.close();
  assert.equal(controlsOf(seriesLines(dir), "tick").length, 1);
});
