import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { CHROMIUM } from "../support/chromium.ts";
import { needs, stageLaunch } from "../support/launched-client.ts";
import { runProgram, waymark } from "../support/processes.ts";
import { MAIN } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";
import { pageThatSends } from "../support/sending-page.ts";

/** A mount namespace of its own, in which a test may change the system's roots without this machine noticing. */
const NEEDS_NAMESPACE = needs("unshare", "-m", "sh", "-c", "command -v update-ca-certificates && command -v openssl");
const NEEDS_NSS = needs("sh", "-c", "command -v certutil");

test("path and show say where the authority is, and what it is", async (t) => {
  const folder = scratchFolder(t);
  const env = { WAYMARK_CA_DIR: join(folder, "ca"), HOME: folder };
  const path = (await waymark(["ca", "path"], { env })).stdout.trim();
  const { fingerprint256 } = new X509Certificate(readFileSync(path));
  const shown = await waymark(["ca"], { env });
  assert.ok(shown.stdout.includes(fingerprint256), shown.stdout);
  const { stores } = JSON.parse((await waymark(["ca", "show", "--json"], { env })).stdout) as {
    stores: readonly { id: string; trusted: boolean }[];
  };
  assert.ok(stores.every(({ trusted }) => !trusted));
});

test("trust asks first: without a terminal and without a yes nothing is run", async (t) => {
  const folder = scratchFolder(t);
  const env = { WAYMARK_CA_DIR: join(folder, "ca"), HOME: folder };
  const dry = await waymark(["ca", "trust", "--dry-run"], { env });
  assert.equal(dry.code, 0, dry.stderr);
  const said = await waymark(["ca", "trust"], { env });
  if (!said.stderr.includes("no store")) assert.match(said.stderr, /WM_CERTS_NOT_ASKED/);
  assert.equal(existsSync(join(folder, "ca", "trusted.json")), false);
  assert.equal(existsSync(join(folder, ".pki")), false);
  assert.equal((await waymark(["ca", "untrust"], { env })).code, 0, "there is nothing to take out");
});

test(
  "trust puts the authority into the system's roots, rotate replaces it there, untrust takes it out",
  NEEDS_NAMESPACE,
  async (t) => {
    const folder = scratchFolder(t);
    cpSync("/etc/ssl", join(folder, "ssl"), { recursive: true, verbatimSymlinks: true });
    mkdirSync(join(folder, "local"));
    const script = `set -e
mount --bind "$1/ssl" /etc/ssl
mount --bind "$1/local" /usr/local/share/ca-certificates
node="$2"; main="$3"
ca() { "$node" "$main" ca "$@"; }
update-ca-certificates --fresh
cp -a /etc/ssl "$1/before"
ca trust -y --store system
cp "$(ca path)" "$1/first.pem"
openssl verify -no-CAfile -CApath /etc/ssl/certs "$1/first.pem"
openssl verify -no-CApath -CAfile /etc/ssl/certs/ca-certificates.crt "$1/first.pem"
ca show --json > "$1/show.json"
ca rotate -y
cp "$(ca path)" "$1/second.pem"
openssl verify -no-CApath -CAfile /etc/ssl/certs/ca-certificates.crt "$1/second.pem"
! openssl verify -no-CApath -CAfile /etc/ssl/certs/ca-certificates.crt "$1/first.pem"
ca untrust -y
! openssl verify -no-CApath -CAfile /etc/ssl/certs/ca-certificates.crt "$1/second.pem"
cmp "$1/before/certs/ca-certificates.crt" /etc/ssl/certs/ca-certificates.crt
ls /usr/local/share/ca-certificates > "$1/left"
`;
    const file = join(folder, "in-a-namespace.sh");
    writeFileSync(file, script);
    const env = { WAYMARK_CA_DIR: join(folder, "ca"), HOME: folder };
    const said = await runProgram("unshare", ["-m", "sh", file, folder, process.execPath, MAIN], { env });
    assert.equal(said.code, 0, said.stdout + said.stderr);
    const { stores } = JSON.parse(readFileSync(join(folder, "show.json"), "utf8")) as {
      stores: readonly { id: string; trusted: boolean }[];
    };
    assert.equal(stores.find(({ id }) => id === "system")?.trusted, true);
    assert.equal(readFileSync(join(folder, "left"), "utf8"), "");
    assert.deepEqual(readdirSync(join(folder, "ca", "trusted")), []);
  },
);

test(
  "trust puts the authority into NSS, where Chromium finds it; untrust takes it out",
  CHROMIUM === undefined ? { skip: "no Chromium is installed" } : NEEDS_NSS,
  async (t) => {
    const stage = await stageLaunch(t);
    const page = await pageThatSends(t, "nss");
    const home = join(stage.folder, "home");
    mkdirSync(home);
    const env = { WAYMARK_CA_DIR: join(stage.folder, "ca folder"), HOME: home };
    const trusted = await waymark(["ca", "trust", "-y", "--store", "nss"], { env });
    assert.equal(trusted.code, 0, trusted.stderr);
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${join(stage.folder, "profile")}`];
    const proxy = [`--proxy-server=${stage.proxyUrl}`, "--proxy-bypass-list=<-loopback>"];
    const sent = stage.collector.nextPost();
    const browser = stage.start([CHROMIUM ?? "", ...flags, ...proxy, page], { HOME: home });
    await Promise.race([sent, browser.ended]);
    await browser.stop("it was sent");
    assert.deepEqual(await stage.events(), ["nss"]);
    const untrusted = await waymark(["ca", "untrust", "-y"], { env });
    assert.equal(untrusted.code, 0, untrusted.stderr);
    const listed = await runProgram("certutil", ["-L", "-d", `sql:${join(home, ".pki", "nssdb")}`]);
    assert.doesNotMatch(listed.stdout, /waymark/);
    // taken out by hand meanwhile: no reason to fail
    await waymark(["ca", "trust", "-y", "--store", "nss"], { env });
    const label = /^(waymark local CA \S+)/m.exec(
      (await runProgram("certutil", ["-L", "-d", `sql:${join(home, ".pki", "nssdb")}`])).stdout,
    )?.[1];
    await runProgram("certutil", ["-D", "-d", `sql:${join(home, ".pki", "nssdb")}`, "-n", label ?? ""]);
    assert.equal((await waymark(["ca", "untrust", "-y"], { env })).code, 0);
  },
);

test("a store that refuses is told with what it said, and nothing is noted", NEEDS_NSS, async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, ".pki"), "no folder");
  const env = { WAYMARK_CA_DIR: join(folder, "ca"), HOME: folder };
  const said = await waymark(["ca", "trust", "-y", "--store", "nss"], { env });
  assert.match(said.stderr, /WM_CERTS_STORE[\s\S]*mkdir/);
  assert.equal(said.code, 3);
  assert.equal(existsSync(join(folder, "ca", "trusted.json")), false);
});
