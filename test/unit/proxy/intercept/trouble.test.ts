import assert from "node:assert/strict";
import { request as httpsRequest } from "node:https";
import { createServer } from "node:net";
import test from "node:test";
import { connect as connectTls, createServer as createTls } from "node:tls";
import { createCertificateFor } from "../../../../certs/leaf.ts";
import { newCounts } from "../../../../proxy/intercept/counts.ts";
import { HostLedger } from "../../../../proxy/intercept/host-ledger.ts";
import { clientReason, upstreamReason } from "../../../../proxy/intercept/problem.ts";
import { loopbackCertificate } from "../../../support/certificate.ts";
import { runProgram } from "../../../support/processes.ts";
import {
  dialProxy,
  httpOrigin,
  listening,
  proxyRoom,
  readAll,
  secureTunnel,
  tlsOrigin,
  tunnel,
  until,
} from "../../../support/room.ts";

test("an upstream whose certificate does not hold is told once per host and reason, with what mends it", async (t) => {
  const room = await proxyRoom(t);
  const stranger = await proxyRoom(t);
  const untrusted = await tlsOrigin(t, stranger, (_, response) => response.end("ok"));
  const misnamed = await tlsOrigin(t, room, (_, response) => response.end("ok"), "other.example");
  for (const port of [untrusted, untrusted, misnamed]) await assert.rejects(secureTunnel(t, room, `127.0.0.1:${port}`));
  const [first = "", second = "", ...others] = room.troubles;
  assert.match(
    first,
    new RegExp(
      `^127\\.0\\.0\\.1:${untrusted}: the upstream's certificate is not trusted \\(.+\\); --upstream-ca FILE trusts it$`,
    ),
  );
  assert.match(
    second,
    new RegExp(`^127\\.0\\.0\\.1:${misnamed}: the upstream's certificate is not valid \\(.+altnames.*\\)$`),
  );
  assert.deepEqual(others, []);
  assert.deepEqual(
    room.proxy.hosts().map(({ endpoint, upstreamErrors, clientErrors }) => [endpoint, upstreamErrors, clientErrors]),
    [
      [`127.0.0.1:${untrusted}`, 2, 0],
      [`127.0.0.1:${misnamed}`, 1, 0],
    ],
  );
});

