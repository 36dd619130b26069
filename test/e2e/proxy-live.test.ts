import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { NEEDS_PTY, openPty } from "../support/pty.ts";
import { scratchFolder } from "../support/scratch.ts";
import { chatSwitches, FIVE_CHATS, sendEvents } from "../support/telemetry.ts";

test("on a terminal the proxy keeps one line of counts, which grows with what it sees", NEEDS_PTY, async (t) => {
  const cwd = scratchFolder(t);
  const env = { WAYMARK_CA_DIR: join(cwd, "ca"), NO_COLOR: "1" };
  const pty = openPty(t, ["proxy", "--port", "0", "--sink"], { cwd, env, columns: 120 });
  const port = Number(/127\.0\.0\.1:([0-9]+)/.exec(await pty.shows(/listening on http:\/\/127\.0\.0\.1:[0-9]+/))?.[1]);
  await pty.shows(/0 requests {2}0 events {2}0 undecoded {2}0 bypassed {2}0 lost/);
  await sendEvents(port, chatSwitches(FIVE_CHATS));
  await pty.shows(/1 request {2}5 events \(onecollector 5\) {2}0 undecoded {2}0 bypassed {2}0 lost/);
  await sendEvents(port, chatSwitches(FIVE_CHATS));
  const screen = await pty.shows(/2 requests {2}10 events \(onecollector 10\)/);
  assert.equal(screen.match(/undecoded/g)?.length, 1, screen);
  pty.type("\u0003");
  await pty.ended;
  assert.doesNotMatch(pty.screen(), /0 bypassed {2}0 lost/, "it is taken away at the end");
});
