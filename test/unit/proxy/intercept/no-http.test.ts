import assert from "node:assert/strict";
import { once } from "node:events";
import test, { type TestContext } from "node:test";
import { createServer as createTls, type TLSSocket } from "node:tls";
import { createCertificateFor } from "../../../../certs/leaf.ts";
import { couldBeRequest, couldBeResponse } from "../../../../proxy/intercept/http1-start.ts";
import { listening, type ProxyRoom, proxyRoom, secureTunnel, until } from "../../../support/room.ts";

interface Stage {
  readonly room: ProxyRoom;
  readonly port: number;
  readonly unread: string[];
}

/** A server of TLS without ALPN that greets its clients, when it has a greeting, and gives back what they say. */
async function echoStage(t: TestContext, greeting: string): Promise<Stage> {
  const unread: string[] = [];
  const room = await proxyRoom(t, { onUnread: (_, why) => void unread.push(why) });
  const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
  const server = createTls(pair, (socket) => {
    socket.on("error", () => undefined);
    if (greeting !== "") socket.write(greeting);
    socket.pipe(socket);
  });
  return { room, port: await listening(t, server), unread };
}

/** Says something, waits for what is to come back, and leaves. */
async function converse(t: TestContext, { room, port }: Stage, said: Buffer, expected: Buffer): Promise<void> {
  const client: TLSSocket = await secureTunnel(t, room, `127.0.0.1:${port}`);
  let heard = Buffer.alloc(0);
  client.on("data", (chunk: Buffer) => {
    heard = Buffer.concat([heard, chunk]);
  });
  if (said.length > 0) client.write(said);
  await until(() => heard.length >= expected.length, "the answer");
  assert.deepEqual(heard, expected);
  client.end();
  await once(client, "close");
}

const BINARY = Buffer.alloc(5000, Buffer.from([0, 200, 7, 32, 99]));
const KINDS: readonly (readonly [string, Buffer])[] = [
  ["5 KB without an empty line", BINARY],
  ["bytes with an empty line", Buffer.concat([BINARY, Buffer.from("\r\n\r\n"), BINARY])],
  ["a line of text", Buffer.from("EHLO x\r\n")],
  ["nothing", Buffer.alloc(0)],
];

for (const greeting of ["220 welcome\r\n", ""]) {
  for (const [what, said] of KINDS) {
    if (greeting === "" && said.length === 0) continue;
    const server = greeting === "" ? "a server that listens first" : "a server that speaks first";
    test(`${what}, said inside TLS to ${server}, is counted once and leaves a mark`, async (t) => {
      const stage = await echoStage(t, greeting);
      await converse(t, stage, said, Buffer.concat([Buffer.from(greeting), said]));
      await until(() => stage.room.proxy.counts.opaque === 1, "it is counted");
      await stage.room.proxy.close(100);
      const { opaque, clientErrors, hookErrors } = stage.room.proxy.counts;
      assert.deepEqual([opaque, clientErrors, hookErrors, stage.unread.length], [1, 0, 0, 1]);
      assert.deepEqual(stage.room.troubles, []);
    });
  }
}

for (const said of ["", "P", "POST /a HTTP/1.1\r\nContent-Le"]) {
  test(`a client that leaves after ${JSON.stringify(said)} was not speaking another protocol`, async (t) => {
    let heard = "";
    const unread: string[] = [];
    const room = await proxyRoom(t, { onUnread: (_, why) => void unread.push(why) });
    const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
    const server = createTls(pair, (socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (chunk: Buffer) => {
        heard += chunk.toString();
      });
    });
    const client = await secureTunnel(t, room, `127.0.0.1:${await listening(t, server)}`);
    if (said !== "") client.write(said);
    await until(() => heard === said, "it has arrived");
    client.destroy();
    await room.proxy.close(100);
    assert.deepEqual([room.proxy.counts.opaque, unread], [0, []]);
  });
}

test("a server of HTTP that does not wait for a request any longer is one of HTTP", async (t) => {
  const answer = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  const stage = await echoStage(t, answer);
  await converse(t, stage, Buffer.alloc(0), Buffer.from(answer));
  await stage.room.proxy.close(100);
  assert.deepEqual([stage.room.proxy.counts.opaque, stage.unread], [0, []]);
});

test("the start of a head shows what it can be, wherever it is cut", () => {
  const request = "POST /a?b=%20 HTTP/1.1\r\nHost: x\r\n";
  const answer = "HTTP/1.0 200 OK\r\nA: b\r\n";
  for (let end = 0; end <= request.length; end += 1) assert.ok(couldBeRequest(request.slice(0, end)), String(end));
  for (let end = 0; end <= answer.length; end += 1) assert.ok(couldBeResponse(answer.slice(0, end)), String(end));
  for (const other of ["EHLO x\r\n", "GET /\n", "\0", "GET / HTTP/2", "a b c", "ab\r\nc", "GET / HTTP/1.1x"]) {
    assert.ok(!couldBeRequest(other), JSON.stringify(other));
  }
  for (const other of ["220 hi", "HTTQ", "HTTP/2", "\r"]) assert.ok(!couldBeResponse(other), JSON.stringify(other));
});
