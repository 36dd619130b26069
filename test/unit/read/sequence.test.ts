import assert from "node:assert/strict";
import test from "node:test";
import { Sequence } from "../../../grader/read/sequence.ts";

function steps(numbers: readonly (number | "start")[]): string[] {
  const sequence = new Sequence();
  return numbers.flatMap((number) => {
    if (number !== "start") return [sequence.step(number)];
    sequence.restart();
    return [];
  });
}

test("numbers without a hole are next to each other, wherever they begin", () => {
  assert.deepEqual(steps([7, 8, 9]), ["next", "next", "next"]);
});

test("a hole is a gap, a number of the hole is late, a known number is a repeat", () => {
  assert.deepEqual(steps([1, 5, 3, 3, 2, 4, 5, 6]), [
    "next",
    "gap",
    "late",
    "repeat",
    "late",
    "late",
    "repeat",
    "next",
  ]);
});

test("after a start line numbering goes on or begins again at 1", () => {
  assert.deepEqual(steps([1, 2, "start", 3, "start", 1, 2, 4]), ["next", "next", "next", "next", "next", "gap"]);
  assert.deepEqual(steps([1, 2, 1]), ["next", "next", "repeat"]);
});
