import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { holdRuns, locateRuns } from "../../../grader/learn/read-runs.ts";
import { WaymarkError } from "../../../proxy/record/fault.ts";
import { keepRun, writeScenario } from "../../support/kept-runs.ts";
import { emptyProject } from "../../support/kept-trials.ts";

const EMPTY = "01KBV1J4G0000000000000000A";
const GOOD = "01KBV1J4G0000000000000000B";

test("a labelled run without telemetry is named, with the command that leaves it out", async (t) => {
  const project = emptyProject(t);
  const scenario = writeScenario(join(project.dir, "trip.yaml"), ["opened"]);
  const manifest = { labels: ["good"] };
  await keepRun(project.runs, project.store, { id: EMPTY, events: [], manifest }, scenario);
  await keepRun(project.runs, project.store, { id: GOOD, events: ["opened"], manifest }, scenario);
  const run = async (word: string) => holdRuns(await locateRuns([word], project));
  await assert.rejects(run(`${EMPTY},${GOOD}`), (error: unknown) => {
    assert.ok(error instanceof WaymarkError);
    assert.equal(error.faults[0]?.code, "WM_LEARN_NO_RUNS");
    assert.match(error.faults[0]?.fix ?? "", new RegExp(`waymark runs label ${EMPTY} NAME --remove`));
    return true;
  });
  assert.equal((await run(GOOD))[0]?.events.length, 1);
});

test("a log without an event keeps the catalogue's advice", async (t) => {
  const { dir } = emptyProject(t);
  const log = join(dir, "empty.ndjson");
  writeFileSync(log, "");
  await assert.rejects(
    locateRuns([log]).then((runs) => holdRuns(runs)),
    (error: unknown) => error instanceof WaymarkError && error.faults[0]?.fix.includes("--remove") === false,
  );
});
