import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { LOG_KINDS, type LogKind, logText } from "../../bench/generate.ts";
import { MARKERS } from "../../bench/markers.ts";
import { type Gradable, gradeLog, seated } from "../support/scan-differential.ts";
import { scratchFolder } from "../support/scratch.ts";

const BLOCK_BYTES = 1 << 15;

test("several threads give what one gives, on every kind of log, and share the reading", async (t) => {
  const folder = scratchFolder(t);
  const seats = seated([{ markers: MARKERS.map(({ event, where }) => ({ event, where })) }]);
  const one: Gradable = { seats, blockBytes: BLOCK_BYTES, lineBytes: 1 << 24 };
  let shared = 0;
  let quicklyShared = 0;
  const kinds = Object.keys(LOG_KINDS) as LogKind[];
  const logs = kinds.map((kind) => [kind, [...logText({ kind, bytes: 3_000_000, seed: 5 })].join("")] as const);
  for (const [kind, log] of [...logs, ["more lines than a block has records", crowded()] as const]) {
    const files = writeFiles(folder, log);
    const alone = await gradeLog(files, one, { mode: "plain", rule: { kind: "all" } });
    const blocks = files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / BLOCK_BYTES) + 1, 0);
    for (const helpers of [1, 3]) {
      const together = await gradeLog(files, one, { mode: "scan", rule: { kind: "all" }, helpers });
      assert.deepEqual(together.outcome, alone.outcome, `${kind} with ${helpers} more threads`);
      shared += blocks - together.reads;
    }
    const quick = await gradeLog(files, one, { mode: "quick", rule: { kind: "all" } });
    const shares = await gradeLog(files, one, { mode: "quick", rule: { kind: "all" }, helpers: 1 });
    assert.deepEqual(shares.outcome, quick.outcome, `${kind}, lines taken for readable`);
    quicklyShared += blocks - shares.reads;
  }
  assert.ok(shared > 50, `only ${shared} blocks were read by other threads`);
  assert.ok(quicklyShared > 20, `only ${quicklyShared} were where lines are taken for readable`);
});

/** Nothing but lines of three bytes between what is looked for: eleven thousand in a block. */
function crowded(): string {
  const events = [...logText({ kind: "sparse", bytes: 20_000, seed: 5 })].join("").split("\n").slice(0, -1);
  return events.map((event) => `${event}\n${"{}\n".repeat(40_000)}`).join("");
}

/** The log over three files, one of them cut in the middle of a line; when the second comes, all threads have started. */
function writeFiles(folder: string, log: string): readonly string[] {
  const cuts = [0, log.indexOf("\n", log.length / 3) + 1, Math.floor((2 * log.length) / 3), log.length];
  return cuts.slice(1).map((end, index) => {
    const file = join(folder, `t-${index}.log`);
    writeFileSync(file, log.slice(cuts[index], end));
    return file;
  });
}
