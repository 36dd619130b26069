import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import type { Socket } from "node:net";
import test from "node:test";
import {
  dialProxy,
  httpOrigin,
  proxyRoom,
  readAll,
  readHead,
  secureTunnel,
  tlsOrigin,
  until,
} from "../../../support/room.ts";

const MEGABYTE = 1 << 20;
const DESCRIPTORS = "/proc/self/fd";

function sum(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

test("bodies of 1 MB arrive over TLS in both directions with every byte, and the record has them too", async (t) => {
  const room = await proxyRoom(t);
  const [up, down] = [randomBytes(MEGABYTE), randomBytes(MEGABYTE)];
  const port = await tlsOrigin(t, room, (request, response) => {
    const hash = createHash("sha256");
    request.on("data", (chunk: Buffer) => hash.update(chunk));
    request.on("end", () =>
      response.writeHead(200, { "x-sum": hash.digest("hex"), "Content-Length": MEGABYTE }).end(down),
    );
  });
  const client = await secureTunnel(t, room, `127.0.0.1:${port}`);
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${MEGABYTE}\r\n\r\n`);
  client.write(up);
  const head = await readHead(client);
  assert.match(head, new RegExp(`x-sum: ${sum(up)}\r\n`));
  assert.equal(sum((await readAll(client)).bytes), sum(down));
  assert.equal(sum(Buffer.from(room.exchanges[0]?.body ?? [])), sum(up));
});

/** Writes until the socket has taken nothing more for a while; gives the bytes that were taken. */
async function fill(socket: Socket, limit: number): Promise<number> {
  const piece = Buffer.alloc(65_536, 7);
  let written = 0;
  while (written < limit) {
    written += piece.length;
    if (socket.write(piece)) continue;
    const drained = once(socket, "drain").then(() => true);
    const isStuck = new Promise<boolean>((resolve) => setTimeout(resolve, 300, false));
    if (!(await Promise.race([drained, isStuck]))) break;
  }
  return written;
}

for (const kind of ["TLS", "plain"]) {
  test(`a reader that stops holds back a sender of 50 MB (${kind}), and every byte arrives once it reads on`, async (t) => {
    const room = await proxyRoom(t, { maxBodyBytes: 1000 });
    const total = 50 * MEGABYTE;
    let taken: (() => void) | undefined;
    let arrived = 0;
    const listener: Parameters<typeof httpOrigin>[1] = (request, response) => {
      taken = () => {
        request.on("data", (chunk: Buffer) => {
          arrived += chunk.length;
        });
        request.on("end", () => response.end("ok"));
      };
    };
    const port = kind === "TLS" ? await tlsOrigin(t, room, listener) : await httpOrigin(t, listener);
    const client = kind === "TLS" ? await secureTunnel(t, room, `127.0.0.1:${port}`) : await dialProxy(t, room.port);
    const target = kind === "TLS" ? "/" : `http://127.0.0.1:${port}/`;
    client.write(`POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: ${total}\r\n\r\n`);
    const held = await fill(client, total);
    assert.ok(held < 30 * MEGABYTE, `${held} bytes were taken with nobody reading`);
    await until(() => taken !== undefined, "the origin has the head");
    taken?.();
    const rest = Buffer.alloc(MEGABYTE, 7);
    for (let left = total - held; left > 0; left -= MEGABYTE) {
      if (!client.write(left < MEGABYTE ? rest.subarray(0, left) : rest)) await once(client, "drain");
    }
    assert.match(await readHead(client), / 200 OK/);
    assert.equal(arrived, total);
    assert.deepEqual([room.exchanges[0]?.body.length, room.exchanges[0]?.truncated], [1000, true]);
  });
}

test("200 connections one after the other leave no descriptor behind", async (t) => {
  const room = await proxyRoom(t);
  const port = await tlsOrigin(t, room, (_, response) => response.end("ok"));
  const once200 = async (): Promise<void> => {
    const client = await secureTunnel(t, room, `127.0.0.1:${port}`);
    client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await readHead(client);
    client.destroy();
  };
  await once200();
  const count = (): number => (existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS).length : 0);
  await until(() => room.exchanges.length === 1, "the first is recorded");
  const before = count();
  for (let index = 0; index < 200; index += 1) await once200();
  await until(() => count() <= before, "descriptors are back");
  assert.equal(room.exchanges.length, 201);
  assert.equal(room.proxy.counts.hookErrors, 0);
});
