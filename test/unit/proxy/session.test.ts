import assert from "node:assert/strict";
import test from "node:test";
import { newCounts } from "../../../proxy/intercept/counts.ts";
import type { Interceptor, InterceptorOptions } from "../../../proxy/intercept/interceptor.ts";
import { headerOf } from "../../../proxy/record/exchange.ts";
import { WaymarkError } from "../../../proxy/record/fault.ts";
import { type SessionOptions, startSession } from "../../../proxy/session.ts";
import { at } from "../../support/records.ts";
import { exchangeOf } from "../../support/requests.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { controlsOf, seriesFiles, seriesLines } from "../../support/series.ts";

const TARGET = "/OneCollector/1.0/";

function options(dir: string, more: Partial<SessionOptions> = {}): SessionOptions {
  return {
    log: { dir, name: "t", maxFileBytes: 1_000_000 },
    interceptor: {
      listen: "127.0.0.1",
      port: 0,
      certificateFor: async () => ({ key: "", cert: "" }),
      map: new Map([["a.example", { host: "127.0.0.1", port: 9 }]]),
      maxBodyBytes: 1_000_000,
    },
    hosts: ["t.example"],
    bypass: ["no.example"],
    all: false,
    sink: false,
    redact: ["data.email"],
    ...more,
  };
}

/** A front door without a network: it hands out what the session gave it. */
function door() {
  const given: { options?: InterceptorOptions; closedAfterMs?: number } = {};
  const startInterceptor = async (received: InterceptorOptions): Promise<Interceptor> => {
    given.options = received;
    const counts = { connections: 1, requests: 2, intercepted: 1, tunnelled: 3 };
    return {
      address: { host: "127.0.0.1", port: 4711 },
      counts: { ...newCounts(), ...counts },
      hosts: () => [],
      async close(drainMs) {
        given.closedAfterMs = drainMs;
      },
    };
  };
  return { given, startInterceptor };
}

test("a session joins scope, pipeline, retries and log, and counts what passed", async (t) => {
  const dir = scratchFolder(t);
  const { given, startInterceptor } = door();
  const session = await startSession(options(dir, { drainMs: 5 }), { startInterceptor });
  const front = given.options;
  assert.ok(front);
  assert.equal(front.decide({ host: "t.example", port: 443 }), "intercept");
  assert.equal(front.decide({ host: "eu.events.data.microsoft.com", port: 443 }), "intercept");
  assert.equal(front.decide({ host: "no.example", port: 443 }), "bypass");
  assert.equal(front.decide({ host: "other.example", port: 443 }), "tunnel");
  assert.equal(front.sink, undefined);

  const body = '{"name":"a","iKey":"k","data":{"email":"a@b.example"}}';
  const first = exchangeOf({ target: TARGET, body });
  front.onExchange(first);
  front.onAnswer?.(first.id, 503);
  front.onExchange(exchangeOf({ target: TARGET, body }));
  front.onExchange(exchangeOf({ target: "/x", body: "words" }));
  front.onExchange(exchangeOf({ method: "OPTIONS" }));
  front.onExchange(exchangeOf({ method: "GET" }));
  const counts = await session.close();

  const { log, intercept: _, hosts, ...seen } = counts;
  assert.deepEqual(hosts, []);
  assert.deepEqual(seen, {
    exchanges: 5,
    events: { onecollector: 2 },
    undecoded: 1,
    retries: 1,
    redacted: 4,
    preflights: 1,
    empty: 1,
    tunnelled: 3,
    failed: 0,
  });
  assert.deepEqual([log.written, log.lost], [3, 0]);
  assert.equal(given.closedAfterMs, 5);
  assert.deepEqual(session.address, { host: "127.0.0.1", port: 4711 });
  assert.equal(await session.close(), counts);
  const lines = seriesLines(dir);
  assert.deepEqual(
    lines.map((line) => at(line, "$capture", "retry")),
    [undefined, undefined, true, undefined, undefined],
  );
  assert.deepEqual(controlsOf(lines, "start")[0]?.["options"], {
    hosts: ["t.example"],
    bypass: ["no.example"],
    all: false,
    sink: false,
    redact: ["data.email"],
    map: ["a.example=127.0.0.1:9"],
  });
});

