import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import test from "node:test";
import { connect as connectTls, createServer as createTls } from "node:tls";
import { createCertificateFor } from "../../../../certs/leaf.ts";
import {
  dialProxy,
  httpOrigin,
  listening,
  proxyRoom,
  readAll,
  readHead,
  secureTunnel,
  tlsOrigin,
  tunnel,
  until,
} from "../../../support/room.ts";

test("a POST over TLS reaches the origin byte for byte and is recorded with its answer", async (t) => {
  const room = await proxyRoom(t);
  const port = await tlsOrigin(t, room, (request, response) => {
    request.resume().on("end", () => response.writeHead(201, { "x-heads": request.rawHeaders.join("|") }).end("made"));
  });
  const client = await secureTunnel(t, room, `127.0.0.1:${port}`, { protocols: ["h2", "http/1.1"] });
  assert.equal(client.alpnProtocol, "http/1.1");
  client.write(
    `POST /v1?x=1 HTTP/1.1\r\nhOST: example\r\nX-B: 1\r\nx-a: 2\r\nX-b: 3\r\nContent-Length: 5\r\n\r\nhello`,
  );
  const head = await readHead(client);
  assert.match(head, /^HTTP\/1\.1 201 Created/);
  assert.match(head, /x-heads: hOST\|example\|X-B\|1\|x-a\|2\|X-b\|3\|Content-Length\|5\r\n/);
  const [exchange] = room.exchanges;
  assert.ok(exchange);
  assert.deepEqual(
    { ...exchange, id: "", arrivedAt: 0, body: Buffer.from(exchange.body).toString() },
    {
      id: "",
      arrivedAt: 0,
      scheme: "https",
      method: "POST",
      host: "127.0.0.1",
      port,
      target: "/v1?x=1",
      headers: [
        ["hOST", "example"],
        ["X-B", "1"],
        ["x-a", "2"],
        ["X-b", "3"],
        ["Content-Length", "5"],
      ],
      body: "hello",
      truncated: false,
    },
  );
  assert.equal(room.answers.get(exchange.id), 201);
  assert.equal(room.proxy.counts.intercepted, 1);
});

test("a CONNECT that is refused says why: bad target 400, own port 403, dead upstream 502", async (t) => {
  const room = await proxyRoom(t);
  const silent = await listening(t, createServer());
  const ask = async (target: string): Promise<string> => {
    const socket = await dialProxy(t, room.port);
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return (await readAll(socket)).bytes.toString();
  };
  assert.match(await ask("2001:db8::1:443"), /^HTTP\/1\.1 400 /);
  assert.match(await ask("host:99999"), /^HTTP\/1\.1 400 /);
  for (const own of ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "[::ffff:127.0.0.1]"]) {
    assert.match(await ask(`${own}:${room.port}`), /^HTTP\/1\.1 403 [\s\S]*waymark's own/, own);
  }
  assert.equal(room.proxy.counts.refused, 6);
  assert.match(await ask("no-such-host.invalid:443"), /^HTTP\/1\.1 502 [\s\S]*waymark: no-such-host\.invalid: /);
  await tunnel(t, room, `https://127.0.0.1:${silent}`); // a scheme in front is taken
});

test("a host that is not to be intercepted is passed on unseen, its own certificate and all", async (t) => {
  const room = await proxyRoom(t, { decide: () => "tunnel" });
  const port = await tlsOrigin(t, room, (_, response) => response.end("ok"));
  const socket = await tunnel(t, room, `127.0.0.1:${port}`);
  const secured = connectTls({ socket, ca: room.originAuthority.certPem, host: "127.0.0.1" });
  await once(secured, "secureConnect");
  assert.equal(secured.getPeerCertificate().issuer.CN, /CN=([^,]+)/.exec(room.originAuthority.subject)?.[1]);
  secured.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(await readHead(secured), /^HTTP\/1\.1 200 OK/);
  assert.deepEqual([room.exchanges.length, room.proxy.counts.tunnelled, room.proxy.counts.intercepted], [0, 1, 0]);
  secured.destroy();
});

test("an upstream whose certificate is not trusted or for another name fails for the client too", async (t) => {
  const room = await proxyRoom(t);
  const stranger = await proxyRoom(t);
  const untrusted = await tlsOrigin(t, stranger, (_, response) => response.end("ok"));
  const misnamed = await tlsOrigin(t, room, (_, response) => response.end("ok"), "other.example");
  for (const port of [untrusted, misnamed]) {
    await assert.rejects(secureTunnel(t, room, `127.0.0.1:${port}`));
  }
  assert.equal(room.proxy.counts.upstreamErrors, 2);
  assert.equal(room.exchanges.length, 0);
});

test("the server name goes upstream as sent, and the certificate is for it, wherever --map sends the bytes", async (t) => {
  const map = new Map<string, { host: string; port: number }>();
  const room = await proxyRoom(t, { map });
  const names: (string | undefined)[] = [];
  const port = await tlsOrigin(
    t,
    room,
    (request, response) => {
      names.push((request.socket as { servername?: string }).servername, request.headers.host);
      response.end("ok");
    },
    "events.example.com",
  );
  map.set("events.example.com", { host: "127.0.0.1", port });
  const client = await secureTunnel(t, room, "Events.Example.com:443", { servername: "events.example.com" });
  assert.equal(client.getPeerCertificate().subjectaltname, "DNS:events.example.com");
  client.write("GET / HTTP/1.1\r\nHost: events.example.com\r\n\r\n");
  await readHead(client);
  assert.deepEqual(names, ["events.example.com", "events.example.com"]);
  assert.deepEqual([room.exchanges[0]?.host, room.exchanges[0]?.port], ["events.example.com", 443]);
});

