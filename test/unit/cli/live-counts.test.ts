import assert from "node:assert/strict";
import test from "node:test";
import { countsLine, showLiveCounts } from "../../../cli/live-counts.ts";
import { newCounts } from "../../../proxy/intercept/counts.ts";
import type { SessionCounts } from "../../../proxy/session.ts";
import { until } from "../../support/room.ts";

function counted(more: Partial<SessionCounts> = {}): SessionCounts {
  return {
    exchanges: 0,
    events: {},
    undecoded: 0,
    retries: 0,
    redacted: 0,
    preflights: 0,
    empty: 0,
    tunnelled: 0,
    failed: 0,
    log: { written: 0, lost: 0, files: 1, bytes: 0 },
    intercept: newCounts(),
    hosts: [],
    ...more,
  };
}

const HOST = { unseen: 0, unopened: 0, passed: 0, keptIn: 0, upstreamErrors: 0, clientErrors: 0 };

function stage(errIsTerminal: boolean, env: Record<string, string> = {}) {
  const said: string[] = [];
  const terminal = {
    out: () => assert.fail("counts never go to stdout"),
    err: (text: string) => void said.push(text),
    outIsTerminal: false,
    errIsTerminal,
    colour: true,
    env,
  };
  return { said, terminal };
}

test("the line has requests, events by format, undecoded, bypassed and lost, in words that need no colour", () => {
  assert.equal(countsLine(counted()), "0 requests  0 events  0 undecoded  0 bypassed  0 lost");
  const line = countsLine(
    counted({
      exchanges: 1200,
      events: { onecollector: 3000, "own\u001b[2J": 1 },
      undecoded: 2,
      log: { written: 3001, lost: 4, files: 1, bytes: 9 },
      failed: 1,
      intercept: { ...newCounts(), tunnelled: 9, opaque: 1 },
      hosts: [{ ...HOST, endpoint: "a.test:443", bypassed: 7 }],
    }),
  );
  assert.match(line, /^1,?200 requests {2}3,?001 events \(onecollector 3,?000, own/);
  assert.match(line, /2 undecoded {2}7 bypassed {2}2 passed on unseen {2}1 unreadable {2}5 LOST$/);
  assert.ok(!line.includes("\u001b"), "a name cannot draw on the terminal");
});

test("on a terminal one line is drawn anew, other talk goes above it, and at the end it is gone", async () => {
  const { said, terminal } = stage(true, { COLUMNS: "60" });
  let exchanges = 1;
  const live = showLiveCounts({ terminal, counts: () => counted({ exchanges }), isQuiet: false });
  assert.deepEqual(said, ["\r\u001b[2K  1 request  0 events  0 undecoded  0 bypassed  0 lost"]);
  exchanges = 2;
  await until(() => said.some((text) => text.includes("2 requests")), "it is drawn anew");
  live.terminal.err("waymark: trouble\n");
  assert.equal(said.at(-1), "\r\u001b[2Kwaymark: trouble\n");
  live.stop();
  assert.equal(said.at(-1), "\r\u001b[2K");
  assert.ok(
    said.every((text) => !/\n./.test(text)),
    "never more than a line",
  );
});

test("elsewhere a line comes now and then as long as something happens; with -q nothing does", async () => {
  const { said, terminal } = stage(false);
  let exchanges = 0;
  let asked = 0;
  const counts = (): SessionCounts => {
    asked += 1;
    return counted({ exchanges });
  };
  const live = showLiveCounts({ terminal, counts, isQuiet: false, sayMs: 5 });
  await until(() => asked > 3, "it has looked");
  assert.deepEqual(said, [], "nothing has changed");
  exchanges = 3;
  await until(() => said.length > 0, "it is said");
  assert.deepEqual(said, ["  3 requests  0 events  0 undecoded  0 bypassed  0 lost\n"]);
  live.stop();
  const quiet = stage(true);
  showLiveCounts({ terminal: quiet.terminal, counts, isQuiet: true }).stop();
  const dumb = stage(true, { TERM: "dumb" });
  showLiveCounts({ terminal: dumb.terminal, counts, isQuiet: false }).stop();
  assert.deepEqual([quiet.said, dumb.said], [[], []]);
});
