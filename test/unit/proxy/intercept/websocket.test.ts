import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { createServer } from "node:https";
import test, { type TestContext } from "node:test";
import fc from "fast-check";
import { WebSocket, WebSocketServer } from "ws";
import { createCertificateFor } from "../../../../certs/leaf.ts";
import { WsFrameReader } from "../../../../proxy/intercept/websocket-frames.ts";
import type { Exchange } from "../../../../proxy/record/exchange.ts";
import { listening, type ProxyRoom, proxyRoom, secureTunnel, tunnel, until } from "../../../support/room.ts";

interface Outcome {
  readonly protocol: string;
  readonly extensions: string;
  readonly code: number;
  readonly reason: string;
  readonly echoed: string[];
}

const MESSAGES = ['{"name":"one"}', `{"name":"two","pad":"${"x".repeat(70_000)}"}`, "ž", '{"name":"one"}', ""];

/** An echo server that ends with a code of its own when it is told "end". */
async function socketOrigin(t: TestContext, room: ProxyRoom): Promise<number> {
  const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
  const server = createServer(pair);
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: { threshold: 10 },
    handleProtocols: (offered) => (offered.has("v2") ? "v2" : false),
  });
  sockets.on("connection", (socket) => {
    socket.on("message", (data, isBinary) => {
      if (String(data) === "end") socket.close(4001, "as asked");
      else if (String(data) === "cut") socket.terminate();
      else if (String(data) === "close") socket.close();
      else socket.send(data, { binary: isBinary });
    });
  });
  return listening(t, server);
}

/** Says all messages, then the last word, and tells how it went. */
async function converse(socket: WebSocket, lastWord: string): Promise<Outcome> {
  const echoed: string[] = [];
  socket.on("message", (data) => {
    echoed.push(String(data));
    if (echoed.length === MESSAGES.length) socket.send(lastWord);
  });
  socket.on("error", () => undefined);
  await once(socket, "open");
  for (const message of MESSAGES) socket.send(message);
  const [code, reason] = (await once(socket, "close")) as [number, Buffer];
  return { protocol: socket.protocol, extensions: socket.extensions, code, reason: reason.toString(), echoed };
}

for (const perMessageDeflate of [false, true]) {
  test(`a WebSocket ${perMessageDeflate ? "with" : "without"} compression is the same as without the proxy, and its messages are read`, async (t) => {
    const messages: Exchange[] = [];
    const room = await proxyRoom(t, { onPassing: (exchange) => void messages.push(exchange) });
    const port = await socketOrigin(t, room);
    for (const lastWord of ["end", "close", "cut"]) {
      const options = { ca: [room.originAuthority.certPem], perMessageDeflate };
      const direct = await converse(new WebSocket(`wss://127.0.0.1:${port}/s?q=1`, ["v1", "v2"], options), lastWord);
      const through = await secureTunnel(t, room, `127.0.0.1:${port}`);
      const socket = new WebSocket(`wss://127.0.0.1:${port}/s?q=1`, ["v1", "v2"], {
        ...options,
        createConnection: () => through,
      });
      assert.deepEqual(await converse(socket, lastWord), direct);
      assert.deepEqual([direct.protocol, direct.code], ["v2", { end: 4001, close: 1005, cut: 1006 }[lastWord]]);
      await until(() => messages.length === MESSAGES.length + 1, "all messages are read");
      const seen = messages.splice(0);
      assert.deepEqual(
        seen.map(({ body }) => Buffer.from(body).toString()),
        [...MESSAGES, lastWord],
      );
      assert.ok(seen.every(({ target, truncated, host }) => target === "/s?q=1" && !truncated && host === "127.0.0.1"));
    }
    const { opaque, hookErrors, messages: counted } = room.proxy.counts;
    assert.deepEqual([opaque, hookErrors, counted], [0, 0, 3 * (2 * MESSAGES.length + 1)]);
    assert.equal(room.exchanges.length, 3, "the requests that opened them");
  });
}

test("other upgrades pass unchanged and unread", async (t) => {
  const room = await proxyRoom(t);
  const server = createHttp();
  server.on("upgrade", (_, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nhello ");
    socket.pipe(socket);
  });
  const upgrading = await listening(t, server);
  const client = await tunnel(t, room, `127.0.0.1:${upgrading}`);
  client.write("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n");
  let seen = "";
  client.on("data", (chunk: Buffer) => {
    seen += chunk.toString("latin1");
  });
  await until(() => seen.includes("hello "), "it is switched");
  client.write(Buffer.from([0, 255, 1]));
  await until(() => seen.endsWith("hello \u0000\u00ff\u0001"), "bytes come back");
  assert.deepEqual([room.proxy.counts.messages, room.proxy.counts.opaque], [0, 0]);
});

test("frames are found however the bytes are cut, and garbage never throws", () => {
  const frame = fc.record({
    text: fc.string({ maxLength: 300 }),
    isMasked: fc.boolean(),
    opcode: fc.constantFrom(1, 2, 8, 9),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 20 }), fc.array(fc.nat(4000)), (frames, cuts) => {
      const bytes = Buffer.concat(frames.map(encode));
      const seen: (readonly [number, string])[] = [];
      const reader = new WsFrameReader(
        1000,
        ({ opcode, payload }) => void seen.push([opcode, payload.toString()]),
        (why) => assert.fail(why),
      );
      const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
      for (const [index, from] of [0, ...places].entries()) reader.push(bytes.subarray(from, places[index]));
      assert.deepEqual(
        seen,
        frames.map(({ opcode, text }) => [opcode, text]),
      );
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const reader = new WsFrameReader(
        100,
        () => undefined,
        () => undefined,
      );
      reader.push(Buffer.from(bytes));
    }),
  );
});

function encode({ text, isMasked, opcode }: { text: string; isMasked: boolean; opcode: number }): Buffer {
  const payload = Buffer.from(text);
  const bit = isMasked ? 0x80 : 0;
  const head =
    payload.length < 126
      ? Buffer.from([0x80 | opcode, bit | payload.length])
      : Buffer.from([0x80 | opcode, bit | 126, payload.length >> 8, payload.length & 255]);
  if (!isMasked) return Buffer.concat([head, payload]);
  const mask = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ (mask[at & 3] ?? 0))]);
}
