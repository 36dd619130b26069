import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import type { ResultDocument } from "../../grader/verdict.ts";
import { startProxy, waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";
import { chatSwitches, FIVE_CHATS, sendEvents } from "../support/telemetry.ts";

const SCENARIO = ["grade", "--scenario", "simple_collab_switch"];

test("an old good run never passes for today's bad one: bare grade takes the newest capture and names it", async (t) => {
  const cwd = scratchFolder(t);
  const env = { WAYMARK_CA_DIR: join(cwd, "ca") };
  const good = await startProxy(t, ["--sink"], { cwd, env });
  assert.equal(await sendEvents(good.port, chatSwitches(FIVE_CHATS)), 200);
  await good.stop();
  assert.equal((await waymark(SCENARIO, { cwd })).code, 0);

  const bad = await startProxy(t, ["--sink"], { cwd, env });
  await sendEvents(bad.port, chatSwitches(["general", "design", "design", "release", "random"]));
  const said = await bad.stop();
  assert.match(said.stderr, /5 events written \(onecollector 5\)/);

  const graded = await waymark(SCENARIO, { cwd });
  assert.equal(graded.code, 1, graded.stdout + graded.stderr);
  assert.match(graded.stdout, /never reached after/);
  assert.match(graded.stdout, /graded .*telemetry-1\.log/);
  const whole = await waymark([...SCENARIO, "--all"], { cwd });
  assert.equal(whole.code, 0, "the whole series holds the good run too");
  assert.match(whole.stdout, /telemetry-0\.log/);

  const listed = await waymark(["runs", "list"], { cwd });
  assert.equal(listed.code, 0, listed.stderr);
  assert.equal((listed.stdout.match(/simple_collab_switch/g) ?? []).length, 3);
  const shown = await waymark(["runs", "show", "latest"], { cwd });
  assert.match(shown.stdout, /pass/);
});

test("no log, and a log without events, are inconclusive: exit 3, never a pass and never a fail", async (t) => {
  const cwd = scratchFolder(t);
  const nothing = await waymark([...SCENARIO, "--json"], { cwd });
  assert.equal(nothing.code, 3, nothing.stderr);
  assert.equal((JSON.parse(nothing.stdout) as ResultDocument).verdict, "inconclusive");
  const proxy = await startProxy(t, ["--sink"], { cwd, env: { WAYMARK_CA_DIR: join(cwd, "ca") } });
  await proxy.stop();
  const empty = await waymark([...SCENARIO, "--json"], { cwd });
  assert.equal(empty.code, 3);
  assert.equal((JSON.parse(empty.stdout) as ResultDocument).results[0]?.verdict, "inconclusive");
});

test("stdout with --json is one document, whatever happens", async (t) => {
  const cwd = scratchFolder(t);
  for (const args of [
    ["grade", "--scenario", "nope", "--json"],
    ["grade", "--bogus", "--json"],
    [...SCENARIO, "--json", "missing.log"],
  ]) {
    const { stdout } = await waymark(args, { cwd });
    assert.ok((JSON.parse(stdout) as { schema: string }).schema.startsWith("waymark."), stdout);
  }
});
