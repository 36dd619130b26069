import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

const verdictsOf = (stdout: string): (string | undefined)[] =>
  [...stdout.matchAll(/^ [1-5] +\S (pass|fail|inconclusive|error)/gm)].map((match) => match[1]);

test("the demo runs five times, one fails, and says which marker and line, and what to try next", async (t) => {
  const cwd = scratchFolder(t);
  const { code, stdout, stderr } = await waymark(["demo"], { cwd });
  assert.equal(code, 0, stderr);
  assert.deepEqual(verdictsOf(stdout), ["pass", "pass", "fail", "pass", "pass"]);
  assert.match(stdout, /the agent said "done"/);
  assert.match(stdout, /never reached after/);
  assert.match(stdout, /telemetry-0\.log:[0-9]+/);
  assert.match(stdout, /4 of 5 passed: 80% \(95% interval 38–96%\)/);
  const next = [...stdout.matchAll(/^ {2}npx waymark (.*?) {3}/gm)].map(([, words = ""]) => words.trim().split(" "));
  assert.deepEqual(
    next.map(([verb]) => verb),
    ["explain", "demo", "init"],
  );
  const explained = await waymark(next[0] ?? [], { cwd });
  assert.equal(explained.code, 0, explained.stderr);
  assert.match(explained.stdout, /Switched to support/);
  const [log] = /[^ ]*telemetry-0\.log/.exec(stdout) ?? [""];
  const again = await waymark(["grade", log, "--scenario", "simple_collab_switch", "--no-store"], { cwd });
  assert.equal(again.code, 1, "the log alone gives the same grade");
  assert.ok(statSync(join(cwd, "waymark-demo", "report.html")).size > 50_000);
});

test("another seed gives another story", async (t) => {
  const { code, stdout } = await waymark(["demo", "--seed", "7"], { cwd: scratchFolder(t) });
  assert.equal(code, 0);
  assert.notDeepEqual(verdictsOf(stdout), ["pass", "pass", "fail", "pass", "pass"]);
});

test("with --json stdout is one document, and a second demo takes the first one's place", async (t) => {
  const cwd = scratchFolder(t);
  await waymark(["demo", "--quiet"], { cwd });
  const { code, stdout } = await waymark(["demo", "--json", "--interactive"], { cwd });
  assert.equal(code, 0);
  const document = JSON.parse(stdout) as { schema: string; results: readonly { readonly verdict: string }[] };
  assert.equal(document.schema, "waymark.demo/1");
  assert.deepEqual(
    document.results.map(({ verdict }) => verdict),
    ["pass", "pass", "fail", "pass", "pass"],
  );
  assert.equal(readdirSync(join(cwd, "waymark-demo", "runs")).length, 5);
});
