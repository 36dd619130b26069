import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { RegradeDocument } from "../../grader/trials/regrade-document.ts";
import { waymark } from "../support/processes.ts";
import { runPlace, sender } from "../support/run-command.ts";

const FOR_USER = `waymark: 1
scenario: one
params: { user: { required: true } }
markers:
  - { name: Begun, event: begun, where: { data.user: $user } }
  - { name: Done, event: done }
`;
const TASKS =
  "- { name: first, params: { user: ada-7 }, args: ada-7 }\n- { name: second, params: { user: bo-8 }, args: bo-8 }\n";
const APP = sender(`await send("begun", { user: process.argv[1] }); await send("done");`);

test("the parameters of a run are kept with it: it is graded again by them, and learning binds them", async (t) => {
  const place = runPlace(t);
  place.file("one.yaml", FOR_USER);
  place.file("tasks.yaml", TASKS);
  const quick = ["--sink", "--markers", ".", "-s", "one", "--settle", "idle=50ms,max=10s", "-n", "2"];
  const { document, said } = await place.json(...quick, "--task", "tasks.yaml", "--", process.execPath, "-e", APP);
  assert.deepEqual(
    document.runs?.map(({ verdict }) => verdict),
    ["pass", "pass", "pass", "pass"],
    said.stdout + said.stderr,
  );

  const again = await waymark(["regrade", "batch:latest", "--markers", ".", "--json"], place.options);
  const { counts } = JSON.parse(again.stdout) as RegradeDocument;
  assert.deepEqual([again.code, counts.graded, counts.same], [0, 4, 4], again.stderr);
  const other = await waymark(
    ["regrade", "batch:latest", "--markers", ".", "--param", "user=eve", "--json"],
    place.options,
  );
  assert.deepEqual(
    (JSON.parse(other.stdout) as RegradeDocument).counts.flips,
    { "pass → fail": 4 },
    "what is said now wins",
  );

  const learned = await waymark(["learn", "batch:latest", "-o", "learned.yaml"], place.options);
  assert.equal(learned.code, 0, learned.stderr);
  assert.match(readFileSync(join(place.cwd, "learned.yaml"), "utf8"), /data\.user: \$user/);
});
