import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createSecureContext, rootCertificates } from "node:tls";
import { openAuthority } from "../../../certs/authority.ts";
import { isCertificateText, pemCertificates, trustedRoots, writeBundle } from "../../../certs/bundle.ts";
import { authorityFolder } from "../../../certs/location.ts";
import { publicKeyPin, renderVariables, type Shell } from "../../../certs/trust.ts";
import { scratchFolder } from "../../support/scratch.ts";

test("the authority is kept where each system keeps a program's data, never in the project", () => {
  const at = (platform: NodeJS.Platform, environment: Record<string, string>, home: string): string =>
    authorityFolder({ platform, environment, home });
  assert.equal(at("linux", {}, "/home/ann"), "/home/ann/.local/share/waymark/ca");
  assert.equal(at("linux", { XDG_DATA_HOME: "/data" }, "/home/ann"), "/data/waymark/ca");
  assert.equal(at("linux", { XDG_DATA_HOME: "relative" }, "/home/ann"), "/home/ann/.local/share/waymark/ca");
  assert.equal(at("darwin", {}, "/Users/ann"), "/Users/ann/Library/Application Support/waymark/ca");
  assert.equal(at("win32", { LOCALAPPDATA: "C:\\L" }, "C:\\Users\\ann"), "C:\\L\\waymark\\ca");
  assert.equal(at("win32", {}, "C:\\Users\\ann"), "C:\\Users\\ann\\AppData\\Local\\waymark\\ca");
  for (const system of ["linux", "darwin", "win32"] as const)
    assert.equal(at(system, { WAYMARK_CA_DIR: "/x" }, "/h"), "/x");
});

test("the bundle holds every root once, the authority among them, and OpenSSL reads it", async (t) => {
  const { authority } = await openAuthority(scratchFolder(t));
  const extra = (await openAuthority(scratchFolder(t))).authority;
  const roots = trustedRoots({
    SSL_CERT_FILE: extra.certFile,
    CURL_CA_BUNDLE: join(authority.folder, "absent.pem"),
    AWS_CA_BUNDLE: "",
  });
  const file = writeBundle(authority, roots);
  const blocks = pemCertificates(readFileSync(file, "utf8"));
  assert.equal(blocks[0], authority.certPem.trim());
  assert.ok(blocks.includes(extra.certPem.trim()), "an organisation's own root is kept");
  assert.equal(new Set(blocks.map((block) => block.replace(/\s/g, ""))).size, blocks.length);
  assert.ok(rootCertificates.every((root) => roots.includes(root.trim())));
  createSecureContext({ ca: blocks });
  assert.equal(writeBundle(authority, roots), file, "again changes nothing");
});

test("a certificate text is one that parses to the end", async (t) => {
  const { authority } = await openAuthority(scratchFolder(t));
  assert.equal(isCertificateText(authority.certPem), true);
  assert.equal(isCertificateText(`${authority.certPem}\n${authority.certPem}`), true);
  assert.equal(isCertificateText(authority.certPem.replace(/^MII.{10}/m, "MIIAAAAAAAAAA")), false);
  for (const text of ["", "hello", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"])
    assert.equal(isCertificateText(text), false);
});

const HARD = `it's "x" $HOME \`id\` \\ %PATH% ‘’ !é`;
const INTERPRETERS: Readonly<Record<Exclude<Shell, "cmd">, (file: string) => [string, string[]]>> = {
  bash: (file) => ["bash", ["-c", `. '${file}'; printf %s "$HARD"`]],
  zsh: (file) => ["zsh", ["-c", `. '${file}'; printf %s "$HARD"`]],
  fish: (file) => ["fish", ["-c", `source '${file}'; printf %s $HARD`]],
  pwsh: (file) => ["pwsh", ["-NoProfile", "-c", `. '${file}'; [Console]::Out.Write($env:HARD)`]],
};

for (const [shell, command] of Object.entries(INTERPRETERS)) {
  const isHere = spawnSync(shell, ["--version"]).status === 0;
  test(`${shell} reads back what was written for it`, { skip: !isHere && `no ${shell} here` }, (t) => {
    const file = join(scratchFolder(t), shell === "pwsh" ? "vars.ps1" : "vars");
    writeFileSync(file, renderVariables([["HARD", HARD]], shell as Shell));
    const [program, args] = command(file);
    assert.equal(spawnSync(program, args, { encoding: "utf8" }).stdout, HARD);
  });
}

test("every shell's quoting, byte for byte", () => {
  const pairs = [
    ["A", "x y'z"],
    ["B", ""],
  ] as const;
  assert.equal(renderVariables(pairs, "zsh"), "export A='x y'\\''z'\nexport B=''\n");
  assert.equal(renderVariables(pairs, "fish"), "set -gx A 'x y\\'z'\nset -gx B ''\n");
  assert.equal(renderVariables(pairs, "pwsh"), "$env:A = 'x y''z'\n$env:B = ''\n");
  assert.equal(renderVariables([["A", "C:\\a b\\100%.pem"]], "cmd"), 'set "A=C:\\a b\\100%%.pem"\n');
});

test("Chromium's pin of a key is what OpenSSL computes", {
  skip: spawnSync("openssl", ["version"]).status !== 0 && "no openssl here",
}, async (t) => {
  const { authority } = await openAuthority(scratchFolder(t));
  const pipe = `openssl x509 -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64`;
  const { stdout } = spawnSync("sh", ["-c", pipe], { input: authority.certPem, encoding: "utf8" });
  assert.equal(publicKeyPin(authority.certPem), stdout.trim());
});
