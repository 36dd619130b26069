import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { openSeries } from "../../../../proxy/log/writer.ts";
import { scratchFolder } from "../../../support/scratch.ts";
import { controlsOf, seqsOf, seriesLines, upTo } from "../../../support/series.ts";

const CHILD = fileURLToPath(new URL("../../../support/writer-child.js", import.meta.url));
const WANTED = 100_000;

/** Lets a child write until it has handed over about `count` records, then kills it without warning. */
async function writeAndKill(dir: string, count: number): Promise<void> {
  const child = spawn(process.execPath, [CHILD, dir, "t", "1000000"], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (text.split("\n").some((line) => Number(line) >= count)) child.kill("SIGKILL");
  });
  await exited;
}

test("numbers stay whole over 100,000 records and kill -9 at random moments", { timeout: 120_000 }, async (t) => {
  const dir = scratchFolder(t);
  let kills = 0;
  for (let written = 0; written < WANTED; kills++) {
    await writeAndKill(dir, 2_000 + Math.floor(Math.random() * 18_000));
    written = (await lastSeq(dir)) ?? 0;
  }
  const lines = seriesLines(dir);
  const seqs = seqsOf(lines);
  assert.ok(seqs.length >= WANTED);
  assert.deepEqual(seqs, upTo(seqs.length));
  const losses = controlsOf(lines, "loss");
  assert.ok(losses.length <= kills);
  t.diagnostic(`${kills} kills, ${losses.length} torn lines, ${seqs.length} records`);
});

/** What the next start finds; it also repairs, as it would in life. */
async function lastSeq(dir: string): Promise<number> {
  const writer = await openSeries({ dir, name: "t", maxFileBytes: 1_000_000 });
  const last = writer.nextSeq - 1;
  await writer.close();
  return last;
}
