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
    lost: undefined,
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

// One that was given up on may still be in a system call that writes to the very block.
test("a block that another thread failed to bring is read once that thread is gone", async () => {
  const told: string[] = [];
  let leave: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let lost: Promise<void> | undefined;
  const file: OpenFile = {
    readNow: (into, position) => {
      told.push(`read at ${position}`);
      return Math.min(into.length, 16 - position);
    },
    read: () => assert.fail("this thread waits for what it reads"),
    stat: () => assert.fail("it is not asked for"),
    close: () => Promise.resolve(),
  };
  const ahead: Ahead = {
    isTheirs: (at) => at === 8 && lost === undefined,
    take: () => {
      lost = gone;
      setTimeout(() => {
        told.push("gone");
        leave();
      }, 20);
      return undefined;
    },
    reach: () => undefined,
    end: () => undefined,
    get lost() {
      return lost;
    },
  };
  const blocks = [Buffer.alloc(BLOCK_BYTES), Buffer.alloc(BLOCK_BYTES)] as const;
  await new BlockReader(blocks, ahead).read(file, 0, { take: () => undefined, isDone: () => false });
  assert.deepEqual(told, ["read at 0", "gone", "read at 8", "read at 16"]);
});

test("a source that always has more leaves timers their turn", async () => {
  const giveUpAt = performance.now() + 5000;
  let hasHadTurn = false;
  const file: OpenFile = {
    read: async (into) => (performance.now() < giveUpAt ? into.length : 0),
    readNow: () => assert.fail("it is waited for"),
    stat: () => assert.fail("it is not asked for"),
    close: () => Promise.resolve(),
  };
  setTimeout(() => {
    hasHadTurn = true;
  }, 1);
  const blocks = [Buffer.alloc(BLOCK_BYTES), Buffer.alloc(BLOCK_BYTES)] as const;
  await new BlockReader(blocks, undefined).read(file, 0, { take: () => undefined, isDone: () => hasHadTurn });
  assert.ok(hasHadTurn);
});

test("an error in what is taken in is told although the next bytes never come", async () => {
  let reads = 0;
  const file: OpenFile = {
    read: (into) => (reads++ === 0 ? Promise.resolve(into.length) : new Promise(() => undefined)),
    readNow: () => assert.fail("it is waited for"),
    stat: () => assert.fail("it is not asked for"),
    close: () => Promise.resolve(),
  };
  const blocks = [Buffer.alloc(BLOCK_BYTES), Buffer.alloc(BLOCK_BYTES)] as const;
  const take = (): never => {
    throw new Error("too new");
  };
  const reading = new BlockReader(blocks, undefined).read(file, 0, { take, isDone: () => false });
  await assert.rejects(reading, /too new/);
});
