import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { Duplex } from "node:stream";
import test, { type TestContext } from "node:test";
import { connect as connectTls, type TLSSocket } from "node:tls";
import {
  httpOrigin,
  listening,
  type ProxyRoom,
  proxyRoom,
  readAll,
  tlsOrigin,
  tunnel,
  until,
} from "../../../support/room.ts";

/** Gives back what it gets, and ends when its client does. */
function echoOrigin(t: TestContext): Promise<number> {
  return listening(
    t,
    createServer((socket) => void socket.pipe(socket)),
  );
}

for (const bytes of ["ab", "SSH-2.0-x", "PRI", "PRI * HTTP/2.0\r\n", "\x16", "\x16\x03\x01"]) {
  test(`${JSON.stringify(bytes)}, which could still be several things, does not wait for more for ever`, async (t) => {
    const room = await proxyRoom(t);
    const client = await tunnel(t, room, `127.0.0.1:${await echoOrigin(t)}`);
    let seen = "";
    client.on("data", (chunk: Buffer) => {
      seen += chunk.toString("latin1");
    });
    client.write(Buffer.from(bytes, "latin1"));
    await until(() => seen.length >= bytes.length, "it comes back");
    const more = Buffer.from([0, 1, 2, 255, 13, 10, 13, 10]);
    client.end(more);
    await once(client, "end");
    assert.equal(seen, bytes + more.toString("latin1"));
    await until(() => room.proxy.counts.opaque === 1, "it is counted");
    assert.equal(room.proxy.counts.hookErrors, 0);
  });
}

test("a request that comes in two parts is read, however late the second is", async (t) => {
  const room = await proxyRoom(t);
  const port = await httpOrigin(t, (_, response) => response.end("fine"));
  const client = await tunnel(t, room, `127.0.0.1:${port}`);
  client.write("GE");
  await new Promise((resolve) => setTimeout(resolve, 700));
  client.write("T /late HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert.match((await readAll(client)).bytes.toString(), /fine/);
  assert.equal(room.exchanges[0]?.target, "/late");
});

/** A TLS client whose first message is cut in two, the second part sent so much later. */
async function cutHello(t: TestContext, room: ProxyRoom, port: number, pauseMs: number): Promise<TLSSocket> {
  const raw = await tunnel(t, room, `127.0.0.1:${port}`);
  let isFirst = true;
  const slow = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _, done) => {
      const parts = isFirst ? [chunk.subarray(0, 40), chunk.subarray(40)] : [chunk];
      isFirst = false;
      raw.write(parts[0] ?? chunk);
      setTimeout(() => raw.write(parts[1] ?? Buffer.alloc(0), () => done()), parts.length > 1 ? pauseMs : 0);
    },
  });
  raw.on("data", (chunk: Buffer) => slow.push(chunk));
  raw.once("close", () => slow.destroy());
  const ca = [room.authority.certPem, room.originAuthority.certPem];
  const client = connectTls({ socket: slow, host: "127.0.0.1", ca });
  client.on("error", () => undefined);
  t.after(() => client.destroy());
  await once(client, "secureConnect");
  return client;
}

for (const [pauseMs, isOpened] of [
  [200, true],
  [900, false],
] as const) {
  test(`a ClientHello whose second part comes after ${pauseMs} ms is ${isOpened ? "opened" : "passed on"}`, async (t) => {
    const room = await proxyRoom(t);
    const port = await tlsOrigin(t, room, (_, response) => response.end("fine"));
    const client = await cutHello(t, room, port, pauseMs);
    client.write("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert.match((await readAll(client)).bytes.toString(), /fine/);
    assert.deepEqual([room.exchanges.length, room.proxy.counts.opaque], isOpened ? [1, 0] : [0, 1]);
  });
}
