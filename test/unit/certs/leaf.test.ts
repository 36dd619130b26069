import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer as createHttps } from "node:https";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { connect, createServer } from "node:tls";
import { type Authority, openAuthority } from "../../../certs/authority.ts";
import { createCertificateFor, LEAF_MAX_DAYS } from "../../../certs/leaf.ts";
import { runProgram } from "../../support/processes.ts";
import { listening } from "../../support/room.ts";
import { scratchFolder } from "../../support/scratch.ts";

const DAY_MS = 86_400_000;
const LONG = `${"x".repeat(60)}.${"y".repeat(60)}.example.com`;
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

async function authorityOf(t: TestContext, now = Date.now()): Promise<Authority> {
  return (await openAuthority(scratchFolder(t), now)).authority;
}

test("openssl's strict check passes for names, addresses of both kinds and long names", {
  skip: !hasOpenssl && "no openssl",
}, async (t) => {
  const authority = await authorityOf(t);
  const certificateFor = createCertificateFor(authority);
  for (const [host, check] of [
    ["a.example.com", "-verify_hostname"],
    ["_x.ex-ample.com", "-verify_hostname"],
    [LONG, "-verify_hostname"],
    ["192.0.2.7", "-verify_ip"],
    ["2001:db8::7", "-verify_ip"],
  ] as const) {
    const file = join(authority.folder, "leaf.pem");
    writeFileSync(file, (await certificateFor(host)).cert);
    const args = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", authority.certFile, check, host, file];
    const { stdout, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
    assert.equal(stdout, `${file}: OK\n`, stderr);
  }
});

test("a leaf has just the fields a browser asks for", async (t) => {
  const authority = await authorityOf(t);
  const leaf = new X509Certificate((await createCertificateFor(authority)("Events.Example.COM.")).cert);
  assert.equal(leaf.subjectAltName, "DNS:events.example.com");
  assert.match(leaf.subject, /CN=events\.example\.com/);
  assert.deepEqual(leaf.keyUsage, ["1.3.6.1.5.5.7.3.1"]); // extended key usage: serverAuth
  assert.equal(leaf.ca, false);
  assert.ok(leaf.checkIssued(new X509Certificate(authority.certPem)));
  assert.match(leaf.serialNumber, /^[4-7][0-9A-F]{31}$/, "16 bytes, the highest bit clear");
  const days = (Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)) / DAY_MS;
  assert.ok(days <= LEAF_MAX_DAYS && days > 390, String(days));
  assert.ok(Date.parse(leaf.validFrom) < Date.now() - 0.9 * DAY_MS, "for clocks that are behind");
});

test("a leaf never outlives its authority", async (t) => {
  const authority = await authorityOf(t, Date.now() - 1700 * DAY_MS);
  const leaf = new X509Certificate((await createCertificateFor(authority)("a.example")).cert);
  assert.equal(Date.parse(leaf.validTo), authority.notAfter.getTime());
});

test("a host is issued once, all share one key, and the cache stays bounded", async (t) => {
  const certificateFor = createCertificateFor(await authorityOf(t));
  const first = await certificateFor("a.example");
  assert.equal(await certificateFor("A.example"), first);
  for (let index = 0; index < 1024; index += 1)
    assert.equal((await certificateFor(`h${index}.example`)).key, first.key);
  assert.notEqual(await certificateFor("a.example"), first, "the eldest made room");
});

test("what is no name is refused", async (t) => {
  const certificateFor = createCertificateFor(await authorityOf(t));
  for (const host of ["", "../../x", "a b", "a\0b", `${"a.".repeat(200)}b`, "[::1]", "-x", "a..b"]) {
    await assert.rejects(certificateFor(host), TypeError, JSON.stringify(host));
  }
  assert.match(
    new X509Certificate((await certificateFor("bücher.example")).cert).subjectAltName ?? "",
    /^DNS:xn--bcher-kva\.example$/,
  );
});

test("Node's TLS client takes it for a name and for an address of IPv6", async (t) => {
  const authority = await authorityOf(t);
  const certificateFor = createCertificateFor(authority);
  for (const [servername, host] of [
    ["a.example", "a.example"],
    ["", "::1"],
  ] as const) {
    const server = createServer(await certificateFor(host), (socket) => socket.end());
    const port = await listening(t, server);
    const client = connect({
      port,
      host: "127.0.0.1",
      servername,
      ca: authority.certPem,
      checkServerIdentity: () => undefined,
    });
    await once(client, "secureConnect");
    assert.equal(client.authorized, true);
    assert.equal(
      client.getPeerCertificate(true).issuerCertificate.fingerprint256,
      authority.fingerprint,
      "the chain is sent",
    );
    client.destroy();
  }
});

test("curl takes it", { skip: !hasCurl && "no curl" }, async (t) => {
  const authority = await authorityOf(t);
  const server = createHttps(await createCertificateFor(authority)("127.0.0.1"), (_, response) => response.end("fine"));
  const port = await listening(t, server);
  const args = ["-sS", "-q", "--noproxy", "*", "--cacert", authority.certFile, `https://127.0.0.1:${port}/`];
  assert.equal((await runProgram("curl", args)).stdout, "fine");
});
