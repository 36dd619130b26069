import assert from "node:assert/strict";
import test from "node:test";
import { trustStores } from "../../../certs/stores/index.ts";
import { asRun, commandLine } from "../../../certs/stores/perform.ts";
import type { StoreSurroundings } from "../../../certs/stores/store.ts";

const CERTIFICATE = { file: "/ca/trusted/ab.pem", label: "waymark local CA 1a2b3c4d", sha1: "AB".repeat(20) };

/** A machine of any kind: what is on it is said, nothing is looked up. */
function machine(changes: Partial<StoreSurroundings> & { there?: readonly string[]; programs?: readonly string[] }) {
  const { there = [], programs = [], ...rest } = changes;
  return trustStores({
    platform: "linux",
    home: "/home/ann",
    env: {},
    isThere: (path) => there.includes(path),
    hasProgram: (name) => programs.includes(name),
    list: () => [],
    ...rest,
  });
}

function lines(found: ReturnType<typeof machine>): readonly string[] {
  return found.stores.flatMap((store) =>
    [...store.add(CERTIFICATE), ...store.remove(CERTIFICATE)].map((one) => commandLine(asRun(one, 1000))),
  );
}

// The commands are those of the vendors' documentation: update-ca-certificates(8), trust(1), certutil of NSS,
// security(1) of macOS, certutil of Windows.

test("Debian: a copy among the local roots, made known; undone by removing it", () => {
  const found = machine({ there: ["/usr/local/share/ca-certificates"], programs: ["update-ca-certificates"] });
  const copy = "/usr/local/share/ca-certificates/waymark-local-CA-1a2b3c4d.crt";
  assert.deepEqual(lines(found), [
    `sudo install -m 644 /ca/trusted/ab.pem ${copy}`,
    "sudo update-ca-certificates",
    `sudo rm -f ${copy}`,
    "sudo update-ca-certificates --fresh",
  ]);
  assert.match(found.hints.join(), /libnss3-tools/);
});

test("Fedora and Arch: p11-kit's trust", () => {
  assert.deepEqual(lines(machine({ programs: ["trust"] })), [
    "sudo trust anchor --store /ca/trusted/ab.pem",
    "sudo trust anchor --remove /ca/trusted/ab.pem",
  ]);
});

test("NSS: the shared database is made when it is not there; each Firefox profile is a store", () => {
  const profile = "/home/ann/.mozilla/firefox/x.default";
  const found = machine({
    programs: ["certutil"],
    there: [`${profile}/cert9.db`],
    list: (folder) => (folder === "/home/ann/.mozilla/firefox" ? ["x.default", "profiles.ini"] : []),
  });
  assert.deepEqual(
    found.stores.map(({ id }) => id),
    ["nss", `nss:${profile}`],
  );
  assert.deepEqual(lines(found).slice(0, 4), [
    "mkdir -p /home/ann/.pki/nssdb",
    "certutil -N -d sql:/home/ann/.pki/nssdb --empty-password",
    "certutil -A -d sql:/home/ann/.pki/nssdb -t C,, -n 'waymark local CA 1a2b3c4d' -i /ca/trusted/ab.pem",
    "certutil -D -d sql:/home/ann/.pki/nssdb -n 'waymark local CA 1a2b3c4d'",
  ]);
  assert.equal(lines(found).length, 6, "a profile's own database is there");
});

test("macOS and Windows: this user's own store, without the administrator", () => {
  const keychain = "/Users/ann/Library/Keychains/login.keychain-db";
  assert.deepEqual(lines(machine({ platform: "darwin", home: "/Users/ann" })), [
    `security add-trusted-cert -r trustRoot -k ${keychain} /ca/trusted/ab.pem`,
    "security remove-trusted-cert /ca/trusted/ab.pem",
    `security delete-certificate -Z ${CERTIFICATE.sha1} ${keychain}`,
  ]);
  const certutil = "C:\\Windows\\System32\\certutil.exe";
  assert.deepEqual(lines(machine({ platform: "win32", env: { SystemRoot: "C:\\Windows" } })), [
    `${certutil} -user -addstore Root /ca/trusted/ab.pem`,
    `${certutil} -user -delstore Root ${CERTIFICATE.sha1}`,
  ]);
});

test("a machine without any of it has no store, and says what would help", () => {
  const { stores, hints } = machine({});
  assert.deepEqual([stores.length, hints.length], [0, 2]);
  assert.equal(machine({ platform: "aix" }).hints.length, 1);
});
