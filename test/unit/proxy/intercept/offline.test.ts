import assert from "node:assert/strict";
import dns from "node:dns";
import { createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import test from "node:test";
import { lookupOffline } from "../../../../proxy/intercept/loopback.ts";
import type { Exchange } from "../../../../proxy/record/exchange.ts";
import { dialProxy, httpOrigin, listening, proxyRoom, readAll, readHead, tunnel } from "../../../support/room.ts";

const SINK = () => ({ status: 200, headers: [], body: Buffer.from("sunk") });

/** An address of this machine that is not loopback: dialling it is what must not happen. */
const outside = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

/** Opens only `known.example`, under a sink. */
function offlineRoom(t: test.TestContext, passing: Exchange[], map = new Map()) {
  return proxyRoom(t, {
    sink: SINK,
    map,
    decide: ({ host }) => (host === "known.example" ? "intercept" : "tunnel"),
    onPassing: (exchange, notRecorded) => {
      passing.push(exchange);
      notRecorded();
    },
  });
}

async function ask(t: test.TestContext, port: number, text: string): Promise<string> {
  const client: Socket = await dialProxy(t, port);
  client.write(text);
  return (await readAll(client)).bytes.toString();
}

test("under a sink no host that is not opened is dialled, by CONNECT, plain or upgrade, also when --map leads out", {
  skip: outside === undefined && "no interface but loopback",
}, async (t) => {
  const dialled: string[] = [];
  const port = await listening(
    t,
    createServer((socket) => {
      dialled.push(socket.remoteAddress ?? "");
      socket.destroy();
    }),
    "0.0.0.0",
  );
  const host = outside ?? "";
  const room = await offlineRoom(
    t,
    [],
    new Map([
      ["mapped.example", { host, port }],
      ["localhost", { host, port }],
    ]),
  );
  for (const target of [`${host}:${port}`, "mapped.example:443", "localhost:80"]) {
    const connect = `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const plain = `POST http://${target}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
    const upgrade = `GET ws://${target}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    for (const text of [connect, plain, upgrade]) {
      assert.match(await ask(t, room.port, text), /^HTTP\/1\.1 502 [\s\S]*nothing leaves this machine/, text);
    }
  }
  assert.deepEqual(dialled, []);
  const { refused, keptIn } = room.proxy.counts;
  assert.deepEqual([refused, keptIn], [9, 9]);
  assert.deepEqual(
    room.proxy.hosts().map(({ endpoint, keptIn: count }) => [endpoint, count]),
    [
      [`${host}:${port}`, 3],
      ["mapped.example:443", 3],
      ["localhost:80", 3],
    ],
  );
});

test("under a sink no name is asked for, not even whether it is the proxy itself", async (t) => {
  const room = await offlineRoom(t, []);
  const asked: unknown[] = [];
  t.mock.method(dns, "lookup", (name: unknown) => void asked.push(name));
  t.mock.method(dns.promises, "lookup", async (name: unknown) => {
    asked.push(name);
    return [];
  });
  for (const host of ["app.example", `app.example:${room.port}`, `known.example:${room.port}`]) {
    await ask(t, room.port, `GET http://${host}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  }
  assert.deepEqual(asked, []);
});

test("under a sink a page on loopback still loads, tunnelled and plain, and opened hosts are answered", async (t) => {
  const passing: Exchange[] = [];
  const room = await offlineRoom(t, passing);
  const port = await httpOrigin(t, (request, response) => response.end(`page ${request.url}`));
  for (const host of ["127.0.0.1", "localhost", "app.localhost"]) {
    const inside = await tunnel(t, room, `${host}:${port}`);
    inside.write("GET /in HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert.match((await readAll(inside)).bytes.toString(), /page \/in$/, host);
    const plain = `GET http://${host}:${port}/plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    assert.match(await ask(t, room.port, plain), /page \/plain$/, host);
  }
  const known = await dialProxy(t, room.port);
  known.write("GET http://known.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert.match(await readHead(known), /^HTTP\/1\.1 200 /);
  const { tunnelled, plain, passed, refused } = room.proxy.counts;
  assert.deepEqual([tunnelled, plain, passed, refused], [3, 4, 3, 0]);
  assert.equal(passing.length, 3);
  assert.deepEqual(
    room.exchanges.map(({ host }) => host),
    ["known.example"],
  );
});

test("offline, only names of loopback have addresses", async () => {
  const look = (host: string, all: boolean) =>
    new Promise((resolve) => lookupOffline(host, { all }, (error, found) => resolve(error?.code ?? found)));
  assert.equal(await look("localhost", false), "127.0.0.1");
  assert.equal(await look("example.com", false), "ENOTFOUND");
  assert.equal(await look("notlocalhost", true), "ENOTFOUND");
  assert.deepEqual(await look("a.localhost", true), [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ]);
});
