import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import {
  dialProxy,
  listening,
  type ProxyRoom,
  proxyRoom,
  readAll,
  secureTunnel,
  tlsOrigin,
  until,
} from "../../../support/room.ts";

const IS_BIG = process.env["WAYMARK_BIG"] === "1";
const [SECONDS, CONNECTIONS] = IS_BIG ? [60, 200] : [4, 20];
const DESCRIPTORS = "/proc/self/fd";

function descriptors(): number | undefined {
  return process.platform === "linux" ? readdirSync(DESCRIPTORS).length : undefined;
}

test("a client that leaves right after its last POST, 60 times: 60 reach the origin and 60 are recorded", async (t) => {
  const room = await proxyRoom(t);
  const got: string[] = [];
  const port = await tlsOrigin(t, room, (request) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => got.push(body));
  });
  for (let n = 0; n < 60; n += 1) {
    const client = await secureTunnel(t, room, `127.0.0.1:${port}`);
    const body = `beacon ${n}`;
    client.write(`POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () =>
      client.destroy(),
    );
  }
  const all = Array.from({ length: 60 }, (_, n) => `beacon ${n}`).sort();
  await until(() => got.length === 60 && room.exchanges.length === 60, "all have come");
  assert.deepEqual(got.sort(), all);
  assert.deepEqual(room.exchanges.map(({ body }) => Buffer.from(body).toString()).sort(), all);
});

type Mischief = "none" | "reset" | "garbage" | "stall" | "leave" | "cut";
const MISCHIEF: readonly Mischief[] = ["none", "none", "reset", "garbage", "stall", "leave", "cut"];

/** Answers `GET /SIZE/MISCHIEF` with so many bytes and their hash in front, or misbehaves on the way. */
async function wildOrigin(t: TestContext): Promise<number> {
  return listening(
    t,
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (chunk: Buffer) => {
        const [, size = "0", mischief = "none"] = /^GET \/([0-9]+)\/([a-z]+) /.exec(chunk.toString("latin1")) ?? [];
        answer(socket, Number(size), mischief as Mischief);
      });
    }),
  );
}

function answer(socket: Socket, size: number, mischief: Mischief): void {
  const body = randomBytes(size);
  const hash = createHash("sha256").update(body).digest("hex");
  const head = `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${size}\r\nX-Hash: ${hash}\r\n\r\n`;
  if (mischief === "garbage") return void socket.end(randomBytes(size));
  socket.write(head);
  if (mischief === "none" || mischief === "stall" || mischief === "leave") return void socket.end(body);
  socket.write(body.subarray(0, size / 2), () => (mischief === "reset" ? socket.resetAndDestroy() : socket.destroy()));
}

/** One exchange in a tunnel of its own; a well-behaved one has to be whole. */
async function visit(room: ProxyRoom, port: number, mischief: Mischief): Promise<void> {
  const socket = connect(room.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
  if (mischief === "garbage") socket.write(randomBytes(300));
  else socket.write(`GET /${Math.floor(Math.random() * 300_000)}/${mischief} HTTP/1.1\r\nHost: x\r\n\r\n`);
  if (mischief === "stall") socket.pause().once("readable", () => setTimeout(() => socket.destroy(), 20));
  if (mischief === "leave") setTimeout(() => (Math.random() < 0.5 ? socket.resetAndDestroy() : socket.destroy()), 5);
  if (mischief === "stall" || mischief === "leave" || mischief === "garbage") {
    const limit = setTimeout(() => socket.destroy(), 200);
    socket.resume();
    await new Promise((resolve) => socket.once("close", resolve));
    clearTimeout(limit);
    return;
  }
  const { bytes } = await readAll(socket);
  socket.destroy();
  const answered = bytes.subarray(bytes.indexOf("\r\n\r\n") + 4); // behind the proxy's own answer
  const start = answered.indexOf("\r\n\r\n") + 4;
  if (mischief !== "none") {
    const length = Number(/Content-Length: ([0-9]+)/.exec(answered.toString("latin1", 0, 400))?.[1] ?? 0);
    if (length > 0) assert.ok(answered.length - start < length, "what the origin cut is cut for the client");
    return;
  }
  const hash = /X-Hash: ([0-9a-f]+)/.exec(answered.toString("latin1", 0, start))?.[1];
  assert.equal(
    createHash("sha256").update(answered.subarray(start)).digest("hex"),
    hash,
    "an untouched exchange is whole",
  );
}

test(`resets, stalls and garbage for ${SECONDS} s on ${CONNECTIONS} connections touch no other exchange and leave nothing behind`, async (t) => {
  const room = await proxyRoom(t);
  const port = await wildOrigin(t);
  await visit(room, port, "none");
  await until(() => room.answers.size === 1, "the first is over");
  const before = descriptors();
  const end = Date.now() + SECONDS * 1000;
  let visits = 0;
  const wander = async (): Promise<void> => {
    while (Date.now() < end) {
      visits += 1;
      await visit(room, port, MISCHIEF[Math.floor(Math.random() * MISCHIEF.length)] ?? "none");
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, wander));
  await visit(room, port, "none");
  assert.ok(visits > CONNECTIONS);
  assert.equal(room.proxy.counts.hookErrors, 0);
  if (before !== undefined) await until(() => (descriptors() ?? 0) <= before, "descriptors are back", 10_000);
});

test("garbage instead of anything, on the front door, inside tunnels and inside TLS, harms nobody", async (t) => {
  const room = await proxyRoom(t);
  const port = await tlsOrigin(t, room, (_, response) => response.end("fine"));
  for (let n = 0; n < 40; n += 1) {
    const socket = await dialProxy(t, room.port);
    if (n % 2 === 1) socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
    socket.end(n % 4 < 2 ? randomBytes(200) : Buffer.concat([Buffer.from([0x16, 3, 1, 0, 50, 1]), randomBytes(60)]));
    socket.resume();
    await new Promise((resolve) => socket.once("close", resolve));
  }
  const client = await secureTunnel(t, room, `127.0.0.1:${port}`);
  client.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert.match((await readAll(client)).bytes.toString(), /fine$/);
  assert.equal(room.proxy.counts.hookErrors, 0);
});
