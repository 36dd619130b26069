import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { NEEDS_PTY, openPty } from "../support/pty.ts";
import { scratchFolder } from "../support/scratch.ts";

test(
  "init asks three questions at a terminal, takes the answers, and an empty one is the guess",
  NEEDS_PTY,
  async (t) => {
    const cwd = scratchFolder(t);
    const pty = openPty(t, ["init"], { cwd, env: { CI: "" } });
    await pty.shows(/What starts your app or agent\? \(empty: say it later\)/);
    pty.type("node my-agent.js\r");
    await pty.shows(/Which hosts carry its telemetry/);
    pty.type("events.acme.example, *.acme.test\r");
    await pty.shows(/A GitHub workflow that runs it\? \[y\/N\]/);
    pty.type("\r");
    assert.equal(await pty.ended, 0, pty.raw());
    assert.match(pty.screen(), /waymark doctor --app -- node my-agent\.js/);
    const config = readFileSync(join(cwd, "waymark.config.yaml"), "utf8");
    assert.match(config, /events\.acme\.example/);
    assert.match(config, /\*\.acme\.test/);
    assert.ok(!existsSync(join(cwd, ".github")), "no was the guess");
  },
);

test("init ended by Ctrl-D takes the guesses for the rest, and overwrites nothing", NEEDS_PTY, async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(join(cwd, "waymark.config.yaml"), "# mine\n");
  const pty = openPty(t, ["init"], { cwd, env: { CI: "" } });
  await pty.shows(/What starts your app or agent\?/);
  pty.type("\u0004");
  assert.equal(await pty.ended, 0, pty.raw());
  assert.equal(readFileSync(join(cwd, "waymark.config.yaml"), "utf8"), "# mine\n");
  assert.ok(existsSync(join(cwd, "markers", "example.yaml")));
});

test("demo --interactive waits for Enter before each step, and then does it", NEEDS_PTY, async (t) => {
  const cwd = scratchFolder(t);
  const pty = openPty(t, ["demo", "--interactive"], { cwd, rows: 60, columns: 120 });
  await pty.shows(/Enter/);
  assert.ok(!existsSync(join(cwd, "waymark-demo", "report.html")), "nothing is done unasked");
  const enter = setInterval(() => pty.type("\r"), 300);
  t.after(() => clearInterval(enter));
  assert.equal(await pty.ended, 0, pty.raw());
  assert.match(pty.raw(), /4 of 5 passed/);
  assert.ok(existsSync(join(cwd, "waymark-demo", "report.html")));
});
