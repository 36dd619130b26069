import assert from "node:assert/strict";
import test from "node:test";
import {
  powerToTellApart,
  runsToTellApart,
  smallestVisibleDrop,
  visibleAgainstPerfect,
} from "../../../grader/statistics/detectable.ts";

test("the smallest visible gap against a perfect side is the published one", () => {
  const table = [
    [1, undefined],
    [3, undefined],
    [4, 0],
    [5, 1],
    [10, 5],
    [20, 15],
    [30, 24],
  ] as const;
  for (const [runs, passed] of table) assert.equal(visibleAgainstPerfect(runs), passed, `${runs} runs`);
  assert.throws(() => visibleAgainstPerfect(0), RangeError);
});

test("power sums the outcomes that scipy's Fisher test rejects", () => {
  const table: readonly [number, number, number, number][] = [
    [5, 0.8, 0.95, 0.005274926799999997],
    [20, 0.8, 0.95, 0.16755675839193007],
    [20, 0.9, 0.5, 0.74238878391147],
    [50, 0.8, 0.95, 0.5082866012013275],
    [75, 0.8, 0.95, 0.7596271010386165],
  ];
  for (const [runs, a, b, want] of table) {
    assert.ok(Math.abs(powerToTellApart(runs, [a, b]) - want) < 1e-12, `${runs} runs`);
  }
});

test("the number of runs needed is the first with the wanted power", () => {
  const runs = runsToTellApart([0.5, 0.9]) ?? 0;
  assert.ok(powerToTellApart(runs, [0.5, 0.9]) >= 0.8);
  for (let fewer = 1; fewer < runs; fewer++) assert.ok(powerToTellApart(fewer, [0.5, 0.9]) < 0.8);
  assert.equal(runsToTellApart([0.8, 0.8]), undefined);
  assert.equal(runsToTellApart([0.94, 0.95]), undefined);
});

test("what a given size can see: five runs a side see only a collapse", () => {
  const drop = smallestVisibleDrop(5, 1) ?? 1;
  assert.ok(powerToTellApart(5, [1, drop]) >= 0.8 && powerToTellApart(5, [1, drop + 0.001]) < 0.8);
  assert.ok(drop < 0.2);
  assert.equal(smallestVisibleDrop(3, 1), undefined);
});
