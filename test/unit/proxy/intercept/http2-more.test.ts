import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttp2, createSecureServer } from "node:http2";
import { createServer } from "node:net";
import test from "node:test";
import { createCertificateFor } from "../../../../certs/leaf.ts";
import type { Exchange } from "../../../../proxy/record/exchange.ts";
import { ask, echo, http2Origin, http2Session } from "../../../support/http2-room.ts";
import { listening, proxyRoom, readHead, tunnel, until } from "../../../support/room.ts";

/** A masked text frame of a client (RFC 6455 section 5.2). */
function textFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const mask = Buffer.from([1, 2, 3, 4]);
  const masked = body.map((byte, index) => byte ^ (mask[index & 3] ?? 0));
  return Buffer.concat([Buffer.from([0x81, 0x80 | body.length]), mask, masked]);
}

test("a WebSocket inside a stream of HTTP/2 (RFC 8441) passes unchanged, and what the client says is read", async (t) => {
  const messages: Exchange[] = [];
  const room = await proxyRoom(t, { onPassing: (exchange) => void messages.push(exchange) });
  const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
  const server = createSecureServer({ ...pair, settings: { enableConnectProtocol: true } });
  server.on("stream", (stream) => {
    stream.on("error", () => undefined);
    stream.respond({ ":status": 200, "sec-websocket-protocol": "v2" });
    stream.pipe(stream);
  });
  const port = await listening(t, server);
  const session = await http2Session(t, room, { port });
  await once(session, "remoteSettings");
  const stream = session.request(
    { ":method": "CONNECT", ":protocol": "websocket", ":path": "/s", ":scheme": "https", ":authority": "x" },
    { endStream: false },
  );
  const [answer] = await once(stream, "response");
  assert.equal(answer[":status"], 200);
  let echoed = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    echoed = Buffer.concat([echoed, chunk]);
  });
  const sent = Buffer.concat([textFrame('{"name":"one"}'), textFrame('{"name":"two"}')]);
  stream.write(sent.subarray(0, 20));
  stream.write(sent.subarray(20));
  await until(() => echoed.length === sent.length, "all comes back");
  assert.deepEqual(echoed, sent);
  await until(() => messages.length === 2, "both are read");
  assert.deepEqual(
    messages.map(({ body, target }) => [Buffer.from(body).toString(), target]),
    [
      ['{"name":"one"}', "/s"],
      ['{"name":"two"}', "/s"],
    ],
  );
  const { opaque, hookErrors, messages: counted } = room.proxy.counts;
  assert.deepEqual([opaque, hookErrors, counted], [0, 0, 4]);
  assert.deepEqual(
    room.exchanges.map(({ body, truncated }) => [body.length, truncated]),
    [[0, false]],
    "the request that opened it",
  );
});

test("what a server pushes reaches the client, is counted, and breaks nothing", async (t) => {
  const room = await proxyRoom(t);
  const port = await http2Origin(t, room, {
    onStream: (stream, headers) => {
      stream.pushStream({ ":path": "/pushed" }, (error, pushed) => {
        assert.equal(error, null);
        pushed.respond({ ":status": 200 });
        pushed.end("extra");
        echo(stream, headers);
      });
      stream.resume();
    },
  });
  const session = await http2Session(t, room, { port });
  const pushed: string[] = [];
  session.on("stream", (stream, headers) => {
    pushed.push(String(headers[":path"]));
    stream.resume();
  });
  assert.equal((await ask(session, { ":method": "POST", ":path": "/a" }, ["x"])).status, 200);
  await until(() => room.answers.size === 1 && pushed.length === 1, "both are over");
  assert.deepEqual(pushed, ["/pushed"]);
  assert.deepEqual(
    room.exchanges.map(({ target }) => target),
    ["/a"],
  );
  assert.deepEqual([room.proxy.counts.unreadStreams, room.proxy.counts.opaque], [1, 0]);
});

test("an upgrade to HTTP/2 (h2c) is followed, and an upgrade to anything else is told as unread", async (t) => {
  const unread: string[] = [];
  const room = await proxyRoom(t, { onUnread: (_, why) => void unread.push(why) });
  const inner = createHttp2();
  inner.on("stream", echo);
  inner.on("sessionError", () => undefined);
  const port = await listening(
    t,
    createServer((socket) => {
      socket.once("data", (chunk: Buffer) => {
        const [, protocol = ""] = /Upgrade: ([a-z0-9]+)\r\n/.exec(chunk.toString("latin1")) ?? [];
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
        if (protocol === "h2c") inner.emit("connection", socket);
      });
    }),
  );
  const upgrade = async (protocol: string) => {
    const socket = await tunnel(t, room, `127.0.0.1:${port}`);
    socket.write(`GET /first HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
    assert.match(await readHead(socket), / 101 /);
    return socket;
  };
  const session = await http2Session(t, room, { port, isClear: true, through: await upgrade("h2c") });
  assert.equal((await ask(session, { ":method": "POST", ":path": "/second" }, ["body"])).body, "body");
  await until(() => room.exchanges.length === 2, "both are read");
  assert.deepEqual(
    room.exchanges.map(({ target, body }) => [target, Buffer.from(body).toString()]),
    [
      ["/first", ""],
      ["/second", "body"],
    ],
  );
  assert.deepEqual(unread, []);
  await upgrade("other");
  await until(() => unread.length === 1, "it is told");
  assert.match(unread[0] ?? "", /switched to a protocol that is not read/);
  assert.deepEqual([room.proxy.counts.unreadStreams, room.proxy.counts.opaque], [1, 0]);
});

test("request shapes on which two parsers could disagree pass a tunnel unchanged, and end its reading", async (t) => {
  const shapes = [
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "GET / HTTP/1.1\rHost: x\r\r",
    "GET /a\rb HTTP/1.1\r\nHost: x\r\nX: a\rTransfer-Encoding: chunked\r\n\r\n",
  ];
  const room = await proxyRoom(t);
  const got: string[] = [];
  const port = await listening(
    t,
    createServer((socket) => {
      const at = got.push("") - 1;
      socket.on("data", (chunk: Buffer) => {
        got[at] += chunk.toString("latin1");
      });
    }),
  );
  for (const [index, shape] of shapes.entries()) {
    const client = await tunnel(t, room, `127.0.0.1:${port}`);
    client.write(shape, "latin1");
    await until(() => got[index] === shape, `shape ${index} has come as it was sent`);
    client.destroy();
  }
  await until(() => room.proxy.counts.opaque >= 4, "they are not read", 2000).catch(() => undefined);
  assert.deepEqual(
    room.exchanges.filter(({ target }) => target.includes("smuggled")),
    [],
  );
  assert.equal(room.proxy.counts.hookErrors, 0);
});
