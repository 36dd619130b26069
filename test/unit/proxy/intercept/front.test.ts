import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { openFront } from "../../../../proxy/intercept/front.ts";
import { WaymarkError } from "../../../../proxy/record/fault.ts";
import { PROJECT } from "../../../support/project.ts";
import {
  dialProxy,
  listening,
  proxyRoom,
  readHead,
  secureTunnel,
  tlsOrigin,
  tunnel,
  until,
} from "../../../support/room.ts";
import { scratchFolder } from "../../../support/scratch.ts";

const NOTHING = {
  connection: () => {},
  socks: () => {},
  connect: () => {},
  request: () => {},
  upgrade: () => {},
  malformed: () => {},
};

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => "no fault",
    (error: unknown) => (error instanceof WaymarkError ? error.code : String(error)),
  );
}

test("a taken port and an impossible address are told apart", async (t) => {
  const port = await listening(t, createServer());
  assert.equal(await codeOf(openFront({ host: "127.0.0.1", port }, NOTHING)), "WM_PROXY_PORT_TAKEN");
  assert.equal(await codeOf(openFront({ host: "192.0.2.1", port: 0 }, NOTHING)), "WM_PROXY_LISTEN");
});

test("an upstream CA that is none is refused before anything listens", async (t) => {
  assert.equal(await codeOf(proxyRoom(t, { upstreamCa: "hello" })), "WM_PROXY_UPSTREAM_CA");
});

const SCRIPT = `
import { startInterceptor } from ${JSON.stringify(pathToFileURL(join(PROJECT, "dist/proxy/intercept/index.js")).href)};
import { connect, createServer } from "node:net";
const proxy = await startInterceptor({ listen: "127.0.0.1", port: 0, decide: () => "tunnel", certificateFor: async () => ({ key: "", cert: "" }),
  map: new Map(), maxBodyBytes: 1, onExchange: () => {} });
await startInterceptor({ listen: "127.0.0.1", port: proxy.address.port }).catch(() => {});
const origin = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1", () => {
  const client = connect(proxy.address.port, "127.0.0.1");
  client.write("CONNECT 127.0.0.1:" + origin.address().port + " HTTP/1.1\\r\\n\\r\\n");
  client.once("data", () => { client.resetAndDestroy(); setImmediate(async () => { await proxy.close(0); origin.close(); }); });
});`;

test("the package behind the front prints nothing and leaves nothing in the temporary or working folder", (t) => {
  const folder = scratchFolder(t);
  const env = { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder };
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", SCRIPT], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  assert.deepEqual([status, stdout, stderr], [0, "", ""]);
  assert.deepEqual(readdirSync(folder), []);
});

test("closing lets an exchange under way end, cuts idle connections at once, and stops listening", async (t) => {
  const room = await proxyRoom(t);
  let answer: (() => void) | undefined;
  const port = await tlsOrigin(t, room, (request, response) => {
    if (request.url === "/idle") response.end("ok");
    else answer = () => void response.end("late");
  });
  const silent = await tunnel(t, room, `127.0.0.1:${port}`);
  const idle = await secureTunnel(t, room, `127.0.0.1:${port}`);
  idle.write("GET /idle HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(await readHead(idle), / 200 OK/);
  const busy = await secureTunnel(t, room, `127.0.0.1:${port}`);
  busy.write("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n");
  await until(() => answer !== undefined, "the origin has the second request");
  for (const socket of [silent, idle]) socket.resume();
  const closing = room.proxy.close(60_000);
  await until(() => silent.destroyed || silent.readableEnded, "the silent tunnel is cut");
  await until(() => idle.destroyed || idle.readableEnded, "the idle connection is cut");
  await assert.rejects(
    dialProxy(t, room.port).then((socket) => until(() => socket.destroyed, "refused")),
    /ECONNREFUSED/,
  );
  answer?.();
  assert.match(await readHead(busy), / 200 OK/);
  await closing;
});

test("closing with no time left cuts everything, blind tunnels too", async (t) => {
  const room = await proxyRoom(t, { decide: () => "tunnel" });
  const port = await listening(t, createServer());
  const client = await tunnel(t, room, `127.0.0.1:${port}`);
  client.resume();
  await room.proxy.close(0);
  await until(() => client.destroyed || client.readableEnded, "the tunnel is cut");
});
