import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createTcp, type Socket } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createSecureContext, createServer, type TLSSocket } from "node:tls";
import { open, type Route } from "../../bench/peers/lane.ts";
import { loopbackCertificate } from "../support/certificate.ts";
import { startProxy } from "../support/processes.ts";
import { at } from "../support/records.ts";
import { listening, until } from "../support/room.ts";
import { scratchFolder } from "../support/scratch.ts";
import { seqsOf, seriesLines, upTo } from "../support/series.ts";

/** WAYMARK_BIG=1 takes the full numbers. */
const IS_BIG = process.env["WAYMARK_BIG"] === "1";
const [SECONDS, CONNECTIONS] = IS_BIG ? [60, 200] : [8, 20];
const NEEDS_LINUX = {
  skip: process.platform === "linux" ? false : "descriptors are counted in /proc",
  timeout: 600_000,
};
const MAX_BYTES = 300_000;
const GIVE_UP_MS = 2000;

/** What the origin does with a request; an exchange of `none` and of `pause` is whole. */
const ORIGIN = ["none", "none", "none", "pause", "reset", "cut", "garbage", "broken-tls"] as const;
/** What a client does behind its request, or instead of it. */
const CLIENT = ["none", "none", "none", "pause", "reset", "leave", "garbage", "broken-tls"] as const;
type Mischief = (typeof ORIGIN)[number] | (typeof CLIENT)[number];

const GOOD: ReadonlySet<Mischief> = new Set(["none", "pause"]);

function anyOf<T>(list: readonly T[], otherwise: T): T {
  return list[Math.floor(Math.random() * list.length)] ?? otherwise;
}

/** TCP sockets by the ports of their peers, to misbehave below TLS. */
async function wildOrigin(t: TestContext, caFile: string): Promise<number> {
  const { key, cert } = await loopbackCertificate(["localhost"]);
  writeFileSync(caFile, cert);
  const raws = new Map<number, Socket>();
  const server = createServer({ key, cert }, (secured) => {
    secured.on("error", () => undefined);
    let text = "";
    secured.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const [, size = "0", mischief = "none"] =
        /^POST \/OneCollector\/1\.0\/\?s=([0-9]+)&m=([a-z-]+) /.exec(text) ?? [];
      if (!text.endsWith("}}")) return; // the body is still to come
      text = "";
      answer(secured, raws.get(secured.remotePort ?? 0), { size: Number(size), mischief: mischief as Mischief });
    });
  });
  server.on("connection", (raw: Socket) => {
    const port = raw.remotePort ?? 0;
    raws.set(port, raw);
    raw.once("close", () => raws.delete(port));
  });
  server.on("tlsClientError", () => undefined);
  return listening(t, server);
}

interface Answering {
  readonly size: number;
  readonly mischief: Mischief;
}

