import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createSecureContext } from "node:tls";
import { hostAt } from "../../bench/load.ts";
import { laneOn, open } from "../../bench/peers/lane.ts";
import { startTestCollector } from "../support/collector.ts";
import { type RunningProxy, startProxy } from "../support/processes.ts";
import { MAIN } from "../support/project.ts";
import { at } from "../support/records.ts";
import { readAll, until } from "../support/room.ts";
import { scratchFolder } from "../support/scratch.ts";
import { seqsOf, seriesLines, upTo } from "../support/series.ts";

/** WAYMARK_BIG=1 takes the full numbers. */
const IS_BIG = process.env["WAYMARK_BIG"] === "1";
const [AT_ONCE, IN_TURN, HOSTS] = IS_BIG ? [1_000, 10_000, 500] : [100, 100, 50];
const NEEDS_LINUX = {
  skip:
    process.platform === "linux" ? false : "descriptors are counted in /proc, hosts are addresses of Linux's loopback",
  timeout: 1_800_000,
};

interface PostOptions {
  /** The request is sent only then. */
  readonly hold?: Promise<unknown>;
  /** Another host than `localhost`. */
  readonly to?: { readonly address: string; readonly name: string };
}

interface Place {
  readonly proxy: RunningProxy;
  readonly cwd: string;
  readonly port: number;
  readonly received: () => number;
  /** A POST of one event on a connection of its own, to `localhost` or another address of loopback. */
  post(number: number, options?: PostOptions): Promise<void>;
  /** Descriptors of the proxy. */
  descriptors(): number;
}

async function place(t: TestContext): Promise<Place> {
  const cwd = scratchFolder(t);
  const collector = await startTestCollector(t, cwd, ["localhost", "*.bench.test"], {
    isKept: false,
    listen: "0.0.0.0",
  });
  const words = ["--host", "localhost", "--host", "127.0.*", "--upstream-ca", collector.caFile];
  const proxy = await startProxy(t, words, { cwd, env: { WAYMARK_CA_DIR: join(cwd, "ca") } });
  const secureContext = createSecureContext({ ca: readFileSync(join(cwd, "ca", "waymark-ca.pem")) });
  const route = { host: "localhost", originPort: collector.port, proxyPort: proxy.port, secureContext };
  const post = async (number: number, { hold, to }: PostOptions = {}): Promise<void> => {
    const body = `{"name":"step","iKey":"o:k","data":{"n":${number}}}`;
    const head = `POST /OneCollector/1.0/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
    const there = to === undefined ? route : { ...route, host: to.address, serverName: to.name };
    const lane = laneOn(await open(there), Buffer.from(head + body));
    await hold;
    await lane.post();
    lane.end();
  };
  const descriptors = (): number => readdirSync(`/proc/${proxy.child.pid}/fd`).length;
  return { proxy, cwd, port: collector.port, received: collector.requests, post, descriptors };
}

/** Each event stands once in the log, with its number. */
function assertLogged({ cwd }: Place, count: number): void {
  const lines = seriesLines(join(cwd, "logs", "telemetry"));
  assert.deepEqual(seqsOf(lines), upTo(count));
  const numbers = lines.flatMap((line) => (line["name"] === null ? [] : [Number(at(line, "data", "n"))]));
  assert.deepEqual(
    numbers.sort((a, b) => a - b),
    upTo(count).map((number) => number - 1),
  );
}

test(
  `${AT_ONCE} connections at once, then ${IN_TURN} in turn: all served, all logged, descriptors as before`,
  NEEDS_LINUX,
  async (t) => {
    const room = await place(t);
    await room.post(0);
    const before = room.descriptors();
    let release: (value: unknown) => void = () => undefined;
    const all = new Promise((resolve) => {
      release = resolve;
    });
    const posts = Array.from({ length: AT_ONCE }, (_, index) => room.post(1 + index, { hold: all }));
    // The two of the first one may still have been counted.
    await until(() => room.descriptors() >= before + 2 * AT_ONCE - 2, "all are open at once", 120_000);
    release(undefined);
    await Promise.all(posts);
    for (let number = 0; number < IN_TURN; number += 1) await room.post(1 + AT_ONCE + number);
    await until(() => room.descriptors() <= before, "descriptors are back", 20_000);
    await room.proxy.stop();
    assert.equal(room.received(), 1 + AT_ONCE + IN_TURN);
    assertLogged(room, 1 + AT_ONCE + IN_TURN);
  },
);

test(
  "60 clients that are gone right after their last POST: 60 reach the origin, 60 are logged",
  NEEDS_LINUX,
  async (t) => {
    const room = await place(t);
    const secureContext = createSecureContext({ ca: readFileSync(join(room.cwd, "ca", "waymark-ca.pem")) });
    const route = { host: "localhost", originPort: room.port, proxyPort: room.proxy.port, secureContext };
    for (let number = 0; number < 60; number += 1) {
      const socket = await open(route);
      socket.on("error", () => undefined);
      const body = `{"name":"last","iKey":"o:k","data":{"n":${number}}}`;
      socket.write(`POST /OneCollector/1.0/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () =>
        socket.destroy(),
      );
    }
    await until(() => room.received() === 60, "all have reached the origin", 20_000);
    await room.proxy.stop();
    assertLogged(room, 60);
  },
);

