import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { openAuthority } from "../../certs/authority.ts";
import { createCertificateFor } from "../../certs/leaf.ts";
import { openFront } from "../../proxy/intercept/front.ts";
import { runProgram } from "../support/processes.ts";
import { needsShared, SHARED } from "../support/project.ts";
import {
  httpOrigin,
  listening,
  type ProxyRoom,
  proxyRoom,
  readAll,
  readHead,
  tlsOrigin,
  tunnel,
  until,
} from "../support/room.ts";
import { runPlace } from "../support/run-command.ts";
import { scratchFolder } from "../support/scratch.ts";

const CASES = join(SHARED, "cases");
const REPEATS = 100;
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const DESCRIPTORS = "/proc/self/fd";

/** What the shared origin printed about one thing it saw. */
interface Said {
  readonly url?: string;
  readonly responseClosed?: boolean;
}

interface SharedOrigin {
  readonly port: number;
  readonly said: Said[];
}

async function sharedOrigin(t: TestContext, mode: string, host = "127.0.0.1"): Promise<SharedOrigin> {
  const args = [join(CASES, "_lib", "origin.mjs"), mode, host];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill());
  let text = "";
  const said: Said[] = [];
  const port = await new Promise<number>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        const line = text.slice(0, end);
        text = text.slice(end + 1);
        if (line.startsWith("PORT ")) resolve(Number(line.slice(5)));
        else said.push(JSON.parse(line) as Said);
      }
    });
  });
  return { port, said };
}

async function sendRaw(room: ProxyRoom, file: string, port: number): Promise<string> {
  const args = [join(CASES, "_lib", "raw.mjs"), String(room.port), join(CASES, file), "127.0.0.1", "1500"];
  const env = { SUB_P: String(port), SUB_ORIGIN: `127.0.0.1:${port}` };
  return (await runProgram(process.execPath, args, { env })).stdout;
}

function curl(room: ProxyRoom, ...args: string[]): Promise<{ code: number | null; stdout: string }> {
  return runProgram("curl", ["-q", "-sS", "-m", "5", "--noproxy", "", "-x", `http://127.0.0.1:${room.port}`, ...args]);
}

function caseTest(
  id: string,
  title: string,
  body: (t: TestContext) => Promise<void>,
  skip: string | false = false,
): void {
  test(`${id}: ${title}`, { skip: needsShared("cases", id).skip || skip }, body);
}

caseTest("A01", "IPv6 literals in an absolute target and in CONNECT; the bare form is 400", async (t) => {
  const room = await proxyRoom(t);
  const { port } = await sharedOrigin(t, "echo", "::1");
  assert.match(await sendRaw(room, "A01/get6.bin", port), /^HTTP\/1\.1 200 /);
  assert.deepEqual([room.exchanges[0]?.host, room.exchanges[0]?.port, room.exchanges[0]?.target], ["::1", port, "/v6"]);
  assert.match(await sendRaw(room, "A01/connect6.bin", port), /^HTTP\/1\.1 200 /);
  assert.match(await sendRaw(room, "A01/bare6.bin", port), /^HTTP\/1\.1 400 /);
  const after = await httpOrigin(t, (_, response) => response.end("alive"));
  const client = connect(room.port, "127.0.0.1");
  client.write(`GET http://127.0.0.1:${after}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  assert.match((await readAll(client)).bytes.toString(), /alive$/);
});

caseTest(
  "A02",
  "HTTPS through a proxy bound to ::1, and nothing listens beside it",
  async (t) => {
    const room = await proxyRoom(t, { listen: "::1" });
    const port = await tlsOrigin(t, room, (_, response) => response.end("ok"));
    const args = ["-q", "-sS", "--noproxy", "", "-x", `http://[::1]:${room.port}`, "--cacert", room.authority.certFile];
    const { stdout } = await runProgram("curl", [...args, `https://127.0.0.1:${port}/`]);
    assert.equal(stdout, "ok");
    assert.equal(room.proxy.address.host, "::1");
    const ours = process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
    assert.equal(ours, 2, "the proxy and the test's origin");
  },
  hasCurl ? false : "no curl here",
);

for (const mode of ["sse", "slow"]) {
  caseTest("A05", `a client that leaves takes its upstream along (${mode})`, async (t) => {
    const room = await proxyRoom(t);
    const origin = await sharedOrigin(t, mode);
    const client = connect(room.port, "127.0.0.1");
    client.on("error", () => undefined);
    client.write(`GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    if (mode === "sse") assert.match(await readHead(client), /^HTTP\/1\.1 200 /);
    else await until(() => origin.said.some(({ url }) => url === "/"), "the origin has the request");
    client.destroy();
    await until(() => origin.said.some(({ responseClosed }) => responseClosed === true), "the origin sees it", 1000);
    assert.equal(room.exchanges.length, 1);
  });
}

caseTest(
  "A05",
  `a body whose sender leaves is recorded as truncated, and ${REPEATS} such clients leave no descriptor`,
  async (t) => {
    const room = await proxyRoom(t);
    const origin = await sharedOrigin(t, "sse");
    const leave = async (index: number): Promise<void> => {
      const client = connect(room.port, "127.0.0.1");
      client.on("error", () => undefined);
      client.write(
        `POST http://127.0.0.1:${origin.port}/${index} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\npart`,
      );
      await readHead(client);
      client.destroy();
      await until(
        () => origin.said.filter(({ responseClosed }) => responseClosed).length > index,
        "the origin sees it",
        10_000,
      );
    };
    await leave(0);
    await until(() => room.exchanges.length === 1, "the first is recorded");
    const before = existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS).length : 0;
    for (let index = 1; index <= REPEATS; index += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, offset) => leave(index + offset)));
    }
    await until(() => room.exchanges.length === REPEATS + 1, "all are recorded");
    assert.ok(room.exchanges.every(({ truncated, body }) => truncated && Buffer.from(body).toString() === "part"));
    if (before > 0) await until(() => readdirSync(DESCRIPTORS).length <= before, "descriptors are back");
  },
);

