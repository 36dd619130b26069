import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { openAuthority } from "../../../certs/authority.ts";
import { WaymarkError } from "../../../proxy/record/fault.ts";
import { PROJECT } from "../../support/project.ts";
import { scratchFolder } from "../../support/scratch.ts";

const DAY_MS = 86_400_000;
const posix = { skip: process.platform === "win32" && "file modes are POSIX" };

function keyFile(folder: string): string {
  const name = readdirSync(folder).find((file) => file.endsWith(".key.pem"));
  assert.ok(name);
  return join(folder, name);
}

async function codeOf(folder: string): Promise<string> {
  try {
    await openAuthority(folder);
    return "no fault";
  } catch (error) {
    return error instanceof WaymarkError ? error.code : String(error);
  }
}

test("an authority is made once and then loaded, the same by every measure", async (t) => {
  const folder = join(scratchFolder(t), "deep", "ca");
  const first = await openAuthority(folder);
  const second = await openAuthority(folder);
  assert.deepEqual([first.event, second.event], ["created", "loaded"]);
  const parsed = new X509Certificate(readFileSync(first.authority.certFile));
  assert.equal(second.authority.fingerprint, parsed.fingerprint256);
  assert.equal(second.authority.certPem, first.authority.certPem);
  assert.equal(parsed.ca, true);
  assert.equal(parsed.issuer, parsed.subject);
  assert.ok(parsed.verify(parsed.publicKey));
  assert.equal(parsed.publicKey.asymmetricKeyDetails?.namedCurve, "prime256v1");
  assert.equal(new Date(parsed.validTo).getTime(), first.authority.notAfter.getTime());
});

test("folder and key are closed to others from the beginning, whatever the umask", posix, async (t) => {
  const folder = join(scratchFolder(t), "ca");
  const umask = process.umask(0o000);
  t.after(() => process.umask(umask));
  await openAuthority(folder);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(keyFile(folder)).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder).sort(), ["waymark-ca-1.key.pem", "waymark-ca.pem"]);
});

test("a key that others can read, and a folder they can write into, are refused", posix, async (t) => {
  const folder = scratchFolder(t);
  await openAuthority(folder);
  chmodSync(keyFile(folder), 0o644);
  assert.equal(await codeOf(folder), "WM_CERTS_KEY_EXPOSED");
  chmodSync(keyFile(folder), 0o600);
  chmodSync(folder, 0o777);
  assert.equal(await codeOf(folder), "WM_CERTS_KEY_EXPOSED");
  chmodSync(folder, 0o700);
  assert.equal(await codeOf(folder), "no fault");
});

/** The text with one character of its base64 changed. */
function flipped(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
}

test("damage in any form is named, never repaired by a new key behind the user's back", async (t) => {
  const folder = scratchFolder(t);
  const other = scratchFolder(t);
  await openAuthority(folder);
  await openAuthority(other);
  const whole = readFileSync(keyFile(folder), "utf8");
  const certificateOfOther = readFileSync(join(other, "waymark-ca.pem"), "utf8");
  const damaged = [
    "",
    whole.slice(0, 300),
    whole.replace(/CERTIFICATE/g, "NOTHING"),
    flipped(whole, whole.lastIndexOf("-----END CERTIFICATE") - 20),
    whole.slice(0, whole.indexOf("-----BEGIN CERTIFICATE")) + certificateOfOther,
  ];
  for (const text of damaged) {
    writeFileSync(keyFile(folder), text);
    assert.equal(await codeOf(folder), "WM_CERTS_UNREADABLE", text.slice(-40));
  }
  writeFileSync(keyFile(folder), whole);
  assert.equal(await codeOf(folder), "no fault");
});

test("a folder that cannot be made is named", async (t) => {
  const file = join(scratchFolder(t), "file");
  writeFileSync(file, "");
  assert.equal(await codeOf(join(file, "ca")), "WM_CERTS_UNWRITABLE");
});

