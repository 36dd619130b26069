import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { connect as connectTls } from "node:tls";
import { startProxy } from "../support/processes.ts";
import { dialProxy, httpOrigin, listening, readHead, until } from "../support/room.ts";
import { scratchFolder } from "../support/scratch.ts";

/** The drain is 2 s; the rest is for a busy machine. */
const LIMIT = { timeout: 40_000 };

test(
  "SIGTERM ends the proxy whatever hangs in it: tunnels, handshakes, plain requests, cut answers",
  LIMIT,
  async (t) => {
    const cwd = scratchFolder(t);
    const proxy = await startProxy(t, ["--all", "--bypass", "localhost"], {
      cwd,
      env: { WAYMARK_CA_DIR: join(cwd, "ca") },
    });
    let accepted = 0;
    const silent = await listening(
      t,
      createServer((socket: Socket) => {
        accepted++;
        socket.resume();
      }),
    );
    const cutting = await listening(
      t,
      createServer((socket) => {
        const head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc";
        socket.once("data", () => socket.write(head, () => setImmediate(() => socket.resetAndDestroy())));
      }),
    );
    const plain = await httpOrigin(t, () => undefined);

    const open = async (text: string): Promise<Socket> => {
      const client = await dialProxy(t, proxy.port);
      client.write(`${text} HTTP/1.1\r\nHost: x\r\n\r\n`);
      return client;
    };
    for (const host of ["localhost", "127.0.0.1"]) {
      const client = await open(`CONNECT ${host}:${silent}`);
      assert.match(await readHead(client), / 200 /);
      if (host !== "localhost") {
        const secured = connectTls({ socket: client, rejectUnauthorized: false, servername: "" });
        secured.on("error", () => undefined);
      }
    }
    await open(`GET http://127.0.0.1:${plain}/`);
    await open(`GET https://127.0.0.1:${silent}/`);
    const leaving = await open(`GET https://127.0.0.1:${silent}/`);
    await until(() => accepted === 4, "all are connected");
    leaving.destroy();
    for (const isLeaving of [true, false]) {
      const cut = await open(`GET http://127.0.0.1:${cutting}/`);
      await readHead(cut);
      if (isLeaving) cut.destroy();
    }
    const exited = once(proxy.child, "exit");
    const { code, signal } = await proxy.stop("SIGTERM");
    await exited;
    assert.equal(signal, null);
    assert.equal(code, 143);
  },
);
