import assert from "node:assert/strict";
import test from "node:test";
import { dialProxy, proxyRoom, readAll, readHead, secureTunnel, tunnel, until } from "../../../support/room.ts";

const SINK = {
  sink: () => ({
    status: 200,
    headers: [["Content-Type", "application/json"]] as const,
    body: Buffer.from('{"acc":1}'),
  }),
};

test("a TLS request is answered without an upstream, for a name that does not exist", async (t) => {
  const room = await proxyRoom(t, SINK);
  const client = await secureTunnel(t, room, "no-such-host.invalid:443", {
    servername: "no-such-host.invalid",
    protocols: ["h2", "http/1.1"],
  });
  assert.equal(client.alpnProtocol, "http/1.1");
  for (const body of ["one", "two"]) {
    client.write(`POST /x HTTP/1.1\r\nHost: h\r\nOrigin: https://app.example\r\nContent-Length: 3\r\n\r\n${body}`);
    const head = await readHead(client);
    assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(
      head,
      /Access-Control-Allow-Origin: https:\/\/app\.example\r\nAccess-Control-Allow-Credentials: true\r\n/,
    );
    await until(() => client.read(9)?.toString() === '{"acc":1}', "the body");
  }
  assert.deepEqual(
    room.exchanges.map(({ host, port, scheme, status, body }) => [
      host,
      port,
      scheme,
      status,
      Buffer.from(body).toString(),
    ]),
    [
      ["no-such-host.invalid", 443, "https", 200, "one"],
      ["no-such-host.invalid", 443, "https", 200, "two"],
    ],
  );
  assert.deepEqual([...room.answers.values()], [200, 200]);
});

test("a preflight is answered 204 with what the browser asked for", async (t) => {
  const room = await proxyRoom(t, SINK);
  const client = await dialProxy(t, room.port);
  client.write(
    "OPTIONS http://h.invalid/x HTTP/1.1\r\nHost: h\r\nOrigin: https://a.example\r\nAccess-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: x-a, x-b\r\nConnection: close\r\n\r\n",
  );
  const text = (await readAll(client)).bytes.toString();
  assert.match(text, /^HTTP\/1\.1 204 No Content\r\n/);
  for (const line of [
    "Allow-Origin: https://a.example",
    "Allow-Credentials: true",
    "Allow-Headers: x-a, x-b",
    "Allow-Methods: PUT",
  ]) {
    assert.ok(text.includes(`Access-Control-${line}\r\n`), line);
  }
});

test("plain and tunnelled clear requests are answered alike, also when the client waits to go on", async (t) => {
  const room = await proxyRoom(t, SINK);
  const plain = await dialProxy(t, room.port);
  plain.write(
    "POST http://h.invalid/a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n",
  );
  assert.match(await readHead(plain), /^HTTP\/1\.1 100 /);
  plain.write("{}");
  assert.match((await readAll(plain)).bytes.toString(), /\{"acc":1\}$/);
  const inside = await tunnel(t, room, "h.invalid:80");
  inside.write("GET /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  assert.match((await readAll(inside)).bytes.toString(), /\{"acc":1\}$/);
  assert.deepEqual(
    room.exchanges.map(({ target, host }) => [target, host]),
    [
      ["/a", "h.invalid"],
      ["/b", "h.invalid"],
    ],
  );
});

test("a sink that throws costs its answer's body, not the client's request", async (t) => {
  const room = await proxyRoom(t, {
    sink: () => {
      throw new Error("on purpose");
    },
  });
  const client = await dialProxy(t, room.port);
  client.write("GET http://h.invalid/ HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  assert.match((await readAll(client)).bytes.toString(), /^HTTP\/1\.1 200 OK/);
  assert.deepEqual([room.proxy.counts.hookErrors, room.exchanges.length], [1, 1]);
});

test("own ports stay refused, and a body that breaks off is recorded as truncated", async (t) => {
  const room = await proxyRoom(t, SINK);
  const client = await dialProxy(t, room.port);
  client.write(`GET http://127.0.0.1:${room.port}/ HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
  assert.match((await readAll(client)).bytes.toString(), /^HTTP\/1\.1 508 /);
  const cut = await secureTunnel(t, room, "h.invalid:443", { servername: "h.invalid" });
  cut.write("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\npart");
  await until(() => room.proxy.counts.requests === 1, "the head");
  cut.destroy();
  await until(() => room.exchanges.length === 1, "the record");
  assert.equal(room.exchanges[0]?.truncated, true);
});

test("an answer that stays is begun and not ended", async (t) => {
  const body = Buffer.from("event: put\ndata: {}\n\n");
  const headers = [["Content-Type", "text/event-stream"]] as const;
  const room = await proxyRoom(t, { sink: () => ({ status: 200, headers, body, stays: true }) });
  const client = await dialProxy(t, room.port);
  client.write("GET http://h.invalid/all HTTP/1.1\r\nHost: h\r\n\r\n");
  const head = await readHead(client);
  assert.doesNotMatch(head, /Content-Length/i);
  assert.match(head, /Transfer-Encoding: chunked/);
  await until(() => String(client.read() ?? "").includes("event: put"), "the event");
  assert.equal(client.readableEnded, false);
});
