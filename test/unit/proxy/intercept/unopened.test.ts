import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttps } from "node:https";
import test, { type TestContext } from "node:test";
import { connect as connectTls, createServer as createTls, type SecureVersion, type TLSSocket } from "node:tls";
import { createCertificateFor } from "../../../../certs/leaf.ts";
import { Unopened } from "../../../../proxy/intercept/unopened.ts";
import { loopbackCertificate } from "../../../support/certificate.ts";
import {
  dialProxy,
  listening,
  type ProxyRoom,
  proxyRoom,
  readAll,
  secureTunnel,
  tlsOrigin,
  tunnel,
  until,
} from "../../../support/room.ts";

const GET = "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/** A client that trusts only the origin's own authority, as an app that pins it does. */
async function pinned(
  t: TestContext,
  room: ProxyRoom,
  port: number,
  protocols: readonly string[] = [],
): Promise<TLSSocket> {
  const socket = await tunnel(t, room, `127.0.0.1:${port}`);
  const ca = room.originAuthority.certPem;
  const secured = connectTls({ socket, host: "127.0.0.1", ca, ALPNProtocols: [...protocols] });
  secured.on("error", () => undefined);
  t.after(() => secured.destroy());
  return secured;
}

test("a host whose clients refuse our certificate is passed on unseen after that, which is said once", async (t) => {
  const room = await proxyRoom(t);
  const port = await tlsOrigin(t, room, (_, response) => response.end("own"));
  // Node's own client leaves without an alert; it takes a second time to be sure of that.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const client = await pinned(t, room, port);
    await new Promise((resolve) => client.once("close", resolve));
  }
  await until(() => room.troubles.length === 2, "both are told");
  assert.match(room.troubles[1] ?? "", /the client left .+; from now on the host is passed on unseen/);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const client = await pinned(t, room, port);
    client.write(GET);
    assert.match((await readAll(client)).bytes.toString(), /own/);
  }
  const { tunnelled, unopened } = room.proxy.counts;
  assert.deepEqual([tunnelled, unopened, room.troubles.length, room.exchanges.length], [2, 2, 2, 0]);
});

for (const [what, protocols] of [
  ["speaks first", []],
  ["speaks HTTP/2, and so at once,", ["h2"]],
] as const) {
  test(`clients that refuse our certificate get through to a server that ${what} as well`, async (t) => {
    const room = await proxyRoom(t);
    const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
    const server = createTls({ ...pair, ALPNProtocols: [...protocols] }, (socket) => void socket.write("hello"));
    const port = await listening(t, server);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const client = await pinned(t, room, port, protocols);
      await new Promise((resolve) => client.once("close", resolve));
    }
    await until(
      () => room.troubles.some((text) => /from now on the host is passed on unseen/.test(text)),
      "it is told",
    );
    const client = await pinned(t, room, port, protocols);
    const [heard] = await once(client, "data");
    assert.equal(String(heard), "hello");
  });
}

test("a client without our authority does not close a host that others are read at", () => {
  const hosts = new Unopened();
  const host = { host: "a.test", port: 443 };
  hosts.trusted(host);
  assert.equal(hosts.refused(host, true), false);
  assert.equal(hosts.has(host), false);
  const other = { host: "a.test", port: 444 };
  assert.deepEqual([hosts.refused(other, false), hosts.has(other)], [false, false]);
  assert.deepEqual([hosts.refused(other, false), hosts.has(other)], [true, true]);
  assert.equal(hosts.refused({ host: "b.test", port: 1 }, true), true);
});

/** Asks its clients for a certificate, and cuts those that have none or, when it does not insist, answers them with 400. */
async function askingOrigin(t: TestContext, room: ProxyRoom, version: SecureVersion, insists: boolean) {
  const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
  const own = await loopbackCertificate(["client.test"], "client");
  const limits = { minVersion: version, maxVersion: version };
  const server = createHttps(
    { ...pair, ...limits, ca: own.cert, requestCert: true, rejectUnauthorized: insists },
    ({ socket }, response) => {
      const name = (socket as TLSSocket).getPeerCertificate()?.subject?.CN;
      response.writeHead(name === undefined ? 400 : 200).end(name);
    },
  );
  return { port: await listening(t, server), own };
}

/** What a client that trusts both authorities gets, with or without a certificate of its own. */
async function visit(
  t: TestContext,
  room: ProxyRoom,
  port: number,
  own?: { readonly key: string; readonly cert: string },
): Promise<string> {
  const socket = await tunnel(t, room, `127.0.0.1:${port}`);
  const ca = [room.originAuthority.certPem, room.authority.certPem];
  const client = connectTls({ socket, host: "127.0.0.1", ...own, ca });
  client.on("error", () => undefined);
  client.write(GET);
  const { bytes } = await readAll(client);
  client.destroy();
  return bytes.toString();
}

