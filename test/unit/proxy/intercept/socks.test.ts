import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import test, { type TestContext } from "node:test";
import { runProgram } from "../../../support/processes.ts";
import {
  dialProxy,
  httpOrigin,
  listening,
  type ProxyRoom,
  proxyRoom,
  readAll,
  tlsOrigin,
  until,
} from "../../../support/room.ts";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const NEEDS_CURL = hasCurl ? {} : { skip: "no curl here" };

/** Says something byte by byte and gives what comes back until the other side ends. */
async function say(t: TestContext, room: ProxyRoom, bytes: readonly number[]): Promise<number[]> {
  const socket = await dialProxy(t, room.port);
  for (const byte of bytes) socket.write(Buffer.from([byte]));
  return [...(await readAll(socket)).bytes];
}

for (const [how, args] of [
  ["the name left to the proxy", (port: number) => ["--socks5-hostname", `127.0.0.1:${port}`]],
  ["an address", (port: number) => ["--socks5", `127.0.0.1:${port}`]],
  ["user and password", (port: number) => ["-x", `socks5h://user:secret@127.0.0.1:${port}`]],
] as const) {
  test(`curl over SOCKS5 with ${how}: TLS and clear HTTP are read as through CONNECT`, NEEDS_CURL, async (t) => {
    const room = await proxyRoom(t);
    const secure = await tlsOrigin(t, room, (_, response) => response.end("secret"), "localhost");
    const clear = await httpOrigin(t, (_, response) => response.end("clear"));
    const curl = (url: string) =>
      runProgram("curl", ["-sS", ...args(room.port), "--cacert", room.authority.certFile, "-d", "body", url]);
    assert.equal((await curl(`https://localhost:${secure}/s`)).stdout, "secret");
    assert.equal((await curl(`http://localhost:${clear}/c`)).stdout, "clear");
    assert.deepEqual(
      room.exchanges.map(({ scheme, target, body }) => [scheme, target, Buffer.from(body).toString()]),
      [
        ["https", "/s", "body"],
        ["http", "/c", "body"],
      ],
    );
  });
}

test("a server that speaks first over SOCKS5 is heard at once, IPv6 and all", async (t) => {
  const room = await proxyRoom(t);
  const port = await listening(
    t,
    createServer((socket) => void socket.end("220 hello\r\n")),
    "::1",
  ).catch(() => 0);
  if (port === 0) return t.skip("no IPv6 loopback here");
  const socket = await dialProxy(t, room.port);
  socket.write(Buffer.from([5, 1, 0, 5, 1, 0, 4, ...Array(15).fill(0), 1, port >> 8, port & 255]));
  const { bytes } = await readAll(socket);
  assert.deepEqual([...bytes.subarray(0, 12)], [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  assert.equal(bytes.toString("latin1", 12), "220 hello\r\n");
});

test("what SOCKS5 cannot give is refused in its own words, and counted", async (t) => {
  const room = await proxyRoom(t);
  const own = [room.port >> 8, room.port & 255];
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  const reply = (code: number): number[] => [5, code, 0, 1, 0, 0, 0, 0, 0, 0];
  assert.deepEqual(await say(t, room, [5, 1, 1]), [5, 0xff], "only GSSAPI");
  assert.deepEqual(await say(t, room, [5, 1, 0, 5, 2, 0, 1, 127, 0, 0, 1, 0, 80]), [5, 0, ...reply(7)], "BIND");
  assert.deepEqual(await say(t, room, [5, 1, 0, 5, 1, 0, 9]), [5, 0, ...reply(8)], "an unknown kind of address");
  assert.deepEqual(await say(t, room, [5, 1, 0, 5, 1, 0, 3, ...name("a b"), 0, 80]), [5, 0, ...reply(8)]);
  assert.deepEqual(await say(t, room, [5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, ...own]), [5, 0, ...reply(2)], "own port");
  assert.deepEqual(await say(t, room, [5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, 0, 1]), [5, 0, ...reply(4)], "nobody there");
  const gone = await dialProxy(t, room.port);
  gone.end(Buffer.from([5, 2, 0]));
  await readAll(gone);
  await until(() => room.proxy.counts.clientErrors === 5, "those that asked for nothing are counted");
  assert.equal(room.proxy.counts.refused, 1);
});
