import assert from "node:assert/strict";
import test from "node:test";
import { BATCH_BYTES } from "../../../proxy/backlog.ts";
import { BlockPool } from "../../../proxy/block-pool.ts";

test("a block that comes back is used again; a larger one is made for its purpose and not kept", () => {
  const pool = new BlockPool();
  const first = pool.take(10);
  assert.ok(first.byteLength >= BATCH_BYTES, "what is handed over at once fits in");
  const body = pool.take(1_000_000);
  pool.giveBack(first);
  pool.giveBack(body);
  assert.equal(pool.take(BATCH_BYTES), first);
  assert.equal(pool.take(2_000_000), body, "and so does a larger body in a larger one");
  const large = pool.take(40_000_000);
  assert.equal(large.byteLength, 40_000_000);
  pool.giveBack(large);
  assert.notEqual(pool.take(10), large);
});

test("no more blocks are kept than a quiet session may hold for ever", () => {
  const pool = new BlockPool();
  for (const [bytes, kept] of [
    [1, 16],
    [1_000_000, 4],
  ] as const) {
    const blocks = Array.from({ length: 20 }, () => pool.take(bytes));
    for (const block of blocks) pool.giveBack(block);
    const again = Array.from({ length: 20 }, () => pool.take(bytes));
    assert.equal(again.filter((block) => blocks.includes(block)).length, kept);
  }
});
