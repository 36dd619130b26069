import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

const verdictsOf = (stdout: string): (string | undefined)[] =>
  [...stdout.matchAll(/^ {2}[1-5] +\S (pass|fail|inconclusive|error)/gm)].map((match) => match[1]);

test("the demo runs five times, one fails, and says which marker and line, and what to try next", async (t) => {
  const cwd = scratchFolder(t);
  const { code, stdout, stderr } = await waymark(["demo"], { cwd });
  assert.equal(code, 0, stderr);
  assert.deepEqual(verdictsOf(stdout), ["pass", "pass", "fail", "pass", "pass"]);
  assert.match(stdout, /the agent said "done"/);
  assert.match(stdout, /never reached after/);
  assert.match(stdout, /telemetry-0\.log:[0-9]+/);
  assert.match(stdout, /try next/);
  const again = await waymark(
    ["grade", join("waymark-demo", "runs", "3", "logs"), "--scenario", "simple_collab_switch", "--no-store"],
    { cwd },
  );
  assert.equal(again.code, 1, "the log alone gives the same grade");
});

test("another seed gives another story", async (t) => {
  const { code, stdout } = await waymark(["demo", "--seed", "7"], { cwd: scratchFolder(t) });
  assert.equal(code, 0);
  assert.notDeepEqual(verdictsOf(stdout), ["pass", "pass", "fail", "pass", "pass"]);
});
