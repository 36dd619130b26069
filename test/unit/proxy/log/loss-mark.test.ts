import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openSeries, type SeriesWriter } from "../../../../proxy/log/writer.ts";
import { scratchFolder } from "../../../support/scratch.ts";
import { controlsOf, fileLines, seqsOf, seriesLines, unnumbered, upTo } from "../../../support/series.ts";

/** Makes every append fail as on a full disk while `isFull` says so; writing in place takes no room and goes on. */
async function fullDisk(t: TestContext, dir: string, isFull: () => boolean): Promise<void> {
  const probe = await open(join(dir, "probe"), "w");
  const prototype = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const original = prototype.write;
  t.mock.method(prototype, "write", function (this: FileHandle, ...args: unknown[]) {
    const isAppend = typeof args[3] !== "number";
    if (isAppend && isFull()) return Promise.reject(Object.assign(new Error("no space"), { code: "ENOSPC" }));
    return Reflect.apply(original, this, args);
  });
}

async function failing(t: TestContext, records: number): Promise<{ writer: SeriesWriter; dir: string; free(): void }> {
  const dir = scratchFolder(t);
  let isFull = false;
  await fullDisk(t, dir, () => isFull);
  const writer = await openSeries({ dir, name: "t", maxFileBytes: 1_000_000, maxQueueChars: 2_000 });
  for (let count = 0; count < records; count++) writer.append(unnumbered("before"));
  await writer.flush();
  isFull = true;
  writer.append(unnumbered("waiting"));
  await writer.flush();
  return {
    writer,
    dir,
    free() {
      isFull = false;
    },
  };
}

test("from the first failed write on, what is on disk says that it is incomplete", async (t) => {
  const { writer, dir, free } = await failing(t, 12);
  const killed = join(scratchFolder(t), "t-0.log");
  copyFileSync(writer.file, killed);
  const lines = fileLines(killed);
  assert.deepEqual(
    controlsOf(lines, "loss").map(({ records, why }) => [records, why]),
    [[null, "the disk is full (ENOSPC)"]],
  );
  assert.deepEqual(
    lines.at(-1),
    lines.find((line) => controlsOf([line], "loss").length > 0),
    "the last line",
  );
  assert.equal(readFileSync(killed).length, writer.counts().bytes);
  free();
  await writer.close();
  const whole = seriesLines(dir);
  assert.deepEqual(controlsOf(whole, "loss"), [], "all of it was written in the end");
  assert.deepEqual(seqsOf(whole), upTo(13));
});

test("lost records are counted exactly once the disk is free again, and the lines in place of the mark are back", async (t) => {
  const { writer, dir, free } = await failing(t, 3);
  for (let count = 0; count < 50; count++) writer.append(unnumbered("turned away"));
  await writer.flush();
  const { lost } = writer.counts();
  assert.ok(lost > 20);
  assert.equal(controlsOf(seriesLines(dir), "loss").length, 1);
  free();
  await writer.flush();
  const lines = seriesLines(dir);
  assert.deepEqual(
    controlsOf(lines, "loss").map(({ records }) => records),
    [lost],
  );
  assert.deepEqual(seqsOf(lines), upTo(54 - lost));
  await writer.close();
});

test("closing on a full disk leaves one exact loss, also when nothing but the start line was written", async (t) => {
  for (const records of [0, 1, 7]) {
    const { writer, dir } = await failing(t, records);
    const counts = await writer.close();
    const lines = seriesLines(dir);
    assert.equal(counts.written + counts.lost, records + 1);
    assert.deepEqual(seqsOf(lines), upTo(counts.written));
    assert.deepEqual(
      controlsOf(lines, "loss").map(({ records: lost }) => lost),
      [counts.lost],
    );
    t.mock.restoreAll();
  }
});
