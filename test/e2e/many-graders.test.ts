import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";
import { chatSwitches, FIVE_CHATS } from "../support/telemetry.ts";

const GRADERS = 8;
const EACH = 100;

test("eight graders writing one database 100 times each, all at once: 800 runs, nobody is locked out", async (t) => {
  const cwd = scratchFolder(t);
  const text = chatSwitches(FIVE_CHATS)
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("");
  const logs = Array.from({ length: EACH }, (_, index) => `run${index}.ndjson`);
  for (const log of logs) writeFileSync(join(cwd, log), text);
  const graders = Array.from({ length: GRADERS }, () =>
    waymark(["grade", ...logs, "-s", "simple_collab_switch", "-q"], { cwd }),
  );
  for (const { code, stderr } of await Promise.all(graders)) {
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /locked|busy/i);
  }
  const listed = await waymark(["runs", "list", "--last", "10000", "--json"], { cwd });
  const { runs } = JSON.parse(listed.stdout) as { runs: { id: string }[] };
  assert.equal(new Set(runs.map(({ id }) => id)).size, GRADERS * EACH);
});
