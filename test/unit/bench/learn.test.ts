import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { benchLearn } from "../../../bench/learn.ts";
import { readSets } from "../../../bench/run-sets.ts";
import { needsShared, SHARED } from "../../support/project.ts";

const SETS = join(SHARED, "trajectories");

test("labelled runs are read from their archives", needsShared("trajectories"), () => {
  const [hdfs] = readSets(SETS).filter(({ name }) => name === "hdfs-blocks");
  assert.equal(hdfs?.runs.length, 1440); // the set's own README
  assert.equal(hdfs?.runs.filter(({ success }) => success).length, 720);
});

// The accuracies that LEARNING.md section 3 says must be reached, with few draws so that the test is short.
for (const [set, k, least, draws] of [
  ["tau-retail", 3, 0.93, 20],
  ["tau-airline", 2, 0.86, 20],
  ["intercode-sql", 3, 0.93, 1],
  ["intercode-bash", 3, 0.83, 3],
  ["hdfs", 10, 0.93, 4],
] as const) {
  test(
    `scenarios learned from ${k} good runs of ${set} are right as often as they must be`,
    needsShared("trajectories"),
    () => {
      const rows = benchLearn(
        { sets: SETS, only: [set], k: [String(k)], draws, seed: 1, closedWorld: ["hdfs"] },
        () => undefined,
      );
      const [learned, ...baselines] = rows;
      assert.equal(learned?.way, "learned");
      assert.ok((learned?.accuracy?.estimate ?? 0) >= least, `${set}: ${learned?.accuracy?.estimate}`);
      assert.equal(learned?.ownFailed, 0);
      assert.ok((learned?.falsePasses ?? 1) <= 0.06, `${learned?.falsePasses}`);
      assert.deepEqual(
        baselines.map(({ way }) => way),
        ["superset match", "self-report", "always-pass"],
      );
    },
  );
}
