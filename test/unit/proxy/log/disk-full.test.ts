import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { openSeries } from "../../../../proxy/log/writer.ts";
import { controlsOf, fileLines, seqsOf, seriesFiles, seriesLines, unnumbered, upTo } from "../../../support/series.ts";
import { mount, needsSmallDisk, smallDisk } from "../../../support/small-disk.ts";

test("a full disk costs counted records, and after it only whole lines follow", needsSmallDisk, async (t) => {
  const dir = smallDisk(t);
  if (dir === undefined) return;
  const problems: string[] = [];
  const writer = await openSeries({
    dir,
    name: "t",
    maxFileBytes: 300_000,
    maxQueueChars: 400_000,
    onProblem: (text) => problems.push(text),
  });
  for (let count = 0; count < 3_000; count++) {
    writer.append(unnumbered(`e${count}`, 1_000));
    if (count % 100 === 0) await writer.flush();
  }
  const { lost } = writer.counts();
  assert.ok(lost > 1_000, `${lost} lost`);
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /the disk is full \(ENOSPC\)/);
  for (const file of seriesFiles(dir)) fileLines(join(dir, file));
  assert.equal(controlsOf(seriesLines(dir), "loss").length, 1, "killed now, the capture would say it is incomplete");

  assert.ok(mount("-o", "remount,size=8m", dir));
  await writer.flush();
  for (let count = 0; count < 10; count++) writer.append(unnumbered("after", 1_000));
  const counts = await writer.close();
  const lines = seriesLines(dir);
  assert.deepEqual([counts.written, counts.lost], [3_010 - lost, lost]);
  assert.deepEqual(seqsOf(lines), upTo(counts.written));
  assert.deepEqual(
    controlsOf(lines, "loss").map((loss) => [loss["records"], loss["why"]]),
    [[lost, "the disk is full (ENOSPC)"]],
  );
  assert.equal(lines.filter(({ name }) => name === "after").length, 10);
  assert.equal(controlsOf(lines, "stop")[0]?.["lost"], lost);
});

test("a capture that ends on a full disk says that it is incomplete", needsSmallDisk, async (t) => {
  const dir = smallDisk(t);
  if (dir === undefined) return;
  for (const size of [90, 333, 1_000, 4_096, 50_000]) {
    const writer = await openSeries({ dir, name: `s${size}`, maxFileBytes: 10_000_000 });
    const total = Math.ceil(2_500_000 / size);
    for (let count = 0; count < total; count++) writer.append(unnumbered("e", size));
    const counts = await writer.close();
    const lines = fileLines(writer.file);
    assert.equal(counts.written + counts.lost, total);
    assert.deepEqual(seqsOf(lines), upTo(counts.written));
    assert.equal(controlsOf(lines, "loss").at(-1)?.["records"], counts.lost, `records of ${size} bytes`);
    spawnSync("rm", ["-f", writer.file]);
  }
});
