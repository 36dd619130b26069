import assert from "node:assert/strict";
import { createServer, request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { parseViaProxy } from "../../../../proxy/intercept/via.ts";
import { WaymarkError } from "../../../../proxy/record/fault.ts";
import {
  dialProxy,
  httpOrigin,
  listening,
  type ProxyRoom,
  proxyRoom,
  readAll,
  secureTunnel,
  tlsOrigin,
} from "../../../support/room.ts";

const CREDENTIALS = "user:p@ss";

interface OtherProxy {
  readonly port: number;
  /** First lines of what it was asked, in order. */
  readonly asked: string[];
}

/** A proxy that leads every name to loopback, and wants to know who asks. */
async function otherProxy(t: TestContext): Promise<OtherProxy> {
  const asked: string[] = [];
  const isAllowed = (header: string | undefined): boolean =>
    header === `Basic ${Buffer.from(CREDENTIALS).toString("base64")}`;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (!isAllowed(request.headers["proxy-authorization"])) return void response.writeHead(407).end();
    const { port, pathname } = new URL(request.url ?? "");
    const { method, headers } = request;
    const onward = httpRequest({ port, host: "127.0.0.1", path: pathname, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.on("connect", (request, client: Socket, head) => {
    asked.push(`CONNECT ${request.url}`);
    if (!isAllowed(request.headers["proxy-authorization"])) {
      return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    }
    const upstream = connect(Number((request.url ?? "").split(":")[1]), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\nX-Odd: 1\r\n\r\n");
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  return { port: await listening(t, server), asked };
}

async function roomBehind(t: TestContext, other: OtherProxy, credentials = "user:p%40ss"): Promise<ProxyRoom> {
  return proxyRoom(t, { via: { url: `http://${credentials}@127.0.0.1:${other.port}`, noProxy: "direct.test" } });
}

test("tunnels and plain requests go through the upstream proxy with its credentials, and are read", async (t) => {
  const other = await otherProxy(t);
  const room = await roomBehind(t, other);
  const secure = await tlsOrigin(t, room, (_, response) => response.end("secret"), "origin.test");
  const clear = await httpOrigin(t, (request, response) => {
    response.end(`clear ${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
  });
  const client = await secureTunnel(t, room, `origin.test:${secure}`, { servername: "origin.test" });
  client.write("GET /s HTTP/1.1\r\nHost: origin.test\r\nConnection: close\r\n\r\n");
  assert.match((await readAll(client)).bytes.toString(), /secret/);
  const plain = await dialProxy(t, room.port);
  plain.write(`GET http://origin.test:${clear}/c HTTP/1.1\r\nHost: origin.test\r\nConnection: close\r\n\r\n`);
  assert.match((await readAll(plain)).bytes.toString(), /clear \/c /);
  assert.deepEqual(other.asked, [`CONNECT origin.test:${secure}`, `GET http://origin.test:${clear}/c`]);
  assert.deepEqual(
    room.exchanges.map(({ host, target }) => [host, target]),
    [
      ["origin.test", "/s"],
      ["origin.test", "/c"],
    ],
  );
});

test("loopback and what NO_PROXY excepts are reached directly", async (t) => {
  const other = await otherProxy(t);
  const room = await roomBehind(t, other);
  const clear = await httpOrigin(t, (_, response) => response.end("direct"));
  for (const host of ["127.0.0.1", "localhost", "direct.test"]) {
    const plain = await dialProxy(t, room.port);
    plain.write(`GET http://${host}:${clear}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match((await readAll(plain)).bytes.toString(), host === "direct.test" ? /^HTTP\/1.1 502/ : /direct$/);
  }
  assert.deepEqual(other.asked, []);
});

test("an upstream proxy that refuses is told in its own words", async (t) => {
  const other = await otherProxy(t);
  const room = await roomBehind(t, other, "user:wrong");
  const socket = await dialProxy(t, room.port);
  socket.write("CONNECT origin.test:443 HTTP/1.1\r\n\r\n");
  const { bytes } = await readAll(socket);
  assert.match(bytes.toString(), /^HTTP\/1\.1 502 [\s\S]*the upstream proxy answered "HTTP\/1\.1 407 Proxy Auth/);
  assert.equal(room.proxy.counts.upstreamErrors, 1);
});

test("NO_PROXY is read as programs read it", () => {
  const rows: readonly (readonly [rules: string, host: string, port: number, isDirect: boolean])[] = [
    ["example.com", "example.com", 443, true],
    ["example.com", "a.example.com", 443, true],
    ["example.com", "badexample.com", 443, false],
    [".example.com", "a.example.com", 443, true],
    ["*.example.com", "a.example.com", 443, true],
    ["example.com:8443", "example.com", 443, false],
    ["example.com:8443", "example.com", 8443, true],
    ["a.test, EXAMPLE.com", "example.com", 1, true],
    ["192.0.2.7", "192.0.2.7", 1, true],
    ["[2001:db8::1]:99", "2001:db8::1", 99, true],
    ["2001:db8::1", "2001:db8::1", 99, true],
    ["*", "anything.test", 1, true],
    ["", "anything.test", 1, false],
    ["", "localhost", 1, true],
    ["", "127.0.0.5", 1, true],
  ];
  for (const [rules, host, port, isDirect] of rows) {
    assert.equal(parseViaProxy("http://p.test:3128", rules).takes({ host, port }), !isDirect, `${rules} ${host}`);
  }
});

test("an upstream proxy that is no address is refused at the start, without its password", () => {
  assert.deepEqual(parseViaProxy("http://[::1]", "").endpoint, { host: "::1", port: 80 });
  for (const url of ["", "env", "ftp://x:1", "socks5://x:1", "http://user:secret@", "https://user:secret@p.test"]) {
    assert.throws(
      () => parseViaProxy(url, ""),
      (error) => error instanceof WaymarkError && error.code === "WM_PROXY_UPSTREAM" && !/secret/.test(error.message),
      url,
    );
  }
});

test("credentials that are wrongly percent-encoded are refused in words of their own", () => {
  for (const credentials of ["secret:p%zz", "secret%:p", "secret:p%c3"]) {
    assert.throws(
      () => parseViaProxy(`http://${credentials}@127.0.0.1:1`, ""),
      (error) =>
        error instanceof WaymarkError &&
        error.code === "WM_PROXY_UPSTREAM" &&
        /wrongly percent-encoded/.test(error.message) &&
        !/secret|p%/.test(error.message),
      credentials,
    );
  }
});
