import assert from "node:assert/strict";
import test from "node:test";
import { cutTo, padTo, widthOf } from "../../../grader/watch/width.ts";

test("a text takes the columns a terminal gives it", () => {
  const cases: readonly (readonly [string, number])[] = [
    ["", 0],
    ["plain", 5],
    ["日本語", 6],
    ["한국어", 6],
    ["ｆｕｌｌ", 8],
    ["e\u0301", 1],
    ["👍", 2],
    ["● ◐ ○", 5],
    ["שלום", 4],
  ];
  for (const [text, width] of cases) assert.equal(widthOf(text), width, text);
});

test("cutting never leaves half a wide letter, and says that something is missing", () => {
  assert.equal(cutTo("日本語", 6), "日本語");
  assert.equal(cutTo("日本語", 5), "日本…");
  assert.equal(cutTo("日本語", 4), "日…");
  assert.equal(cutTo("plain", 1), "…");
  assert.equal(cutTo("plain", 0), "");
  assert.equal(padTo("日本", 6), "日本  ");
});
