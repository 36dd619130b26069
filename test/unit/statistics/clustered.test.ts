import assert from "node:assert/strict";
import test from "node:test";
import {
  averageOverTasks,
  passAtKOverTasks,
  passHatKOverTasks,
  pooledRate,
} from "../../../grader/statistics/clustered.ts";

const of = (passed: number, runs: number) => ({ passed, runs });
const near = (got: number | undefined, want: number, margin = 1e-12) =>
  assert.ok(got !== undefined && Math.abs(got - want) < margin, `got ${got}, want ${want}`);

test("three tasks worked out by hand: mean, standard error, Student interval", () => {
  // pass^2 of 4/4, 2/4, 3/4 is 1, 1/6, 1/2: mean 5/9; deviations 4/9, -7/18, -1/18; sum of squares 114/324.
  const got = passHatKOverTasks([of(4, 4), of(2, 4), of(3, 4)], 2);
  near(got?.estimate, 5 / 9);
  near(got?.standardError, Math.sqrt(114 / 324 / 2 / 3));
  assert.deepEqual([got?.method, got?.tasks, got?.leftOut], ["student", 3, 0]);
  // 4.3027 * 0.24216 is above 5/9, so both ends are held to 0..1.
  assert.deepEqual(got?.interval, { low: 0, high: 1 });
  // pass@2 of the same: 1, 5/6, 1: mean 17/18, standard error sqrt((2 * (1/18)^2 + (1/9)^2) / 2 / 3) = 1/18.
  const some = passAtKOverTasks([of(4, 4), of(2, 4), of(3, 4)], 2);
  near(some?.estimate, 17 / 18);
  near(some?.standardError, 1 / 18);
  near(some?.interval?.low, 17 / 18 - 4.302652729749462 / 18, 1e-11);
});

test("tasks with too few runs for k are left out and counted", () => {
  const got = passAtKOverTasks([of(1, 2), of(1, 1), of(2, 2)], 2);
  assert.deepEqual([got?.estimate, got?.tasks, got?.leftOut], [1, 2, 1]);
  assert.equal(passAtKOverTasks([of(1, 1)], 2), undefined);
});

test("tasks that all agree still get an interval, as if each were one run; a single task gets none", () => {
  const perfect = averageOverTasks(new Array<number>(10).fill(1));
  assert.equal(perfect?.method, "wilson");
  near(perfect?.interval?.low, 0.7224672001371107);
  assert.equal(perfect?.interval?.high, 1);
  const single = averageOverTasks([0.5]);
  assert.deepEqual([single?.standardError, single?.interval, single?.method], [undefined, undefined, "none"]);
  assert.equal(averageOverTasks([]), undefined);
  assert.throws(() => averageOverTasks([1.2]), RangeError);
  assert.throws(() => averageOverTasks([Number.NaN]), RangeError);
});

test("a pooled rate weighs runs, and its error comes from the tasks", () => {
  // 8/10, 1/2, 3/3: rate 12/15; residuals 0, -0.6, 0.6; variance 3/2 * 0.72 / 225.
  const got = pooledRate([of(8, 10), of(1, 2), of(3, 3), of(0, 0)]);
  near(got?.estimate, 0.8);
  near(got?.standardError, Math.sqrt((1.5 * 0.72) / 225));
  assert.deepEqual([got?.tasks, got?.leftOut], [3, 1]);
  assert.equal(pooledRate([]), undefined);
  assert.equal(pooledRate([of(0, 0)]), undefined);
});