test("the sink answers as the SDK expects, with CORS for browsers", async (t) => {
  const { given, startInterceptor } = door();
  const session = await startSession(options(scratchFolder(t), { sink: true }), { startInterceptor });
  const sink = given.options?.sink;
  assert.ok(sink);
  const answer = sink(
    exchangeOf({ target: TARGET, body: '{"name":"a"}\n{"name":"b"}', headers: [["Origin", "null"]] }),
  );
  assert.deepEqual([answer.status, Buffer.from(answer.body).toString()], [200, '{"acc":2}']);
  assert.equal(headerOf(answer.headers, "access-control-allow-origin"), "null");
  const preflight = sink(
    exchangeOf({
      method: "OPTIONS",
      headers: [
        ["Origin", "https://a.example"],
        ["Access-Control-Request-Headers", "apikey,upload-time"],
      ],
    }),
  );
  assert.deepEqual([preflight.status, preflight.body.length], [204, 0]);
  assert.equal(headerOf(preflight.headers, "access-control-allow-headers"), "apikey,upload-time");
  const other = sink(exchangeOf({ target: "/unknown", body: "words" }));
  assert.deepEqual([other.status, Buffer.from(other.body).toString()], [200, "{}"]);
  await session.close();
});

test("a front door that cannot be opened leaves the series as it was, the file that --keep 1 would give up too", async (t) => {
  const dir = scratchFolder(t);
  const log = { dir, name: "t", maxFileBytes: 1_000_000, keepFiles: 1 };
  await (await startSession(options(dir, { log }), door())).close();
  const before = seriesLines(dir);
  const refusing = () => Promise.reject(new Error("the port is taken"));
  await assert.rejects(startSession(options(dir, { log }), { startInterceptor: refusing }), /the port is taken/);
  assert.deepEqual([seriesFiles(dir), seriesLines(dir)], [["t-0.log"], before]);
  await (await startSession(options(dir, { log }), door())).close();
  assert.deepEqual(seriesFiles(dir), ["t-1.log"]);
});

test("a series that cannot be opened closes the front door again", async (t) => {
  const dir = scratchFolder(t);
  const first = await startSession(options(dir), door());
  const second = door();
  await assert.rejects(startSession(options(dir), second), { code: "WM_PROXY_OUT_TAKEN" });
  assert.equal(second.given.closedAfterMs, 0);
  await first.close();
  assert.equal(seriesFiles(dir).length, 1);
});

test("what comes before the log is open is kept, in order, with its retries", async (t) => {
  const dir = scratchFolder(t);
  const { given, startInterceptor } = door();
  const early = exchangeOf({ target: TARGET, body: '{"name":"a","data":{}}' });
  const session = await startSession(options(dir), {
    async startInterceptor(received) {
      const interceptor = await startInterceptor(received);
      received.onExchange(early);
      received.onAnswer?.(early.id, 503);
      return interceptor;
    },
  });
  given.options?.onExchange(exchangeOf({ target: TARGET, body: '{"name":"a","data":{}}' }));
  const counts = await session.close();
  assert.deepEqual([counts.exchanges, counts.retries, counts.log.written, counts.log.lost], [2, 1, 2, 0]);
  const lines = seriesLines(dir);
  assert.equal(at(lines[0], "$capture", "control"), "start");
  assert.deepEqual(
    lines.map((line) => [at(line, "$capture", "seq"), at(line, "$capture", "retry")]),
    [
      [undefined, undefined],
      [1, undefined],
      [2, true],
      [undefined, undefined],
    ],
  );
});

test("outside the scope only telemetry is recorded; login forms and pings are counted and forgotten", async (t) => {
  const dir = scratchFolder(t);
  const { given, startInterceptor } = door();
  const session = await startSession(options(dir), { startInterceptor });
  const passing = given.options?.onPassing;
  assert.ok(passing);
  let forgotten = 0;
  for (const [method, target, body] of [
    ["POST", "/login", "user=ann&password=secret"],
    ["POST", "/login", '{"user":"ann","password":"secret"}'],
    ["POST", "/update", "<ping version='3'/>"],
    ["GET", "/", ""],
    ["OPTIONS", "/", ""],
    ["POST", TARGET, '{"name":"seen","data":{}}'],
    ["POST", "/v1/batch", '[{"event":"opened","properties":{"a":1}},3]'],
  ] as const) {
    passing(exchangeOf({ host: "outside.example", method, target, body }), () => {
      forgotten += 1;
    });
  }
  const { exchanges, events, undecoded, empty, preflights } = await session.close();
  assert.equal(forgotten, 5);
  assert.deepEqual([exchanges, undecoded, empty, preflights], [2, 1, 0, 0]);
  assert.deepEqual(Object.values(events), [1, 1]);
  assert.doesNotMatch(
    JSON.stringify(seriesLines(dir), (_, value) => (typeof value === "bigint" ? String(value) : value)),
    /secret|ping/,
  );
});

test("wrong options are refused before anything is opened", async (t) => {
  const dir = scratchFolder(t);
  for (const wrong of [{ hosts: ["https://x"] }, { bypass: ["a/b"] }, { redact: ["$capture"] }]) {
    await assert.rejects(startSession(options(dir, wrong), door()), WaymarkError);
  }
  assert.deepEqual(seriesFiles(dir), []);
});