for (const version of ["TLSv1.2", "TLSv1.3"] satisfies SecureVersion[]) {
  for (const insists of [true, false]) {
    const what = insists ? "wants a client certificate" : "asks for a client certificate and would do without";
    test(`a server that ${what} gets the app's own, from the first connection on (${version})`, async (t) => {
      const unread: string[] = [];
      const room = await proxyRoom(t, { onUnread: (_, why) => void unread.push(why) });
      const { port, own } = await askingOrigin(t, room, version, insists);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        assert.match(await visit(t, room, port, own), /200 OK[\s\S]*loopback test server/, `attempt ${attempt}`);
      }
      assert.equal(room.troubles.length, 1);
      assert.deepEqual([room.proxy.counts.unopened, room.proxy.counts.tunnelled, room.exchanges.length], [3, 3, 0]);
      assert.ok(unread.length >= 3, "each of them leaves a mark");
      // A server of TLS 1.2 that insists only breaks the handshake off, which could have any reason.
      if (version === "TLSv1.2" && insists) return;
      assert.match(room.troubles[0] ?? "", /wants a client certificate.+ from now on the host is passed on unseen$/);
      assert.match(unread[0] ?? "", /wants a client certificate/);
    });
  }
}

test("a client without a certificate gets the answer that such a server has for it", async (t) => {
  const room = await proxyRoom(t);
  const { port } = await askingOrigin(t, room, "TLSv1.3", false);
  for (let attempt = 0; attempt < 2; attempt += 1) assert.match(await visit(t, room, port), /400 Bad Request/);
  assert.equal(room.troubles.length, 1);
});

test("what was opened without a tunnel hides no server's wish from a tunnel that follows", async (t) => {
  const room = await proxyRoom(t);
  const { port, own } = await askingOrigin(t, room, "TLSv1.2", false);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const plain = await dialProxy(t, room.port);
    plain.write(`GET https://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    assert.match((await readAll(plain)).bytes.toString(), /400 Bad Request/);
  }
  assert.match(await visit(t, room, port, own), /200 OK/);
});

test("an upstream certificate that does not hold is the client's to judge, as it would be without us", async (t) => {
  const room = await proxyRoom(t);
  const stranger = await proxyRoom(t);
  const port = await tlsOrigin(t, stranger, (_, response) => response.end("strange"));
  await assert.rejects(secureTunnel(t, room, `127.0.0.1:${port}`), { code: "SELF_SIGNED_CERT_IN_CHAIN" });
  const socket = await tunnel(t, room, `127.0.0.1:${port}`);
  const trusting = connectTls({ socket, host: "127.0.0.1", ca: stranger.originAuthority.certPem });
  trusting.write(GET);
  assert.match((await readAll(trusting)).bytes.toString(), /strange/);
  assert.deepEqual([room.proxy.counts.unopened, room.exchanges.length, room.troubles.length], [2, 0, 1]);
});

test("with insecureUpstream any certificate is taken and the host is read", async (t) => {
  const room = await proxyRoom(t, { insecureUpstream: true });
  const stranger = await proxyRoom(t);
  const port = await tlsOrigin(t, stranger, (_, response) => response.end("strange"), "other.test");
  const client = await secureTunnel(t, room, `127.0.0.1:${port}`);
  client.write(GET);
  assert.match((await readAll(client)).bytes.toString(), /strange/);
  assert.equal(room.exchanges.length, 1);
});

test("TLS sessions are taken up again, on both sides", async (t) => {
  const room = await proxyRoom(t);
  const resumed: boolean[] = [];
  const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
  const server = createHttps(pair, (_, response) => response.end("ok"));
  server.on("secureConnection", (socket: TLSSocket) => resumed.push(socket.isSessionReused()));
  const port = await listening(t, server);
  let session: Buffer | undefined;
  const seen: boolean[] = [];
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const socket = await tunnel(t, room, `127.0.0.1:${port}`);
    const options = { socket, host: "127.0.0.1", ca: room.authority.certPem };
    const client = connectTls(session === undefined ? options : { ...options, session });
    client.on("session", (made: Buffer) => {
      session = made;
    });
    client.write(GET);
    await readAll(client);
    seen.push(client.isSessionReused());
    client.destroy();
  }
  assert.deepEqual(
    [seen, resumed],
    [
      [false, true],
      [false, true],
    ],
  );
});
