import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type Finished, waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";
import { chatSwitches, FIVE_CHATS } from "../support/telemetry.ts";

const GRADERS = 8;
const EACH = 100;

test("eight graders writing one database 100 times each: 800 runs, nobody is locked out", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(
    join(cwd, "run.ndjson"),
    chatSwitches(FIVE_CHATS)
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(""),
  );
  const bad: Finished[] = [];
  await Promise.all(
    Array.from({ length: GRADERS }, async () => {
      for (let turn = 0; turn < EACH; turn++) {
        const done = await waymark(["grade", "run.ndjson", "-s", "simple_collab_switch", "-q"], { cwd });
        if (done.code !== 0 || /locked|busy/i.test(done.stderr)) bad.push(done);
      }
    }),
  );
  assert.deepEqual(bad, []);
  const listed = await waymark(["runs", "list", "--last", "10000", "--json"], { cwd });
  const { runs } = JSON.parse(listed.stdout) as { runs: { id: string }[] };
  assert.equal(new Set(runs.map(({ id }) => id)).size, GRADERS * EACH);
});
