import assert from "node:assert/strict";
import test from "node:test";
import { captureSummary } from "../../../cli/capture-summary.ts";
import { newCounts } from "../../../proxy/intercept/counts.ts";
import type { HostCounts, InterceptorCounts } from "../../../proxy/intercept/interceptor.ts";
import type { SessionCounts } from "../../../proxy/session.ts";

function counts(intercept: Partial<InterceptorCounts>, more: Partial<SessionCounts> = {}): SessionCounts {
  return {
    exchanges: 0,
    events: {},
    undecoded: 0,
    retries: 0,
    redacted: 0,
    preflights: 0,
    empty: 0,
    tunnelled: intercept.tunnelled ?? 0,
    failed: 0,
    log: { written: 0, lost: 0, files: 1, bytes: 0 },
    intercept: { ...newCounts(), ...intercept },
    hosts: [],
    ...more,
  };
}

function host(endpoint: string, more: Partial<HostCounts>): HostCounts {
  return {
    endpoint,
    unseen: 0,
    bypassed: 0,
    unopened: 0,
    passed: 0,
    keptIn: 0,
    upstreamErrors: 0,
    clientErrors: 0,
    ...more,
  };
}

const summary = (given: SessionCounts): string => captureSummary(given, "t-3.log");

test("every connection is accounted for, plain http too", () => {
  const given = { connections: 12, intercepted: 3, unread: 1, opaque: 1, tunnelled: 4, plain: 2 };
  assert.match(
    summary(counts(given, { exchanges: 1 })),
    /12 connections: 4 opened, 4 passed on unseen, 2 plain http, 2 failed, refused or unused\n/,
  );
  assert.match(summary(counts({ connections: 1, intercepted: 1 })), /1 connection: 1 opened, 0 passed on unseen\n/);
});

test("what was passed on unseen is named, the five most frequent first, with the option that reads it", () => {
  const one = summary(counts({ connections: 3, tunnelled: 3 }, { hosts: [host("app.example:443", { unseen: 3 })] }));
  assert.match(one, /passed on unseen: app\.example:443 \(3\); read it with --host app\.example\n/);
  const hosts = [1, 9, 3, 4, 5, 6, 7].map((unseen) => host(`h${unseen}.example:443`, { unseen }));
  const many = summary(counts({ connections: 35, tunnelled: 35 }, { hosts }));
  assert.match(
    many,
    /: h9\.example:443 \(9\), h7\S+ \(7\), h6\S+ \(6\), h5\S+ \(5\), h4\S+ \(4\), 2 hosts more; read one with --host NAME, such as --host h9\.example\n/,
  );
  const bypassed = summary(
    counts({ connections: 1, tunnelled: 1 }, { hosts: [host("bank.example:443", { bypassed: 1 })] }),
  );
  assert.match(bypassed, /bypassed: bank\.example:443 \(1\)\n/);
  assert.doesNotMatch(bypassed, /--host/);
});

test("no option is offered for hosts that could not be opened", () => {
  const pinned = host("pinned.example:443", { unseen: 3, unopened: 3 });
  const alone = summary(counts({ connections: 3, tunnelled: 3, unopened: 3 }, { hosts: [pinned] }));
  assert.match(alone, /passed on unseen: pinned\.example:443 \(3\)\n/);
  assert.doesNotMatch(alone, /--host pinned/);
  const hosts = [pinned, host("other.example:443", { unseen: 1 })];
  const both = summary(counts({ connections: 4, tunnelled: 4, unopened: 3 }, { hosts }));
  assert.match(both, /pinned\.example:443 \(3\), other\.example:443 \(1\); read it with --host other\.example\n/);
});

test("what was lost does not count as written", () => {
  const log = { written: 8, lost: 22, files: 1, bytes: 9 };
  const text = summary(counts({ connections: 1, plain: 1 }, { exchanges: 30, events: { json: 30 }, log }));
  assert.match(text, /30 requests read, 30 events \(json 30\); 8 records written to t-3\.log\n/);
  assert.match(text, /22 records LOST/);
});

test("hosts with errors are named with the last reason, and text from the network is escaped", () => {
  const hosts = [host("app.example:443", { upstreamErrors: 2, problem: "reset\u001b[31m\nwaymark: all is well" })];
  const text = summary(counts({ connections: 2, upstreamErrors: 2 }, { hosts }));
  assert.match(text, /2 upstream errors: app\.example:443 \(2\)\n/);
  assert.match(text, /app\.example:443: reset\\u001b\[31m\\u000awaymark: all is well\n/);
  assert.ok(!text.includes("\u001b"));
});

test("other http requests are counted, and what a sink kept in says how to answer it", () => {
  const text = summary(
    counts(
      { connections: 5, plain: 5, passed: 4, refused: 3, keptIn: 2 },
      { hosts: [host("a.example:80", { passed: 4, keptIn: 2 })] },
    ),
  );
  assert.match(text, /4 other http requests passed on: a\.example:80 \(4\)\n/);
  assert.match(
    text,
    /2 requests kept from leaving this machine \(--sink\): a\.example:80 \(2\); read it with --host a\.example\n/,
  );
  assert.match(text, /1 request to the proxy's own ports refused\n/);
});

test("after a rotation the summary says how many files there are", () => {
  const log = { written: 9, lost: 0, files: 4, bytes: 9 };
  const text = summary(counts({ connections: 1, plain: 1 }, { exchanges: 9, events: { json: 9 }, log }));
  assert.match(text, /9 events written \(json 9\) in 4 files, the last t-3\.log\n/);
});

const HINTS: readonly (readonly [string, Partial<InterceptorCounts>, readonly HostCounts[], RegExp | undefined])[] = [
  [
    "nothing came",
    {},
    [],
    /no connection came[\s\S]*Node before 22\.21 \(and 24\.0\) ignores proxy variables for fetch and https/,
  ],
  [
    "only unseen",
    { connections: 2, tunnelled: 2 },
    [host("a:443", { unseen: 2 })],
    /but none was opened: name the telemetry host/,
  ],
  ["only bypassed", { connections: 2, tunnelled: 2 }, [host("a:443", { bypassed: 2 })], undefined],
  [
    "opened, refused by the client",
    { connections: 1, intercepted: 1 },
    [host("a:443", { clientErrors: 1 })],
    /opened, but their clients refused/,
  ],
  ["opened, no request", { connections: 1, intercepted: 1 }, [], /opened, but no request came/],
  [
    "plain without telemetry",
    { connections: 1, plain: 1, passed: 1 },
    [host("a:80", { passed: 1 })],
    /no telemetry in it/,
  ],
  [
    "all dials failed",
    { connections: 1, upstreamErrors: 1 },
    [host("a:443", { upstreamErrors: 1, problem: "no such host" })],
    undefined,
  ],
];

for (const [what, intercept, hosts, hint] of HINTS) {
  test(`the closing hint fits: ${what}`, () => {
    const text = summary(counts(intercept, { hosts }));
    const all = /no connection came|connections came|connections were opened|plain http came/;
    if (hint === undefined) assert.doesNotMatch(text, all);
    else {
      assert.match(text, hint);
      assert.equal(text.match(new RegExp(all, "g"))?.length, 1);
    }
  });
}
