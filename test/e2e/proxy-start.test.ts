import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { connect as connectTls } from "node:tls";
import { startProxy, waymark } from "../support/processes.ts";
import { dialProxy, listening, proxyRoom, readAll, readHead, tlsOrigin } from "../support/room.ts";
import { scratchFolder } from "../support/scratch.ts";
import { chatSwitches, FIVE_CHATS, sendEvents } from "../support/telemetry.ts";

test("a start that fails for its port leaves the series as it was, with --keep 1 too", async (t) => {
  const cwd = scratchFolder(t);
  const env = { WAYMARK_CA_DIR: join(cwd, "ca") };
  const good = await startProxy(t, ["--sink"], { cwd, env });
  await sendEvents(good.port, chatSwitches(FIVE_CHATS));
  await good.stop();
  const logs = join(cwd, "logs", "telemetry");
  const before = readFileSync(join(logs, "telemetry-0.log"), "utf8");
  const taken = await listening(t, createServer());
  const failed = await waymark(["proxy", "--port", String(taken), "--keep", "1"], { cwd, env });
  assert.equal(failed.code, 3);
  assert.match(failed.stderr, /WM_PROXY_PORT_TAKEN/);
  assert.deepEqual(
    readdirSync(logs).filter((name) => name.endsWith(".log")),
    ["telemetry-0.log"],
  );
  assert.equal(readFileSync(join(logs, "telemetry-0.log"), "utf8"), before);
});

test("a folder that cannot be made is an error, not a wait without end", {
  skip: !existsSync("/proc/self") && "no /proc here",
}, async (t) => {
  const env = { WAYMARK_CA_DIR: join(scratchFolder(t), "ca") };
  const { code, stderr } = await waymark(["proxy", "--port", "0", "--out", "/proc/x"], { env });
  assert.equal(code, 3);
  assert.match(stderr, /WM_PROXY_OUT_UNWRITABLE[\s\S]*\/proc\/x/);
  const ca = await waymark(["proxy", "--port", "0"], { env: { WAYMARK_CA_DIR: "/proc/x" } });
  assert.equal(ca.code, 3);
  assert.match(ca.stderr, /WM_CERTS_UNWRITABLE/);
});

test("trouble is told while the proxy runs, and the summary names hosts and adds up", async (t) => {
  const cwd = scratchFolder(t);
  const env = { WAYMARK_CA_DIR: join(cwd, "ca") };
  const stranger = await proxyRoom(t);
  const upstream = await tlsOrigin(t, stranger, (_, response) => response.end("ok"));
  const proxy = await startProxy(t, ["--host", `127.0.0.1:${upstream}`, "--listen", "0.0.0.0"], { cwd, env });
  for (const text of [
    `CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
    `POST http://127.0.0.1:2/login HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\nConnection: close\r\n\r\nuser=ann`,
  ]) {
    const client = await dialProxy(t, proxy.port);
    client.write(text);
    assert.match((await readAll(client)).bytes.toString(), /^HTTP\/1\.1 502 /);
  }
  const inside = await dialProxy(t, proxy.port);
  inside.write(`CONNECT 127.0.0.1:${upstream} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await readHead(inside);
  const secured = connectTls({ socket: inside, host: "127.0.0.1" });
  secured.on("error", () => undefined);
  await new Promise((resolve) => secured.once("close", resolve));
  const { stderr } = await proxy.stop();
  assert.match(stderr, /anyone who can reach this machine can use this proxy/);
  assert.match(stderr, /waymark: 127\.0\.0\.1:1: connection refused\n/);
  assert.match(
    stderr,
    new RegExp(
      `waymark: 127\\.0\\.0\\.1:${upstream}: the upstream's certificate is not trusted \\(.+\\); --upstream-ca FILE trusts it\n`,
    ),
  );
  assert.match(stderr, /3 connections: 0 opened, 1 passed on unseen, 1 plain http, 1 failed, refused or unused\n/);
  // The app meets the certificate itself, and is passed on unseen to judge it.
  assert.match(stderr, /1 connection passed on unseen to hosts that cannot be opened without breaking the app\n/);
  assert.match(stderr, /1 other http request passed on: 127\.0\.0\.1:2 \(1\)\n/);
  assert.match(stderr, /3 upstream errors: /);
});
