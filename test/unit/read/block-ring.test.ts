import assert from "node:assert/strict";
import test from "node:test";
import { BlockRing } from "../../../grader/read/block-ring.ts";

const HELPER = { threads: 2, index: 1 };

function ring(): BlockRing {
  const made = new BlockRing();
  made.restart();
  return made;
}

test("a block has one claimant, and the helper leaves the grading thread its share", () => {
  const blocks = ring();
  assert.equal(blocks.claim(0), true);
  assert.equal(blocks.claim(0), false);
  assert.equal(blocks.claimAhead(HELPER), 1);
  assert.equal(blocks.claim(1), false);
  assert.equal(blocks.claimAhead(HELPER), 3, "2 is the grading thread's");
  assert.equal(blocks.claim(2), true);
});

test("a helper runs no further ahead than there is room", () => {
  const blocks = ring();
  const claims = [1, 2, 3, 4].map(() => blocks.claimAhead(HELPER));
  assert.deepEqual(claims, [1, 3, 4, 5], "its own, and what is far enough to be anybody's");
  blocks.reach(1);
  assert.equal(blocks.claimAhead(HELPER), 6);
  blocks.reach(2);
  assert.equal(blocks.claimAhead(HELPER), 7);
});

test("while it waits for a block, the grading thread claims what is behind it, as far as there is room", () => {
  const blocks = ring();
  assert.equal(blocks.claimAhead(HELPER), 1);
  assert.equal(blocks.isDone(1), false);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => blocks.claimBehind(1)),
    [2, 3, 4, 5, undefined],
  );
  blocks.finish(1, 100);
  assert.equal(blocks.isDone(1), true);
  blocks.reach(1);
  assert.equal(blocks.claimAhead(HELPER), 6, "the helper goes on where there is room again");
});

test("what a helper finished can be taken by another thread over the same memory; of the rest nothing comes in time", () => {
  const blocks = ring();
  const other = new BlockRing(blocks.memory);
  other.records(3).set([7, 8], 0);
  other.finish(3, 100, { from: 10, end: 90, lines: 0, isText: true });
  const taken = blocks.take(3, 0);
  assert.deepEqual(
    [taken?.length, taken?.scanned?.from, taken?.scanned?.end, taken?.scanned?.isText],
    [100, 10, 90, true],
  );
  other.finish(5, 40);
  assert.deepEqual(blocks.take(5, 0), { length: 40, scanned: undefined });
  assert.equal(blocks.take(7, 1), undefined);
});

test("a block that a helper could not read is left to the grading thread at once", () => {
  const blocks = ring();
  new BlockRing(blocks.memory).giveUp(5);
  assert.deepEqual(blocks.take(5, 0), { scanned: undefined });
});

test("once the file is let go of nothing more is claimed ahead, and one still at work is told apart", () => {
  const blocks = ring();
  blocks.enter();
  assert.equal(blocks.stop(1), false);
  assert.equal(blocks.claimAhead(HELPER), undefined);
  blocks.leave();
  assert.equal(blocks.stop(1), true);
});
