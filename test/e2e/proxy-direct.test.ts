import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import test, { after } from "node:test";
import { assertSame, bothWays, comparisonTable } from "../support/both-ways.ts";
import { type CurlOrder, curlExchange } from "../support/exchanges/curl.ts";
import { grpcCalls, grpcOrigin } from "../support/exchanges/grpc.ts";
import { http1Exchanges, pipelined } from "../support/exchanges/http1.ts";
import { hundredStreams } from "../support/exchanges/http2.ts";
import { socketExchanges, socketOrigin } from "../support/exchanges/websocket.ts";
import { forwardProxy } from "../support/forward-proxy.ts";
import { http1Origin, http2Origin, TOGETHER } from "../support/raw-origins.ts";

/** Each exchange here is had twice, direct and through a running `waymark proxy`, and all that was seen is compared. */
const NEEDS_CURL = { skip: spawnSync("curl", ["--version"]).status === 0 ? false : "no curl here" };

after(() => {
  for (const line of comparisonTable()) process.stdout.write(`${line}\n`);
});

test("HTTP/1.1 by CONNECT and in absolute form is the same as direct", async (t) => {
  const room = await bothWays(t);
  const secure = await http1Origin(t, { pair: room.pair });
  const clear = await http1Origin(t);
  await assertSame(room, "HTTP/1.1 over TLS, CONNECT", (way) => http1Exchanges(way, secure, "tunnel"));
  const [wire] = await assertSame(room, "HTTP/1.1 over TLS, 20 pipelined", (way) => pipelined(way, secure));
  assert.deepEqual([wire?.headers.length, wire?.order?.length], [20, 20]);
  const [first] = await assertSame(room, "HTTP/1.1 in absolute form", (way) => http1Exchanges(way, clear, "absolute"));
  assert.deepEqual(
    [first?.status, first?.trailers?.length, first?.order],
    ["201", 4, ["103 Link </a.css>; rel=preload"]],
  );
});

test("HTTP/2 with 100 parallel streams is the same as direct", async (t) => {
  const room = await bothWays(t);
  const origin = await http2Origin(t, room.pair);
  const all = await assertSame(room, "HTTP/2, 100 parallel streams", (way) => hundredStreams(way, origin));
  assert.deepEqual(
    all[0]?.order,
    Array.from({ length: TOGETHER }, (_, index) => String(TOGETHER - 1 - index)),
  );
  assert.deepEqual(
    all.map(({ body, trailers }) => [body.bytes, trailers?.length]),
    all.map((_, index) => [2 * 997 * index, 2]),
  );
});

test("gRPC, unary and streaming in each direction, is the same as direct", async (t) => {
  const room = await bothWays(t);
  const port = await grpcOrigin(t, room.pair);
  const calls = await assertSame(room, "gRPC: unary, failing, up, down, both ways", (way) => grpcCalls(way, port));
  assert.deepEqual(
    calls.map(({ status, body }) => [status, body.bytes]),
    [
      ["OK", 200_000],
      ["RESOURCE_EXHAUSTED", 0],
      ["OK", 201_031],
      ["OK", 201_031],
      ["OK", 201_034],
    ],
  );
});

for (const isCompressed of [false, true]) {
  test(`WebSocket ${isCompressed ? "with" : "without"} compression is the same as direct, subprotocol and close codes included`, async (t) => {
    const room = await bothWays(t);
    const origin = await socketOrigin(t, room.pair);
    const name = `WebSocket ${isCompressed ? "with" : "without"} compression, 7 endings`;
    const all = await assertSame(room, name, (way) => socketExchanges(way, origin, isCompressed));
    assert.deepEqual(
      all.map(({ close, headers }) => [close, headers[0]]),
      ["4001", "1005", "1011", "1006", "1000", "4999", "1006"].map((code) => [code, "v2"]),
    );
  });
}

const SOCKS = [
  ["name left to the proxy", (port: number) => ["--socks5-hostname", `127.0.0.1:${port}`]],
  ["user and password", (port: number) => ["-x", `socks5h://user:secret@127.0.0.1:${port}`]],
] as const;

