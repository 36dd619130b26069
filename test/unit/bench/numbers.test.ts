import assert from "node:assert/strict";
import test from "node:test";
import { median, pairedRatio, parseSize, quantile, shown, table } from "../../../bench/numbers.ts";

test("the median is the middle value, or the mean of the two middle ones", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(median([]), Number.NaN);
});

test("a quantile is the value with that share below it", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.equal(quantile(hundred, 0.5), 51);
  assert.equal(quantile(hundred, 0.99), 100);
  assert.equal(quantile([7], 0.99), 7);
});

test("a paired ratio compares within a round, so that a slow round does not count twice", () => {
  assert.equal(pairedRatio([10, 100, 1000], [5, 50, 500]), 2);
  assert.equal(pairedRatio([10, 100], []), Number.NaN);
});

test("sizes are written with a unit", () => {
  assert.equal(parseSize("100MB"), 1e8);
  assert.equal(parseSize("1.5gb"), 1.5e9);
  for (const wrong of ["100", "MB", "-1MB", "1TB", ""]) assert.throws(() => parseSize(wrong), /a size is written like/);
});

test("a table lines up its columns and shows what is not known as a dash", () => {
  assert.equal(
    table(
      ["way", "MB"],
      [
        ["a", shown(1.26, 1)],
        ["longer", shown(undefined, 1)],
      ],
    ),
    "way      MB\n------  ---\na       1.3\nlonger    –\n",
  );
});
