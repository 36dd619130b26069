import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { startProxy, waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";
import { chatSwitches, FIVE_CHATS, sendEvents } from "../support/telemetry.ts";

const SCENARIO = ["-s", "simple_collab_switch"];
const QUICK = ["--idle", "500ms"];

test("runs start and stop grade an app beside a running proxy, several runs of it one after the other and at once", async (t) => {
  const cwd = scratchFolder(t);
  const proxy = await startProxy(t, ["--sink"], { cwd, env: { WAYMARK_CA_DIR: join(cwd, "ca") } });
  const begin = async (...more: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await waymark(["runs", "start", ...SCENARIO, "--json", ...more], { cwd });
    assert.match(stdout, /"waymark.started\/1"/, stderr);
    return (JSON.parse(stdout) as { run: string }).run;
  };
  const good = await begin("--label", "main");
  const both = await begin();
  await sendEvents(proxy.port, chatSwitches(FIVE_CHATS));
  const ended = await waymark(["runs", "stop", good, ...QUICK], { cwd });
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.match(ended.stdout, /✓ simple_collab_switch|simple_collab_switch.*pass/);
  const bad = await begin();
  await sendEvents(proxy.port, chatSwitches(["general", "random"]));
  const several = await waymark(["runs", "stop"], { cwd });
  assert.deepEqual([several.code, several.stderr.includes(both), several.stderr.includes(bad)], [2, true, true]);
  const failed = await waymark(["runs", "stop", bad, ...QUICK], { cwd });
  assert.equal(failed.code, 1, "an earlier run's events are not this one's");
  const listed = await waymark(["runs", "list"], { cwd });
  assert.match(listed.stdout, new RegExp(`… ${both.slice(0, 13)}.*running`));
  await proxy.stop();
  assert.equal((await waymark(["runs", "stop", ...QUICK], { cwd })).code, 0, "the only one left");
  assert.equal((await waymark(["runs", "show", "label:main"], { cwd })).code, 0);
});