/** How many sockets of a process listen. */
function listeners(pid: number): number {
  const rows = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "latin1").trim().split("\n"));
  const listening = new Set(
    rows.map((row) => row.trim().split(/\s+/)).flatMap((row) => (row[3] === "0A" ? [`socket:[${row[9]}]`] : [])),
  );
  const links = readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return ""; // closed meanwhile
    }
  });
  return links.filter((link) => listening.has(link)).length;
}

test(`${HOSTS} hosts cost no listener, no file and no descriptor`, NEEDS_LINUX, async (t) => {
  const room = await place(t);
  const pid = room.proxy.child.pid ?? 0;
  const caFiles = (): string[] => readdirSync(join(room.cwd, "ca")).sort();
  await room.post(0);
  const before = { descriptors: room.descriptors(), listeners: listeners(pid), files: caFiles() };
  // Each is an address of its own with a name, and so a certificate, of its own; the client checks both.
  for (let number = 0; number < HOSTS; number += 1) await room.post(1 + number, { to: hostAt(number) });
  await until(() => room.descriptors() <= before.descriptors, "descriptors are back", 20_000);
  assert.deepEqual(
    { listeners: listeners(pid), files: caFiles() },
    { listeners: before.listeners, files: before.files },
  );
  await room.post(1 + HOSTS);
  const { stderr } = await room.proxy.stop();
  assert.match(stderr, new RegExp(`${HOSTS + 2} connections: ${HOSTS + 2} opened`));
  assert.equal(room.received(), HOSTS + 2);
  assertLogged(room, HOSTS + 2);
});

test("with its descriptors exhausted the proxy lives, and serves again when some are free", NEEDS_LINUX, async (t) => {
  const cwd = scratchFolder(t);
  const command = `ulimit -n 120; exec "${process.execPath}" "${MAIN}" proxy --port 0 --sink`;
  const env = { ...process.env, WAYMARK_CA_DIR: join(cwd, "ca") };
  const child = spawn("/bin/sh", ["-c", command], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const portOf = (): string | undefined => /listening on http:\/\/127\.0\.0\.1:([0-9]+)/.exec(said)?.[1];
  await until(() => portOf() !== undefined, "it listens", 60_000);
  const port = Number(portOf());
  const crowd: Socket[] = [];
  for (let index = 0; index < 300; index += 1) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    crowd.push(socket);
  }
  await until(() => readdirSync(`/proc/${child.pid}/fd`).length >= 119, "nothing is left", 20_000);
  for (const socket of crowd) socket.destroy();
  await until(() => readdirSync(`/proc/${child.pid}/fd`).length < 100, "they are given back", 20_000);
  const client = connect(port, "127.0.0.1");
  client.write("POST http://mobile.events.data.microsoft.com/OneCollector/1.0/ HTTP/1.1\r\nHost: x\r\n");
  client.write('Connection: close\r\nContent-Length: 12\r\n\r\n{"name":"x"}');
  assert.match((await readAll(client)).bytes.toString(), /^HTTP\/1\.1 200 /);
  assert.equal(child.exitCode, null);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [143, null], said);
});