caseTest(
  "A06",
  "an upstream that dies within its answer is not completed",
  async (t) => {
    const room = await proxyRoom(t);
    const { port } = await sharedOrigin(t, "reset-mid");
    const { code } = await curl(room, `http://127.0.0.1:${port}/`);
    assert.ok(code === 18 || code === 56, String(code));
    const inside = await tunnel(t, room, `127.0.0.1:${port}`);
    inside.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const { bytes } = await readAll(inside);
    assert.doesNotMatch(bytes.toString(), /\r\n0\r\n/);
    assert.equal(room.exchanges.length, 2);
  },
  hasCurl ? false : "no curl here",
);

caseTest(
  "A03",
  "a close without a code stays one: nothing throws, the client is closed within two seconds",
  async (t) => {
    const room = await proxyRoom(t);
    const { port } = await sharedOrigin(t, "ws-close1005");
    const client = spawn(process.execPath, [
      join(CASES, "_lib", "wsclient.mjs"),
      String(room.port),
      `127.0.0.1:${port}`,
    ]);
    t.after(() => client.kill()); // it never answers a close, and so its socket stays open without a proxy too
    let said = "";
    client.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    await until(() => said.includes("CLOSE-FRAME"), "the close has come", 10_000);
    assert.match(said, /101[\s\S]*CLOSE-FRAME code=none/);
    const server = createHttp();
    new WebSocketServer({ server }).on("connection", (socket) => socket.close());
    const closing = await listening(t, server);
    const inside = await tunnel(t, room, `127.0.0.1:${closing}`);
    const socket = new WebSocket(`ws://127.0.0.1:${closing}/`, { createConnection: () => inside });
    await once(socket, "open");
    const openedAt = performance.now();
    const [code] = (await once(socket, "close")) as [number];
    t.diagnostic(`closed ${(performance.now() - openedAt).toFixed(0)} ms after it was opened`);
    assert.equal(code, 1005, "no code was sent");
    assert.equal(room.proxy.counts.hookErrors, 0);
  },
);

caseTest("A11", "no limit of Node's ends a long upload; a head that does not end still times out", async (t) => {
  const nothing = (): void => undefined;
  const heard: string[] = [];
  const front = await openFront(
    { host: "127.0.0.1", port: 0 },
    {
      connection: nothing,
      socks: nothing,
      connect: nothing,
      upgrade: nothing,
      malformed: nothing,
      headMs: 100,
      request: (request, response) => {
        request.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
        request.on("end", () => response.end("all"));
      },
    },
  );
  t.after(() => front.server.close());
  const { requestTimeout, headersTimeout, timeout, keepAliveTimeout } = front.server;
  assert.deepEqual([requestTimeout, headersTimeout, timeout, keepAliveTimeout], [0, 0, 0, 0]);
  const slow = connect(front.address.port, "127.0.0.1");
  slow.write("POST http://x/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\n");
  const stalled = connect(front.address.port, "127.0.0.1");
  stalled.write("POST http://x/ HTTP/1.1\r\nHost:");
  assert.match((await readAll(stalled)).bytes.toString(), /^HTTP\/1\.1 408 /);
  for (const [index, letter] of ["a", "b", "c"].entries()) {
    slow.write(letter);
    await until(() => heard.length > index, "it has come");
  }
  assert.match((await readAll(slow)).bytes.toString(), /all$/, "an upload outlives the time that a head has");
});

