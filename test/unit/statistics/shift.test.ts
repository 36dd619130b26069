import assert from "node:assert/strict";
import test from "node:test";
import { shiftBetween } from "../../../grader/statistics/shift.ts";

test("the shift's interval has the ranks of the published Mann-Whitney tables", () => {
  // Two sided, 5%: critical U of 0, 2, 8, 13, 23, 127 (and none for 3 and 3), so the interval starts at rank U + 1.
  const table = [
    [4, 4, 0],
    [5, 5, 2],
    [7, 7, 8],
    [8, 8, 13],
    [10, 10, 23],
    [20, 20, 127],
    [3, 5, 0],
    [5, 10, 8],
  ] as const;
  for (const [n, m, critical] of table) {
    const a = Array.from({ length: n }, (_, index) => 1000 + index * 31.7);
    const b = Array.from({ length: m }, (_, index) => index * 7.13);
    const differences = a.flatMap((x) => b.map((y) => x - y)).sort((x, y) => x - y);
    const got = shiftBetween(a, b);
    assert.equal(got?.interval?.low, differences[critical], `${n} and ${m}`);
    assert.equal(got?.interval?.high, differences[n * m - 1 - critical], `${n} and ${m}`);
  }
  assert.equal(shiftBetween([1, 2, 3], [4, 5, 6])?.interval, undefined);
  assert.equal(shiftBetween([1, 2, 3], [4, 5, 6])?.estimate, -3);
  assert.equal(shiftBetween([], [1]), undefined);
});

test("the normal approximation of the shift continues the exact ranks", () => {
  // The table's critical U for 40 and 40 at 5% is 597 by the normal law: 800 - 1.96 * sqrt(1600 * 81 / 12) = 596.3.
  const a = Array.from({ length: 40 }, (_, index) => 1000 + index);
  const b = Array.from({ length: 40 }, (_, index) => index / 100);
  const differences = a.flatMap((x) => b.map((y) => x - y)).sort((x, y) => x - y);
  assert.equal(shiftBetween(a, b)?.interval?.low, differences[595]);
});
