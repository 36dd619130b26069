import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer as createHttp, type IncomingMessage, type RequestListener, request } from "node:http";
import { createServer as createHttps } from "node:https";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import test from "node:test";
import { open } from "../../bench/peers/lane.ts";
import { type BothWays, bothWays } from "../support/both-ways.ts";
import { listening } from "../support/room.ts";

/** WAYMARK_BIG=1 takes the full size. */
const MEGABYTE = 1 << 20;
const LARGE = (process.env["WAYMARK_BIG"] === "1" ? 200 : 40) * MEGABYTE;
/** What memory is compared with. */
const SMALL = 10 * MEGABYTE;
/** A peak may be so many times that of the small body. Holding the large one would add at least 30 MB to some 160. */
const MAX_RATIO = 1.15;
/** The reader takes so much, then rests: some 10 MB a second at most. */
const GULP = 131_072;
const REST_MS = 12;
const TIMEOUT = { timeout: 900_000 };

const PIECE = randomBytes(MEGABYTE);

/** So many bytes, no two megabytes of them the same. */
function* pieces(bytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes; at += PIECE.length) {
    const piece = Buffer.from(PIECE);
    piece.writeUInt32BE(at, 0);
    yield piece;
  }
}

function sumOf(bytes: number): string {
  const hash = createHash("sha256");
  for (const piece of pieces(bytes)) hash.update(piece);
  return hash.digest("hex");
}

/** Reads slower than anybody sends: what is in between has to wait with its sender. */
async function readSlowly(message: IncomingMessage): Promise<string> {
  const hash = createHash("sha256");
  let gulp = 0;
  for await (const chunk of message) {
    hash.update(chunk as Buffer);
    gulp += (chunk as Buffer).length;
    if (gulp < GULP) continue;
    gulp = 0;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
  return hash.digest("hex");
}

const listener: RequestListener = (asked, response) => {
  const size = Number(new URL(asked.url ?? "/", "http://x").searchParams.get("bytes"));
  asked.on("error", () => undefined);
  if (asked.method === "POST") {
    void readSlowly(asked).then((sum) => response.end(sum));
    return;
  }
  response.writeHead(200, { "Content-Type": "application/octet-stream" });
  void pipeline(Readable.from(pieces(size)), response).catch(() => response.destroy());
};

interface Transfer {
  readonly form: "TLS" | "plain";
  readonly originPort: number;
  readonly bytes: number;
}

async function connection({ through }: BothWays, { form, originPort }: Transfer): Promise<Socket> {
  const { proxyPort = 0 } = through;
  return form === "TLS"
    ? open({ ...through, proxyPort, host: "localhost", originPort })
    : connect(proxyPort, "127.0.0.1");
}

/** One body: up with its length, down in chunks. Gives the sum of what arrived at its end. */
async function transfer(room: BothWays, order: Transfer, kind: "up" | "down"): Promise<string> {
  const { form, originPort, bytes } = order;
  const socket = await connection(room, order);
  const client = request({
    createConnection: () => socket,
    method: kind === "up" ? "POST" : "GET",
    path: `${form === "TLS" ? "" : `http://localhost:${originPort}`}/?bytes=${bytes}`,
    headers: { Host: "localhost", ...(kind === "up" ? { "Content-Length": bytes } : {}) },
  });
  const answered = once(client, "response") as Promise<[IncomingMessage]>;
  if (kind === "up") await pipeline(Readable.from(pieces(bytes)), client);
  else client.end();
  const [answer] = await answered;
  const sum = kind === "up" ? Buffer.concat(await answer.toArray()).toString() : await readSlowly(answer);
  socket.destroy();
  return sum;
}

/** Peak so far of a process's resident memory in MB; undefined where the system does not say. */
function peakMb(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  return Number(/VmHWM:\s+([0-9]+)/.exec(readFileSync(file, "latin1"))?.[1]) / 1024;
}

for (const form of ["TLS", "plain"] as const) {
  test(
    `bodies of ${LARGE / MEGABYTE} MB up and down (${form}) to a slow reader arrive whole, in the memory of 10 MB`,
    TIMEOUT,
    async (t) => {
      const room = await bothWays(t);
      const pid = room.proxy.child.pid ?? 0;
      const server = form === "TLS" ? createHttps({ ...room.pair }, listener) : createHttp(listener);
      const originPort = await listening(t, server);
      const peaks: (number | undefined)[] = [];
      for (const bytes of [SMALL, LARGE]) {
        const wanted = sumOf(bytes);
        for (const kind of ["up", "down"] as const) {
          assert.equal(await transfer(room, { form, originPort, bytes }, kind), wanted, `${bytes} bytes ${kind}`);
        }
        peaks.push(peakMb(pid));
      }
      const [small, large] = peaks;
      if (small === undefined || large === undefined) return t.diagnostic("memory cannot be read here");
      t.diagnostic(`peak ${small.toFixed(0)} MB after 10 MB, ${large.toFixed(0)} MB after ${LARGE / MEGABYTE} MB`);
      assert.ok(large < small * MAX_RATIO, `${large} MB against ${small} MB`);
    },
  );
}
