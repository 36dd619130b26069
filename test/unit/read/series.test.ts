import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import test from "node:test";
import { findLogs, type Series } from "../../../grader/read/series.ts";
import { scratchFolder } from "../../support/scratch.ts";

function folderWith(t: Parameters<typeof scratchFolder>[0], files: readonly string[]): string {
  const folder = scratchFolder(t);
  for (const file of files) writeFileSync(join(folder, file), "");
  return folder;
}

function names(series: Series | undefined): (string | undefined)[] {
  return series?.segments.map(({ file }) => basename(file)) ?? [];
}

test("a folder gives each of its series, ordered by number, and single files of their own", async (t) => {
  const folder = folderWith(t, ["b-10.log", "b-2.log", "a-0.log", "x.ndjson", "y.jsonl", "notes.txt", "z-01.log"]);
  mkdirSync(join(folder, "dir.log"));
  const { series, missing } = await findLogs([folder]);
  assert.deepEqual(series.map(names), [["a-0.log"], ["b-2.log", "b-10.log"], ["x.ndjson"], ["y.jsonl"], ["z-01.log"]]);
  assert.deepEqual(missing, []);
});

test("a file gives its series from that file on", async (t) => {
  const folder = folderWith(t, ["t-0.log", "t-1.log", "t-2.log", "other-3.log"]);
  const { series } = await findLogs([join(folder, "t-1.log")]);
  assert.deepEqual(series.map(names), [["t-1.log", "t-2.log"]]);
  assert.deepEqual(
    series[0]?.before.map(({ file }) => basename(file)),
    ["t-0.log"],
  );
  assert.equal(series[0]?.isNamedFile, true);
});

test("a glob gives the series it touches, only the files it matches", async (t) => {
  const folder = folderWith(t, ["t-0.log", "t-1.log", "t-2.log", "n.ndjson"]);
  const { series } = await findLogs([join(folder, "t-[12].log"), join(folder, "*.ndjson")]);
  assert.deepEqual(series.map(names), [["t-1.log", "t-2.log"], ["n.ndjson"]]);
});

test("a file whose name looks like a glob is that file", async (t) => {
  const folder = folderWith(t, ["run[1].ndjson"]);
  const { series } = await findLogs([join(folder, "run[1].ndjson")]);
  assert.deepEqual(series.map(names), [["run[1].ndjson"]]);
});

test("the same series named twice comes once", async (t) => {
  const folder = folderWith(t, ["t-0.log"]);
  const { series } = await findLogs([folder, folder, "-", "-"]);
  assert.deepEqual(
    series.map(({ kind }) => kind),
    ["files", "stream"],
  );
});

test("what leads nowhere is missing, with the reason", async (t) => {
  const folder = folderWith(t, ["notes.txt"]);
  const { series, missing } = await findLogs([folder, join(folder, "no.log"), join(folder, "no-*.log")]);
  assert.deepEqual(series, []);
  assert.deepEqual(
    missing.map(({ why }) => why.replace(folder, "F").replaceAll("\\", "/")),
    ["F holds no log (*.log, *.ndjson, *.jsonl)", "F/no.log does not exist", "no file matches F/no-*.log"],
  );
});

test("names the system cannot follow are missing, with its code; links in a circle are passed over in a folder", async (t) => {
  const folder = folderWith(t, ["t-0.log"]);
  const circle = join(folder, "circle.log");
  if (!tryLinking(circle)) return t.skip("links cannot be made here");
  const long = join(folder, "x".repeat(5000));
  const { missing } = await findLogs([circle, long, join(folder, "t-0.log", "x.log"), "a\0b", ""]);
  assert.match(missing[0]?.why ?? "", /circle\.log cannot be read \(ELOOP\)$/);
  assert.match(missing[1]?.why ?? "", /(?:cannot be read \(ENAMETOOLONG\)|does not exist)$/);
  assert.match(missing[2]?.why ?? "", /(?:cannot be read \(ENOTDIR\)|does not exist)$/);
  assert.deepEqual([missing.length, missing[4]?.why], [5, "the name given is empty"]);
  const { series } = await findLogs([folder]);
  assert.deepEqual(series.map(names), [["t-0.log"]]);
});

function tryLinking(circle: string): boolean {
  try {
    symlinkSync(basename(circle), circle);
    return true;
  } catch {
    return false;
  }
}

test("files of one series, named one by one, are that series from the lowest of them on, once", async (t) => {
  const folder = folderWith(t, ["t-0.log", "t-1.log", "t-2.log", "t-3.log", "u-0.log"]);
  const { series } = await findLogs(["t-2.log", "t-1.log", "u-0.log", "t-3.log"].map((file) => join(folder, file)));
  assert.deepEqual(series.map(names), [["t-1.log", "t-2.log", "t-3.log"], ["u-0.log"]]);
  assert.deepEqual(
    series.map(({ label, isNamedFile }) => [basename(label), isNamedFile]),
    [
      ["t-1.log", false],
      ["u-0.log", true],
    ],
  );
});