test("curl over SOCKS5 is the same as direct", NEEDS_CURL, async (t) => {
  const room = await bothWays(t);
  const { cwd: folder } = room;
  const secure = await http1Origin(t, { pair: room.pair });
  const clear = await http1Origin(t);
  const second = await http2Origin(t, room.pair);
  for (const [how, proxy] of SOCKS) {
    const same = (what: string, origin: typeof clear, order: Pick<CurlOrder, "url" | "words">) =>
      assertSame(room, `curl, SOCKS5 (${how}), ${what}`, (way) =>
        curlExchange(way, origin, { ...order, folder, proxy }),
      );
    await same("TLS", secure, { url: `https://localhost:${secure.port}/echo`, words: ["--http1.1"] });
    await same("clear", clear, { url: `http://localhost:${clear.port}/echo` });
    const [over2] = await same("HTTP/2", second, { url: `https://localhost:${second.port}/x`, words: ["--http2"] });
    assert.equal(over2?.close, "HTTP/2");
  }
});

async function hasIpv6(): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(0, "::1", () => server.close(() => resolve(true)));
  });
}

test("an address of IPv6 is the same as direct, by each way in", NEEDS_CURL, async (t) => {
  if (!(await hasIpv6())) return t.skip("no IPv6 loopback here");
  const room = await bothWays(t);
  const { cwd: folder } = room;
  const secure = await http1Origin(t, { pair: room.pair, host: "::1" });
  const clear = await http1Origin(t, { host: "::1" });
  const second = await http2Origin(t, room.pair, "::1");
  const ways = [
    ["CONNECT", (port: number) => ["-p", "-x", `http://127.0.0.1:${port}`]],
    ["SOCKS5", (port: number) => ["--socks5", `127.0.0.1:${port}`]],
    ["as it comes", (port: number) => ["-x", `http://127.0.0.1:${port}`]],
  ] as const;
  for (const [how, proxy] of ways) {
    const same = (what: string, origin: typeof clear, order: Pick<CurlOrder, "url" | "words">) =>
      assertSame(room, `curl, [::1], ${how}, ${what}`, (way) => curlExchange(way, origin, { ...order, folder, proxy }));
    await same("TLS", secure, { url: `https://[::1]:${secure.port}/echo`, words: ["--http1.1"] });
    await same("clear", clear, { url: `http://[::1]:${clear.port}/echo` });
    await same("HTTP/2", second, { url: `https://[::1]:${second.port}/x`, words: ["--http2"] });
  }
});

for (const credentials of [undefined, "user:p@ss"]) {
  const kind = credentials === undefined ? "without" : "with";
  test(`through an upstream proxy ${kind} credentials all is the same as direct`, NEEDS_CURL, async (t) => {
    const other = await forwardProxy(t, credentials);
    const proof = credentials === undefined ? "" : "user:p%40ss@";
    const room = await bothWays(t, ["--upstream", `http://${proof}127.0.0.1:${other.port}`]);
    const secure = await http1Origin(t, { pair: room.pair });
    const clear = await http1Origin(t);
    const second = await http2Origin(t, room.pair);
    const same = (what: string, origin: typeof clear, url: string, words: readonly string[] = []) =>
      assertSame(room, `curl, --upstream ${kind} credentials, ${what}`, (way) =>
        curlExchange(way, origin, {
          url,
          words,
          folder: room.cwd,
          proxy: (port) => ["-x", `http://127.0.0.1:${port}`],
          direct: ["--resolve", `origin.test:${origin.port}:127.0.0.1`],
        }),
      );
    await same("TLS", secure, `https://origin.test:${secure.port}/echo`, ["--http1.1"]);
    await same("clear", clear, `http://origin.test:${clear.port}/echo`);
    await same("HTTP/2", second, `https://origin.test:${second.port}/x`, ["--http2"]);
    assert.deepEqual(
      other.taken().map((line) => line.replace(/ HTTP.*$/, "")),
      [
        `CONNECT origin.test:${secure.port}`,
        `POST http://origin.test:${clear.port}/echo`,
        `CONNECT origin.test:${second.port}`,
      ],
    );
  });
}
