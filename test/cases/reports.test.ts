import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { openStore } from "../../grader/store/store.ts";
import { keepRun, writeScenario } from "../support/kept-runs.ts";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";
import { needsSmallDisk, smallDisk } from "../support/small-disk.ts";

/** A folder with one graded run, the scenario and a log beside it. */
async function kept(t: Parameters<typeof scratchFolder>[0]): Promise<string> {
  const cwd = scratchFolder(t);
  const scenario = writeScenario(join(cwd, "trip.yaml"), ["a", "b"]);
  const store = openStore(join(cwd, ".waymark", "waymark.db"));
  await keepRun(join(cwd, ".waymark", "runs"), store, { id: "01RUN", events: ["a", "b"] }, scenario);
  store.close();
  writeFileSync(join(cwd, "log.ndjson"), '{"name":"a"}\n');
  return cwd;
}

test("H06: a reporter that cannot write its file ends in 3, is named, and leaves no empty file", async (t) => {
  const cwd = await kept(t);
  for (const reporter of ["junit", "html", "markdown", "agent"]) {
    const file = join(cwd, "no-such-folder", "out");
    const words = ["grade", "log.ndjson", "--markers", cwd, "-s", "trip", "--no-store"];
    const { code, stdout, stderr } = await waymark([...words, "--reporter", `plain,${reporter}=${file}`], { cwd });
    assert.equal(code, 3, reporter);
    assert.match(stderr, new RegExp(`WM_OUTPUT_FAILED[\\s\\S]*${reporter}=`));
    assert.match(stdout, /^✗ trip/m, "the other reporter goes on");
    assert.match(stderr, /the verdict is fail/);
  }
  assert.ok(!readdirSync(cwd).includes("no-such-folder"));
});

test("H06: a report that cannot be written ends in 3 and leaves nothing", async (t) => {
  const cwd = await kept(t);
  const { code, stderr } = await waymark(["report", "-o", join(cwd, "no-such-folder", "report.html")], { cwd });
  assert.equal(code, 3);
  assert.match(stderr, /WM_OUTPUT_FAILED/);
  assert.deepEqual(readdirSync(cwd).sort(), [".waymark", "log.ndjson", "trip.yaml"]);
});

test("H06: on a full disk neither a report nor a reporter's file is left half or empty", needsSmallDisk, async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return;
  const cwd = await kept(t);
  writeFileSync(join(disk, "filler"), "x".repeat(1_000_000));
  const report = await waymark(["report", "-o", join(disk, "report.html")], { cwd });
  assert.equal(report.code, 3, report.stderr);
  const words = ["grade", "log.ndjson", "--markers", cwd, "-s", "trip", "--no-store"];
  const graded = await waymark([...words, "--reporter", `html=${join(disk, "page.html")}`], { cwd });
  assert.equal(graded.code, 3, graded.stderr);
  assert.deepEqual(readdirSync(disk), ["filler"]);
});
