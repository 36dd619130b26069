import assert from "node:assert/strict";
import test from "node:test";
import { BlockPool } from "../../../proxy/block-pool.ts";

test("a block that comes back is used again; a larger one is made for its purpose and not kept", () => {
  const pool = new BlockPool();
  const first = pool.take(10);
  assert.ok(first.byteLength >= 1_000_000);
  pool.giveBack(first);
  assert.equal(pool.take(1000), first);
  const large = pool.take(40_000_000);
  assert.equal(large.byteLength, 40_000_000);
  pool.giveBack(large);
  assert.notEqual(pool.take(10), large);
});

test("no more blocks are kept than a quiet session may hold for ever", () => {
  const pool = new BlockPool();
  const blocks = Array.from({ length: 20 }, () => pool.take(1));
  for (const block of blocks) pool.giveBack(block);
  const again = Array.from({ length: 20 }, () => pool.take(1));
  assert.equal(again.filter((block) => blocks.includes(block)).length, 4);
});