test("a key file that is a dangling link or a folder is unreadable", posix, async (t) => {
  const dangling = scratchFolder(t);
  symlinkSync("nowhere", join(dangling, "waymark-ca-1.key.pem"));
  assert.equal(await codeOf(dangling), "WM_CERTS_UNREADABLE");
  const folder = scratchFolder(t);
  mkdirSync(join(folder, "waymark-ca-1.key.pem"), { mode: 0o700 });
  assert.equal(await codeOf(folder), "WM_CERTS_UNREADABLE");
});

test("a pipe in the place of the key or of the certificate is refused, and never waited for", posix, async (t) => {
  const keyIsPipe = join(scratchFolder(t), "ca");
  await openAuthority(keyIsPipe);
  const pipe = keyFile(keyIsPipe);
  rmSync(pipe);
  assert.equal(spawnSync("mkfifo", ["-m", "600", pipe]).status, 0);
  assert.equal(await codeOf(keyIsPipe), "WM_CERTS_UNREADABLE");
  const certIsPipe = join(scratchFolder(t), "ca");
  const { authority } = await openAuthority(certIsPipe);
  rmSync(authority.certFile);
  assert.equal(spawnSync("mkfifo", [authority.certFile]).status, 0);
  assert.equal(await codeOf(certIsPipe), "WM_CERTS_UNWRITABLE");
});

test("a folder in the place of the key is named as such, whatever its mode", posix, async (t) => {
  const folder = join(scratchFolder(t), "ca");
  await openAuthority(folder);
  const key = keyFile(folder);
  rmSync(key);
  mkdirSync(key, { mode: 0o755 });
  assert.equal(await codeOf(folder), "WM_CERTS_UNREADABLE");
});

test("a folder of this user's that others can look into is closed to them", posix, async (t) => {
  const folder = join(scratchFolder(t), "ca");
  await openAuthority(folder);
  chmodSync(folder, 0o755);
  assert.equal(await codeOf(folder), "no fault");
  assert.equal(statSync(folder).mode & 0o777, 0o700);
});

const asRoot = { skip: process.getuid?.() !== 0 && "only root can give a folder away" };

test("a folder of another user's that others can look into is refused", asRoot, async (t) => {
  const folder = join(scratchFolder(t), "ca");
  await openAuthority(folder);
  chmodSync(folder, 0o755);
  chownSync(folder, 12_345, 12_345);
  assert.equal(await codeOf(folder), "WM_CERTS_KEY_EXPOSED");
});

test("an authority within 30 days of its end is renewed, and the old key is gone", async (t) => {
  const folder = scratchFolder(t);
  const made = await openAuthority(folder, Date.now() - 1800 * DAY_MS);
  const renewed = await openAuthority(folder);
  assert.equal(renewed.event, "renewed");
  assert.notEqual(renewed.authority.fingerprint, made.authority.fingerprint);
  assert.deepEqual(readdirSync(folder).sort(), ["waymark-ca-2.key.pem", "waymark-ca.pem"]);
  assert.equal(readFileSync(renewed.authority.certFile, "utf8"), renewed.authority.certPem);
  assert.equal((await openAuthority(folder)).event, "loaded");
});

const OPEN = `import { openAuthority } from ${JSON.stringify(pathToFileURL(join(PROJECT, "dist/certs/authority.js")).href)};
const { authority, event } = await openAuthority(process.argv[1]);
process.stdout.write(authority.fingerprint + " " + event);`;

async function openElsewhere(t: TestContext, folder: string): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", OPEN, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill());
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(child, "close");
  return Buffer.concat(chunks).toString();
}

test("four processes that start at once agree on one authority, and one of them made it", async (t) => {
  const folder = join(scratchFolder(t), "ca");
  const told = await Promise.all(Array.from({ length: 4 }, () => openElsewhere(t, folder)));
  const { authority } = await openAuthority(folder);
  assert.deepEqual(new Set(told.map((line) => line.split(" ")[0])), new Set([authority.fingerprint]));
  assert.equal(told.filter((line) => line.endsWith("created")).length, 1);
  assert.equal(existsSync(join(folder, "waymark-ca-2.key.pem")), false);
});