test("a protocol that is none of HTTP passes unread and counted", async (t) => {
  const room = await proxyRoom(t);
  const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
  const origin = createTls({ ...pair, ALPNProtocols: ["mqtt"] }, (socket) => void socket.end("mqtt"));
  const port = await listening(t, origin);
  const client = await secureTunnel(t, room, `127.0.0.1:${port}`, { protocols: ["http/1.1", "mqtt"] });
  assert.equal(client.alpnProtocol, "mqtt");
  assert.equal((await readAll(client)).bytes.toString(), "mqtt");
  assert.deepEqual([room.proxy.counts.opaque, room.proxy.counts.intercepted], [1, 0]);
});

test("clear HTTP/1.1 in a tunnel is read; a server that speaks first passes unread", async (t) => {
  const room = await proxyRoom(t);
  const port = await httpOrigin(t, (_, response) => response.end("clear"));
  const client = await tunnel(t, room, `127.0.0.1:${port}`);
  client.write("GET /clear HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert.match((await readAll(client)).bytes.toString(), /clear$/);
  assert.deepEqual([room.exchanges[0]?.scheme, room.exchanges[0]?.target], ["http", "/clear"]);

  const greeter = await listening(
    t,
    createServer((socket) => socket.end("220 hello\r\n")),
  );
  const greeted = await tunnel(t, room, `127.0.0.1:${greeter}`);
  assert.equal((await readAll(greeted)).bytes.toString(), "220 hello\r\n");
  greeted.end();
  assert.equal(room.proxy.counts.opaque, 1);
});

test("a client that goes away within its body leaves a truncated exchange", async (t) => {
  const room = await proxyRoom(t);
  const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
  const port = await listening(
    t,
    createTls(pair, (socket) => void socket.resume().on("end", () => socket.destroy())),
  );
  const client = await secureTunnel(t, room, `127.0.0.1:${port}`);
  client.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\npart");
  await until(() => room.proxy.counts.requests === 1, "the head has passed");
  client.destroy();
  await until(() => room.exchanges.length === 1 && room.answers.size === 1, "the exchange is recorded");
  const [exchange] = room.exchanges;
  assert.deepEqual([Buffer.from(exchange?.body ?? []).toString(), exchange?.truncated], ["part", true]);
  assert.deepEqual([...room.answers.values()], [undefined]);
});

test("a beacon whose sender ends right behind it is recorded whole and reaches the origin", async (t) => {
  const room = await proxyRoom(t);
  const bodies: string[] = [];
  const port = await tlsOrigin(t, room, (request) => {
    request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
  });
  const client = await secureTunnel(t, room, `127.0.0.1:${port}`);
  client.end("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nlast");
  await until(() => bodies.join("") === "last" && room.exchanges.length === 1, "the beacon arrived");
  assert.equal(room.exchanges[0]?.truncated, false);
});

test("half a close passes: the client ends its sending and still gets the answer", async (t) => {
  const room = await proxyRoom(t, { decide: () => "tunnel" });
  const port = await listening(
    t,
    createServer({ allowHalfOpen: true }, (socket) => {
      let seen = "";
      socket.on("data", (chunk) => {
        seen += chunk.toString();
      });
      socket.on("end", () => socket.end(`got ${seen}`));
    }),
  );
  const client = await tunnel(t, room, `127.0.0.1:${port}`);
  client.end("all of it");
  assert.equal((await readAll(client)).bytes.toString(), "got all of it");
});

test("a reset of the upstream reaches the client as a reset", async (t) => {
  const room = await proxyRoom(t, { decide: () => "tunnel" });
  const port = await listening(
    t,
    createServer((socket) => void socket.once("data", () => socket.resetAndDestroy())),
  );
  const client = await tunnel(t, room, `127.0.0.1:${port}`);
  client.write("x");
  assert.equal((await readAll(client)).error, "ECONNRESET");
});

test("a hook that throws is counted and harms nothing", async (t) => {
  const room = await proxyRoom(t, {
    onExchange: () => {
      throw new Error("on purpose");
    },
    onAnswer: () => {
      throw new Error("on purpose");
    },
  });
  const port = await tlsOrigin(t, room, (_, response) => response.end("ok"));
  const client = await secureTunnel(t, room, `127.0.0.1:${port}`);
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(await readHead(client), /^HTTP\/1\.1 200 OK/);
  assert.equal(room.proxy.counts.hookErrors, 2);
});

test("a client that does not take our certificate is counted and gets no bytes", async (t) => {
  const room = await proxyRoom(t);
  const port = await tlsOrigin(t, room, (_, response) => response.end("ok"));
  const socket = await tunnel(t, room, `127.0.0.1:${port}`);
  const secured = connectTls({ socket, ca: room.originAuthority.certPem, host: "127.0.0.1" });
  await assert.rejects(once(secured, "secureConnect"));
  await until(() => room.proxy.counts.clientErrors === 1, "the refusal is counted");
  assert.equal(room.exchanges.length, 0);
});
