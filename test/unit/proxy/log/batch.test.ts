import assert from "node:assert/strict";
import test from "node:test";
import { makeBatch } from "../../../../proxy/log/batch.ts";
import type { Waiting } from "../../../../proxy/log/queue.ts";

/** Records of many lengths, with letters of one to four bytes; together some 300 KB. */
const TEXTS = Array.from({ length: 400 }, (_, index) => `${index} ${"aé漢😀".repeat((index * 37) % 150)}`);
const RECORDS = TEXTS.map((text): Waiting => ({ kind: "record", line: { before: `[${text}`, after: `${text}]` } }));
const WRITTEN = TEXTS.map((text, index) => `[${text}${index + 7}${text}]\n`).join("");

test("records are numbered one by one and written as they are, in a buffer that is there or in one of their own", () => {
  for (const bytes of [0, 1_000, 3_000_000]) {
    const scratch = Buffer.alloc(bytes, 0xff);
    const { buffer, entries } = makeBatch(RECORDS, { firstSeq: 7, at: 0, scratch });
    assert.equal(buffer.toString("utf8"), WRITTEN);
    assert.equal(entries, RECORDS);
    assert.equal(buffer.buffer === scratch.buffer, bytes === 3_000_000);
  }
});

test("control lines have no number, wherever they stand", () => {
  const loss: Waiting = { kind: "loss", loss: { records: 3, why: "a test" } };
  const scratch = Buffer.alloc(3_000_000);
  const { buffer } = makeBatch([...RECORDS.slice(0, 1), loss, ...RECORDS.slice(1)], { firstSeq: 7, at: 0, scratch });
  const lines = buffer.toString("utf8").split("\n");
  assert.match(lines.splice(1, 1)[0] ?? "", /"control":"loss".*"records":3/);
  assert.equal(lines.join("\n"), WRITTEN);
});
