import assert from "node:assert/strict";
import test from "node:test";
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
    const counts = { connections: 1, requests: 2, intercepted: 1, tunnelled: 3, opaque: 0 };
    return {
      address: { host: "127.0.0.1", port: 4711 },
      counts: { ...counts, upstreamErrors: 0, clientErrors: 0, refused: 0, hookErrors: 0 },
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
  assert.equal(front.decide({ host: "no.example", port: 443 }), "tunnel");
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

  const { log, intercept: _, ...seen } = counts;
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

test("when the front door cannot be opened the log is closed again, and nothing stays locked", async (t) => {
  const dir = scratchFolder(t);
  const refusing = () => Promise.reject(new Error("the port is taken"));
  await assert.rejects(startSession(options(dir), { startInterceptor: refusing }), /the port is taken/);
  const session = await startSession(options(dir), door());
  await session.close();
  assert.equal(seriesFiles(dir).length, 2);
});

test("wrong options are refused before anything is opened", async (t) => {
  const dir = scratchFolder(t);
  for (const wrong of [{ hosts: ["https://x"] }, { bypass: ["a/b"] }, { redact: ["$capture"] }]) {
    await assert.rejects(startSession(options(dir, wrong), door()), WaymarkError);
  }
  assert.deepEqual(seriesFiles(dir), []);
});
