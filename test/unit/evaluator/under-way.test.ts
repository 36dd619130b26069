import assert from "node:assert/strict";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isUnderWay, QUIET_MS } from "../../../grader/evaluator/page/under-way.ts";
import { placesIn } from "../../../grader/trials/folder.ts";
import type { Trial, TrialManifest } from "../../../grader/trials/trial.ts";
import { scratchFolder } from "../../support/scratch.ts";

const BEGUN = Date.parse("2026-01-31T12:00:00.000Z");
const MINUTE_MS = 60_000;

function runIn(folder: string, state: TrialManifest["state"] = "running"): Trial {
  const manifest: TrialManifest = {
    schema: "waymark.trial/1",
    id: "01RUN",
    state,
    index: 1,
    retries: 0,
    command: ["node", "agent.js"],
    started_at: new Date(BEGUN).toISOString(),
    provenance: "live",
    versions: {},
    labels: [],
  };
  return { manifest, results: [], folder };
}

/** Sets the time at which everything in a folder was written last. */
function age(folder: string, at: number): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    utimesSync(join(folder, name), at / 1000, at / 1000);
  }
  utimesSync(folder, at / 1000, at / 1000);
}

test("a run of which nothing was written for half an hour is not under way, and a line of its log brings it back", (t) => {
  const folder = scratchFolder(t);
  const { telemetry } = placesIn(folder);
  mkdirSync(telemetry);
  const log = join(telemetry, "telemetry-0.log");
  writeFileSync(log, "");
  age(folder, BEGUN + MINUTE_MS);
  const run = runIn(folder);
  assert.equal(isUnderWay(run, BEGUN + 29 * MINUTE_MS), true);
  assert.equal(isUnderWay(run, BEGUN + 30 * MINUTE_MS), true);
  assert.equal(isUnderWay(run, BEGUN + 32 * MINUTE_MS), false);
  const line = (BEGUN + 31 * MINUTE_MS) / 1000;
  utimesSync(log, line, line);
  assert.equal(isUnderWay(run, BEGUN + 32 * MINUTE_MS), true);
  assert.equal(isUnderWay(run, BEGUN + 31 * MINUTE_MS + QUIET_MS), false);
});

test("a graded or interrupted run is not under way; one whose folder is gone goes by its start", (t) => {
  const folder = scratchFolder(t);
  for (const state of ["graded", "interrupted"] as const) assert.equal(isUnderWay(runIn(folder, state), BEGUN), false);
  const gone = runIn(join(folder, "gone"), "ended");
  assert.equal(isUnderWay(gone, BEGUN + MINUTE_MS), true);
  assert.equal(isUnderWay(gone, BEGUN + QUIET_MS), false);
});