test("an upstream that cannot be reached is told, for tunnels and plain requests", async (t) => {
  const room = await proxyRoom(t, { decide: ({ port }) => (port === 1 ? "tunnel" : "intercept") });
  for (const text of [
    "CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET http://127.0.0.1:2/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  ]) {
    const client = await dialProxy(t, room.port);
    client.write(text);
    assert.match((await readAll(client)).bytes.toString(), /^HTTP\/1\.1 502 /);
  }
  assert.deepEqual(room.troubles, ["127.0.0.1:1: connection refused", "127.0.0.1:2: connection refused"]);
});

test("a server that breaks the handshake off is told in words", async (t) => {
  const room = await proxyRoom(t);
  const pair = await createCertificateFor(room.originAuthority)("127.0.0.1");
  const own = await loopbackCertificate(["client.test"], "client");
  const strict = { ...pair, ca: own.cert, requestCert: true, maxVersion: "TLSv1.2" } as const;
  const noTls = createServer(
    (socket) => void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
  );
  for (const origin of [createTls(strict), noTls]) {
    const port = await listening(t, origin);
    await secureTunnel(t, room, `127.0.0.1:${port}`).catch(() => undefined);
  }
  const [strictly = "", clearly = ""] = room.troubles.map((text) => text.replace(/^127\.0\.0\.1:[0-9]+: /, ""));
  assert.equal(strictly, "the upstream refused the TLS handshake; it may want a client certificate");
  assert.match(clearly, /^no TLS with the upstream \([a-z ]*wrong version number\)$/);
});

test("errors are told without numbers and places", () => {
  const tooMany = Object.assign(new Error("connect EMFILE 127.0.0.1:9081 - Local (undefined:undefined)"), {
    code: "EMFILE",
  });
  assert.equal(upstreamReason(tooMany), "too many open files");
  const raw =
    "805C8ADB657F0000:error:0A000126:SSL routines:ssl3_read_n:unexpected eof while reading:../ssl/record.c:1:\n";
  const ended = Object.assign(new Error(raw), { code: "ERR_SSL_UNEXPECTED_EOF_WHILE_READING" });
  assert.equal(upstreamReason(ended), "no TLS with the upstream (unexpected eof while reading)");
  assert.equal(clientReason(ended), "no TLS with the client (unexpected eof while reading)");
  assert.equal(upstreamReason(new Error("strange")), "strange");
});

for (const sink of [false, true]) {
  test(`a client that refuses our certificate is told with what mends it${sink ? " (sink)" : ""}`, async (t) => {
    const room = await proxyRoom(t, sink ? { sink: () => ({ status: 200, headers: [], body: Buffer.from("") }) } : {});
    const port = await tlsOrigin(t, room, (_, response) => response.end("ok"));
    const socket = await tunnel(t, room, `127.0.0.1:${port}`);
    const secured = connectTls({ socket, host: "127.0.0.1" }); // trusts only what Node does
    secured.on("error", () => undefined);
    await until(() => room.troubles.length > 0, "the message");
    assert.match(
      room.troubles[0] ?? "",
      /waymark's certificate; docs\/trust\.md says how to trust it, --bypass lets the host/,
    );
    const curl = await runProgram("curl", [
      "-sS",
      "-x",
      `http://127.0.0.1:${room.port}`,
      `https://127.0.0.1:${port}/`,
    ]).catch(() => undefined);
    if (curl === undefined) return; // no curl here
    await until(() => room.troubles.length > 1, "the second message");
    assert.equal(
      room.troubles[1],
      `127.0.0.1:${port}: the client refused waymark's certificate; ${
        sink
          ? "docs/trust.md says how to trust it, --bypass lets the host through"
          : "from now on the host is passed on unseen; docs/trust.md says how to trust it"
      }`,
    );
    assert.equal(room.proxy.hosts()[0]?.clientErrors, 2);
  });
}

test("clients that ask for something, and servers that leave, are no refusals", async (t) => {
  const room = await proxyRoom(t);
  const port = await tlsOrigin(t, room, (request, response) => {
    if (request.url === "/cut") request.socket.destroy();
    else response.end("ok");
  });
  for (const path of ["/", "/cut"]) {
    const socket = await tunnel(t, room, `127.0.0.1:${port}`);
    await new Promise<void>((resolve) => {
      const createConnection = () => connectTls({ socket, ca: room.authority.certPem, host: "127.0.0.1" });
      httpsRequest({ host: "127.0.0.1", path, createConnection }, (answer) =>
        answer.resume().on("end", () => resolve()),
      )
        .on("error", () => resolve())
        .end();
    });
    socket.destroy();
  }
  await room.proxy.close(100);
  assert.deepEqual(room.troubles, []);
  assert.equal(room.proxy.counts.clientErrors, 0);
});

test("memory for hosts and messages is bounded, and nothing goes uncounted", () => {
  const told: string[] = [];
  const counts = newCounts();
  const ledger = new HostLedger(counts, (text) => void told.push(text));
  for (let index = 0; index < 3000; index++) {
    ledger.trouble("upstream", { host: `h${index}`, port: 443 }, "no such host");
    ledger.count("unseen", { host: `h${index}`, port: 443 });
  }
  ledger.trouble("client", { host: "h0", port: 443 }, "x".repeat(10_000));
  const rows = ledger.rows();
  assert.equal(rows.length, 1001);
  assert.deepEqual([rows.at(-1)?.endpoint, rows.at(-1)?.unseen], ["other hosts", 2000]);
  assert.equal(
    rows.reduce((sum, { unseen }) => sum + unseen, 0),
    3000,
  );
  assert.equal(counts.upstreamErrors, 3000);
  assert.equal(told.length, 501);
  assert.match(told.at(-1) ?? "", /only counted/);
  assert.ok((rows[0]?.problem ?? "").length <= 300);
});

test("plain requests outside the scope are offered, bypassed ones are not, and both are forwarded", async (t) => {
  const offered: string[] = [];
  const room = await proxyRoom(t, {
    decide: ({ host }) => (host === "127.0.0.1" ? "tunnel" : "bypass"),
    onPassing: ({ target }, notRecorded) => {
      offered.push(target);
      if (target === "/ping") notRecorded();
    },
  });
  const port = await httpOrigin(
    t,
    (request, response) => void request.resume().on("end", () => response.end("got it")),
  );
  for (const url of [
    `http://127.0.0.1:${port}/ping`,
    `http://127.0.0.1:${port}/event`,
    `http://localhost:${port}/login`,
  ]) {
    const client = await dialProxy(t, room.port);
    client.write(`POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`);
    assert.match((await readAll(client)).bytes.toString(), /got it$/);
  }
  assert.deepEqual(offered, ["/ping", "/event"]);
  assert.deepEqual(room.exchanges, []);
  const { connections, plain, passed, requests } = room.proxy.counts;
  assert.deepEqual([connections, plain, passed, requests], [3, 3, 2, 3]);
  assert.deepEqual(
    room.proxy.hosts().map(({ endpoint, passed: count }) => [endpoint, count]),
    [
      [`127.0.0.1:${port}`, 1],
      [`localhost:${port}`, 1],
    ],
  );
});
