import assert from "node:assert/strict";
import test from "node:test";
import { type Ahead, BlockReader } from "../../../grader/read/blocks.ts";
import type { OpenFile } from "../../../grader/read/open-file.ts";

const BLOCK_BYTES = 8;

/** Reads a file of `size` bytes whose reads bring `brings` bytes each, then all; tells in which order what was done. */
async function orderOf(size: number, brings: readonly number[]): Promise<string[]> {
  const told: string[] = [];
  let reads = 0;
  let isOver = false;
  const file: OpenFile = {
    readNow: (into, position) => Math.min(brings[reads++] ?? into.length, into.length, size - position),
    read: () => assert.fail("this thread waits for what it reads"),
    stat: () => assert.fail("it is not asked for"),
    close: () => Promise.resolve(),
  };
  const ahead: Ahead = {
    isTheirs: () => false,
    take: () => undefined,
    reach: () => undefined,
    end: () => {
      if (!isOver) told.push("others stopped");
      isOver = true;
    },
  };
  const blocks = [Buffer.alloc(BLOCK_BYTES), Buffer.alloc(BLOCK_BYTES)] as const;
  await new BlockReader(blocks, ahead).read(file, 0, {
    take: ({ bytes }) => told.push(`${bytes.length} bytes taken`),
    isDone: () => false,
  });
  return told;
}

// They would write to where the rest of a line is carried to.
test("where a read comes short, the other threads are stopped before what it brought is taken", async () => {
  assert.deepEqual(await orderOf(20, [8, 3]), [
    "8 bytes taken",
    "others stopped",
    "3 bytes taken",
    "8 bytes taken",
    "1 bytes taken",
  ]);
});

test("while reads bring whole blocks, the other threads go on, until the last block is the file's end", async () => {
  assert.deepEqual(await orderOf(20, []), ["8 bytes taken", "8 bytes taken", "others stopped", "4 bytes taken"]);
});
