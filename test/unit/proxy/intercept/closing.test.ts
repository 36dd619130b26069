import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import test from "node:test";
import { dialProxy, listening, proxyRoom, readHead, tunnel, until } from "../../../support/room.ts";

const needsProc = { skip: process.platform !== "linux" && "descriptors can be counted on Linux only", timeout: 60_000 };

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

test("an upstream that never answers TLS is given up soon after its client is gone", needsProc, async (t) => {
  const room = await proxyRoom(t);
  const accepted: Socket[] = [];
  const port = await listening(
    t,
    createServer((socket) => void accepted.push(socket.resume())),
  );
  const before = descriptors();
  const client = await dialProxy(t, room.port);
  client.write(`GET https://127.0.0.1:${port}/x HTTP/1.1\r\nHost: x\r\n\r\n`);
  await until(() => accepted.length === 1, "the upstream is dialled");
  client.destroy();
  await until(() => descriptors() <= before, "every descriptor is back", 20_000);
});

for (const kind of ["client gone", "client waiting", "in a tunnel"]) {
  test(`closing ends a TLS handshake that is never answered, ${kind}`, needsProc, async (t) => {
    const room = await proxyRoom(t);
    const accepted: Socket[] = [];
    let bytes = 0;
    const port = await listening(
      t,
      createServer((socket) => {
        accepted.push(socket);
        socket.on("data", (chunk) => {
          bytes += chunk.length;
        });
      }),
    );
    const before = descriptors();
    const isTunnel = kind === "in a tunnel";
    const client = isTunnel ? await tunnel(t, room, `127.0.0.1:${port}`) : await dialProxy(t, room.port);
    if (isTunnel) client.write(CLIENT_HELLO);
    else client.write(`GET https://127.0.0.1:${port}/x HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => bytes > 0, "the handshake has begun");
    if (kind === "client gone") client.destroy();
    await room.proxy.close(200);
    client.destroy();
    await until(() => descriptors() < before, "every descriptor is back, the listening one too");
  });
}

test("an answer that is reset within its body leaves nothing that closing would wait for", needsProc, async (t) => {
  const room = await proxyRoom(t);
  const port = await listening(
    t,
    createServer((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", () =>
          setImmediate(() => socket.resetAndDestroy()),
        );
      });
    }),
  );
  const before = descriptors();
  for (const isRead of [true, false]) {
    const client = await dialProxy(t, room.port);
    client.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    if (isRead) {
      await readHead(client);
      client.resume();
    }
    await until(() => room.proxy.counts.upstreamErrors > 0, "the reset is seen");
  }
  await room.proxy.close(200);
  await until(() => descriptors() < before + 2, "the proxy's descriptors are back");
});

/** A ClientHello of OpenSSL's, for no name. */
const CLIENT_HELLO = helloBytes();

function helloBytes(): Buffer {
  const script = `
    const net = require("node:net"), tls = require("node:tls");
    const server = net.createServer((s) => s.once("data", (d) => { process.stdout.write(d, () => process.exit()); }));
    server.listen(0, "127.0.0.1", () => tls.connect({ port: server.address().port, host: "127.0.0.1" }).on("error", () => 0));`;
  return spawnSync(process.execPath, ["-e", script]).stdout;
}