function answer(secured: TLSSocket, raw: Socket | undefined, { size, mischief }: Answering): void {
  const body = randomBytes(size);
  const hash = createHash("sha256").update(body).digest("hex");
  const half = body.subarray(0, size / 2);
  if (mischief === "garbage") return void secured.end(body);
  secured.write(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${size}\r\nX-Hash: ${hash}\r\n\r\n`);
  if (mischief === "none") return void secured.end(body);
  secured.write(half, () => {
    if (mischief === "pause") setTimeout(() => secured.end(body.subarray(half.length)), 30);
    else if (mischief === "reset") raw?.resetAndDestroy();
    else if (mischief === "broken-tls") raw?.end(randomBytes(500));
    else secured.destroy();
  });
}

interface Visit {
  readonly number: number;
  readonly origin: Mischief;
  readonly client: Mischief;
}

function requestOf({ number, origin }: Visit): string {
  const body = `{"name":"step","iKey":"o:k","data":{"n":${number}}}`;
  const size = Math.floor(Math.random() * MAX_BYTES);
  const target = `/OneCollector/1.0/?s=${size}&m=${origin}`;
  return `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** One exchange on a connection of its own. Gives what arrived, undefined when no connection came to be. */
async function visit(route: Route, order: Visit): Promise<Buffer | undefined> {
  const secured = await open(route).catch(() => undefined);
  if (secured === undefined) return undefined;
  const chunks: Buffer[] = [];
  const closed = new Promise((resolve) => secured.once("close", resolve));
  secured.on("error", () => undefined).on("data", (chunk: Buffer) => chunks.push(chunk));
  secured.write(order.client === "garbage" ? randomBytes(400) : requestOf(order));
  const limit =
    GOOD.has(order.client) && GOOD.has(order.origin) ? undefined : setTimeout(() => secured.destroy(), GIVE_UP_MS);
  misbehave(secured, order.client);
  secured.once("end", () => secured.destroy());
  await closed;
  clearTimeout(limit);
  return Buffer.concat(chunks);
}

function misbehave(secured: TLSSocket, client: Mischief): void {
  const raw = (secured as unknown as { readonly _parent?: Socket })._parent;
  const soon = Math.random() * 20;
  if (client === "pause") setTimeout(() => secured.pause() && setTimeout(() => secured.resume(), 50), soon);
  if (client === "reset") setTimeout(() => (raw ?? secured).resetAndDestroy(), soon);
  if (client === "leave") setTimeout(() => secured.destroy(), soon);
  if (client === "garbage") setTimeout(() => secured.destroy(), 50);
  if (client === "broken-tls") setTimeout(() => raw?.write(randomBytes(500)), soon);
}

function assertWhole(bytes: Buffer | undefined): void {
  assert.ok(bytes !== undefined, "a connection came to be");
  const start = bytes.indexOf("\r\n\r\n") + 4;
  const head = bytes.toString("latin1", 0, start);
  assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
  assert.equal(createHash("sha256").update(bytes.subarray(start)).digest("hex"), /X-Hash: (.+)\r/.exec(head)?.[1]);
}

/** An origin that answers a ClientHello with anything but TLS. */
function deafOrigin(t: TestContext): Promise<number> {
  const server = createTcp((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      const turn = Math.random();
      if (turn < 0.4) socket.end(randomBytes(200));
      else if (turn < 0.8) socket.resetAndDestroy();
      else setTimeout(() => socket.destroy(), 200);
    });
  });
  return listening(t, server);
}

test(
  `mischief over TLS for ${SECONDS} s on ${CONNECTIONS} connections: what is untouched arrives whole and is logged once`,
  NEEDS_LINUX,
  async (t) => {
    const cwd = scratchFolder(t);
    const caFile = join(cwd, "origin-ca.pem");
    const [originPort, deafPort] = [await wildOrigin(t, caFile), await deafOrigin(t)];
    const words = ["--host", "localhost", "--upstream-ca", caFile];
    const proxy = await startProxy(t, words, { cwd, env: { WAYMARK_CA_DIR: join(cwd, "ca") } });
    const secureContext = createSecureContext({ ca: readFileSync(join(cwd, "ca", "waymark-ca.pem")) });
    const route = { host: "localhost", originPort, proxyPort: proxy.port, secureContext };
    const descriptors = (): number => readdirSync(`/proc/${proxy.child.pid}/fd`).length;
    const whole: number[] = [];
    let visits = 0;
    const visitOnce = async (origin: Mischief, client: Mischief): Promise<void> => {
      const number = visits++;
      const bytes = await visit(route, { number, origin, client });
      if (!GOOD.has(origin) || !GOOD.has(client)) return;
      assertWhole(bytes);
      whole.push(number);
    };
    await visitOnce("none", "none");
    await until(() => descriptors() > 0, "it runs");
    const before = descriptors();
    const end = Date.now() + SECONDS * 1000;
    const wander = async (): Promise<void> => {
      // On a busy machine it takes longer until enough of them have come through.
      while (Date.now() < end || whole.length <= CONNECTIONS) {
        if (Math.random() < 0.1)
          await visit({ ...route, originPort: deafPort }, { number: -1, origin: "none", client: "none" });
        else await visitOnce(anyOf<Mischief>(ORIGIN, "none"), anyOf<Mischief>(CLIENT, "none"));
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, wander));
    await visitOnce("none", "none");
    await until(() => descriptors() <= before, "descriptors are back", 90_000);
    t.diagnostic(`${visits} exchanges, ${whole.length} of them untouched`);
    assert.ok(whole.length > CONNECTIONS);
    const { code, stderr } = await proxy.stop();
    assert.equal(code, 130, stderr);
    const lines = seriesLines(join(cwd, "logs", "telemetry"));
    const seqs = seqsOf(lines);
    assert.deepEqual(seqs, upTo(seqs.length));
    const logged = new Map<number, number>();
    for (const line of lines) {
      const number = line["name"] === "step" ? Number(at(line, "data", "n")) : -1;
      logged.set(number, (logged.get(number) ?? 0) + 1);
    }
    assert.deepEqual(
      whole.filter((number) => logged.get(number) !== 1),
      [],
    );
  },
);
