import assert from "node:assert/strict";
import test from "node:test";
import { AnswerBudget } from "../../../../proxy/intercept/answer-copy.ts";
import { BodyCopy, PREFIX_BYTES } from "../../../../proxy/intercept/body-copy.ts";

const MEGABYTE = 1 << 20;

function copyOf({ maxBytes = 8 * MEGABYTE, budget = new AnswerBudget(64 * MEGABYTE), length = 0 } = {}) {
  return new BodyCopy({ maxBytes, budget, headers: length === 0 ? [] : [["Content-Length", String(length)]] });
}

/** Adds so many megabytes, each of its own byte. */
function fill(copy: BodyCopy, megabytes: number): void {
  for (let number = 0; number < megabytes; number += 1) copy.add(Buffer.alloc(MEGABYTE, number));
}

test("a body up to the cap is whole, one over it keeps its beginning", () => {
  const whole = copyOf();
  fill(whole, 8);
  assert.deepEqual([whole.bytes().length, whole.isCut, whole.bytes()[7 * MEGABYTE]], [8 * MEGABYTE, false, 7]);
  const long = copyOf();
  fill(long, 9);
  assert.deepEqual([long.bytes().length, long.isCut], [PREFIX_BYTES, true]);
  fill(long, 100);
  assert.equal(long.bytes().length, PREFIX_BYTES);
});

test("a body whose declared length is over the cap never takes room", () => {
  const budget = new AnswerBudget(64 * MEGABYTE);
  const copy = copyOf({ budget, length: 200 * MEGABYTE });
  fill(copy, 4);
  assert.deepEqual([copy.bytes().length, copy.isCut], [PREFIX_BYTES, true]);
  assert.equal(budget.take(64 * MEGABYTE), 64 * MEGABYTE, "nothing is borrowed");
});

test("large bodies share a budget; what is refused is cut, what is released can be used again", () => {
  const budget = new AnswerBudget(8 * MEGABYTE);
  const [first, second, third] = [copyOf({ budget }), copyOf({ budget }), copyOf({ budget })];
  fill(first, 6);
  fill(second, 6);
  assert.deepEqual([first.isCut, second.isCut, second.bytes().length], [false, true, PREFIX_BYTES]);
  first.release();
  fill(third, 8);
  assert.deepEqual([third.isCut, third.bytes().length], [false, 8 * MEGABYTE]);
  third.release();
  assert.equal(budget.take(8 * MEGABYTE), 8 * MEGABYTE, "all is given back");
});

test("small bodies need no budget", () => {
  const copy = copyOf({ budget: new AnswerBudget(0) });
  fill(copy, 1);
  assert.deepEqual([copy.isCut, copy.bytes().length], [false, MEGABYTE]);
});
