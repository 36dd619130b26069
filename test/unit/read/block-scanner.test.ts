import assert from "node:assert/strict";
import test from "node:test";
import { BlockRing } from "../../../grader/read/block-ring.ts";
import { BlockScanner, type ReadAt } from "../../../grader/read/block-scanner.ts";
import { createLineKernel } from "../../../grader/read/line-kernel.ts";
import { roomFor } from "../../../grader/read/scan-ahead.ts";

const BLOCK_BYTES = 4096;
const KEYS = { name: "name", time: "time" };
const FILE = Buffer.from('{"name":"a"}\n'.repeat(2000));

/** Blocks of which the third is claimed, and what scans it. */
function claimed(): { readonly ring: BlockRing; readonly scanner: BlockScanner } {
  const room = roomFor(1, BLOCK_BYTES, { isShared: true });
  const kernel = createLineKernel(KEYS, BLOCK_BYTES, { room, index: 0 });
  assert.ok(kernel !== undefined);
  const ring = new BlockRing();
  ring.restart();
  assert.ok(ring.claim(3));
  return { ring, scanner: new BlockScanner(kernel, { isQuick: false }) };
}

/** What a thread that takes block 3 finds when it was read so. */
function blockReadBy(readAt: ReadAt): ReturnType<BlockRing["take"]> & { readonly bytes: number } {
  const { ring, scanner } = claimed();
  const bytes = scanner.fill(ring, 3, readAt);
  const taken = ring.take(3, 0);
  assert.ok(taken !== undefined, "whoever takes it would wait for ever");
  return { ...taken, bytes };
}

const readAll: ReadAt = (into, position) => FILE.copy(into, 0, position, position + into.length);

test("a block is read and scanned from the line on that begins before it", () => {
  const { bytes, length, scanned } = blockReadBy(readAll);
  assert.deepEqual([bytes, length], [BLOCK_BYTES, BLOCK_BYTES]);
  const lines = '{"name":"a"}\n'.length;
  const begun = (3 * BLOCK_BYTES) % lines; // bytes of a line in the block before
  assert.equal((scanned?.records.length ?? 0) / 16, Math.floor((BLOCK_BYTES + begun) / lines));
});

// What stands before the block is read with it; a network share may bring not even all of that.
for (const brought of [0, 1, 100, 3 * BLOCK_BYTES]) {
  test(`a read of ${brought} bytes, which do not reach the block, says nothing about where the file ends`, () => {
    const taken = blockReadBy((into, position) => readAll(into.subarray(0, brought), position));
    assert.deepEqual([taken.bytes, taken.length, taken.scanned], [0, undefined, undefined]);
  });
}

test("a block that cannot be read is left at once to whoever takes it, who meets the error", () => {
  const { ring, scanner } = claimed();
  const eio = Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
  const fail: ReadAt = () => {
    throw eio;
  };
  assert.throws(() => scanner.fill(ring, 3, fail), eio);
  assert.deepEqual(ring.take(3, 0), { scanned: undefined });
});