for (const today of [undefined, "2027-01-01T00:00:00.500Z"]) {
  const when = today ?? "today";
  caseTest("A12", `leaf certificates made ${when} are what browsers take: dates, names, use, serial`, async (t) => {
    if (today !== undefined) t.mock.timers.enable({ apis: ["Date"], now: new Date(today) });
    const { authority } = await openAuthority(scratchFolder(t));
    const certificateFor = createCertificateFor(authority);
    const serials = new Set<string>();
    for (const name of ["host.test", "127.0.0.1", "::1"]) {
      const leaf = new X509Certificate((await certificateFor(name)).cert);
      const [from, to] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
      assert.ok((to - from) / 86_400_000 <= 398, `${from} to ${to}`);
      assert.ok(from <= Date.now() - 300_000 && to > Date.now() + 86_400_000, `${leaf.validFrom} to ${leaf.validTo}`);
      assert.deepEqual(leaf.keyUsage, ["1.3.6.1.5.5.7.3.1"]);
      assert.equal(name === "host.test" ? leaf.checkHost(name) : leaf.checkIP(name), name);
      assert.match(leaf.serialNumber, /^[0-7][0-9A-F]+$|^[0-9A-F]{1,38}$/, "positive");
      serials.add(leaf.serialNumber);
    }
    assert.equal(serials.size, 3);
  });
}

caseTest("A15", "fetch of a Node that takes no proxy from its environment is captured all the same", async (t) => {
  const { run, runFolders } = runPlace(t);
  const origin = await httpOrigin(t, (_, response) => response.end("ok"));
  const child = join(CASES, "A15", "child.mjs");
  const target = `http://127.0.0.1:${origin}/OneCollector/1.0/`;
  const command = [process.execPath, "-e", `process.env.TARGET = "${target}"; import("file://${child}")`];
  const words = ["-n", "1", "--settle", "100ms", "--host", `127.0.0.1:${origin}`, "-s", "simple_collab_switch"];
  const { stderr } = await run(...words, "--", ...command);
  const [folder = ""] = runFolders();
  const log = readFileSync(join(folder, "telemetry", "telemetry-0.log"), "utf8");
  assert.match(log, /via-fetch/, stderr);
});

caseTest("A07", "control bytes in an answer's header: told as 502 or passed, recorded either way", async (t) => {
  const room = await proxyRoom(t);
  const { port } = await sharedOrigin(t, `raw:${join(CASES, "A07", "reply.bin")}`);
  const client = connect(room.port, "127.0.0.1");
  client.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const told = (await readAll(client)).bytes.toString("latin1");
  assert.ok(/^HTTP\/1\.1 502 [\s\S]*Set-Cookie/.test(told) || told.includes("a=\u0001b"), told);
  assert.equal(room.exchanges.length, 1);
  const inside = await tunnel(t, room, `127.0.0.1:${port}`);
  inside.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.ok((await readAll(inside)).bytes.toString("latin1").includes("Set-Cookie: a=\u0001b\r\n"));
  assert.deepEqual([...room.answers.values()].at(-1), 200);
});

caseTest(
  "K01",
  "folder 0700 and key 0600 from creation; a key others can read is refused",
  async (t) => {
    const umask = process.umask(0o022);
    t.after(() => process.umask(umask));
    const folder = join(scratchFolder(t), "ca");
    await openAuthority(folder);
    const keys = readdirSync(folder).filter((name) => name.includes("key"));
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.deepEqual(
      keys.map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8)),
      ["600"],
    );
    chmodSync(join(folder, keys[0] ?? ""), 0o644);
    await assert.rejects(openAuthority(folder), { code: "WM_CERTS_KEY_EXPOSED" });
  },
  process.platform === "win32" ? "file modes are POSIX" : false,
);

caseTest(
  "K08",
  "the proxy's own port and our others are refused at once, by every name, and cost no descriptor",
  async (t) => {
    const other = await listening(t, createServer());
    const room = await proxyRoom(t, { refusedPorts: [other] });
    const before = existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS).length : 0;
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      for (const port of [room.port, other]) {
        const plain = await curl(room, "-o", "-", "-w", "\n%{http_code}", `http://${host}:${port}/`);
        assert.match(plain.stdout, /\n508$/, host);
        const inside = await curl(room, "-p", "-o", "-", "-w", "\n%{http_connect}", `http://${host}:${port}/`);
        assert.match(inside.stdout, /\n403$/, host);
      }
    }
    assert.equal(room.proxy.counts.refused, 12);
    if (before > 0) await until(() => readdirSync(DESCRIPTORS).length <= before, "descriptors are back");
  },
  hasCurl ? false : "no curl here",
);
