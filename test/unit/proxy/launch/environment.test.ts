import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import test, { type TestContext } from "node:test";
import { openAuthority } from "../../../../certs/authority.ts";
import { pemCertificates, writeBundle } from "../../../../certs/bundle.ts";
import { launchEnvironment, programVariables } from "../../../../proxy/launch/index.ts";
import { javaTrustStore, STORE_PASSWORD } from "../../../../proxy/launch/java-trust-store.ts";
import { scratchFolder } from "../../../support/scratch.ts";

async function trust(t: TestContext) {
  const { authority } = await openAuthority(join(scratchFolder(t), "ca folder"));
  return { proxyUrl: "http://127.0.0.1:8899", certFile: authority.certFile, bundleFile: writeBundle(authority) };
}

async function variables(t: TestContext, base: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  return Object.fromEntries(programVariables({ ...(await trust(t)), base }));
}

test("what replaces a trust store gets the bundle, what adds to it the authority, and NO_PROXY hides nothing", async (t) => {
  const paths = await trust(t);
  const set = new Map(programVariables({ ...paths, base: { SSL_CERT_FILE: "/corp.pem", NO_PROXY: "localhost" } }));
  for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "WS_PROXY", "WSS_PROXY", "grpc_proxy"])
    assert.equal(set.get(name), paths.proxyUrl, name);
  for (const name of ["NO_PROXY", "no_proxy", "no_grpc_proxy"]) assert.equal(set.get(name), "");
  for (const name of ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]) assert.equal(set.get(name), paths.certFile);
  const replacing =
    "SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO AWS_CA_BUNDLE CARGO_HTTP_CAINFO PERL_LWP_SSL_CA_FILE GRPC_DEFAULT_SSL_ROOTS_FILE_PATH PIP_CERT NIX_SSL_CERT_FILE HTTPLIB2_CA_CERTS CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE npm_config_cafile";
  for (const name of replacing.split(" ")) assert.equal(set.get(name), paths.bundleFile, name);
});

test("Node keeps an organisation's roots and the user's own options", async (t) => {
  const { NODE_EXTRA_CA_CERTS, NODE_OPTIONS } = await variables(t, {
    NODE_EXTRA_CA_CERTS: "/corp.pem",
    NODE_OPTIONS: '--require "/a b/own.cjs" --max-old-space-size=512',
  });
  assert.match(NODE_EXTRA_CA_CERTS ?? "", /waymark-bundle\.pem$/);
  assert.match(
    NODE_OPTIONS ?? "",
    /^--require "\/a b\/own\.cjs" --max-old-space-size=512 --require ".*\/preload\.cjs"$/,
  );
});

test("JAVA_TOOL_OPTIONS is added to, with the store's path as one word", async (t) => {
  const { JAVA_TOOL_OPTIONS: options = "" } = await variables(t, { JAVA_TOOL_OPTIONS: "-Xmx1g" });
  assert.match(
    options,
    /^-Xmx1g -Dhttp\.proxyHost=127\.0\.0\.1 -Dhttp\.proxyPort=8899 -Dhttps\.proxyHost=127\.0\.0\.1 /,
  );
  assert.match(options, /"-Djavax\.net\.ssl\.trustStore=.*ca folder.waymark-bundle\.jks"/);
});

test("a launch gets its own temporary folder, and the extra variables win", async (t) => {
  const folder = scratchFolder(t);
  const base = { PATH: process.env["PATH"], ABSENT: undefined, HTTP_PROXY: "http://corp:3128" };
  const extra = { WAYMARK_RUN_ID: "01K", HTTP_PROXY: "http://run@127.0.0.1:1" };
  const { env, temporary } = launchEnvironment({ ...(await trust(t)), base, folder, extra });
  for (const name of ["TMPDIR", "TMP", "TEMP"]) assert.equal(env[name], temporary);
  assert.ok(statSync(temporary).isDirectory());
  assert.deepEqual([env["WAYMARK_RUN_ID"], env["HTTP_PROXY"]], ["01K", "http://run@127.0.0.1:1"]);
  assert.equal("ABSENT" in env, false);
  assert.equal(base.HTTP_PROXY, "http://corp:3128");
});

test("a run's folder deep in the disk still leaves room for a socket's path", {
  skip: process.platform === "win32" && "POSIX sockets",
}, async (t) => {
  const folder = join(scratchFolder(t), "a".repeat(80));
  const order = { ...(await trust(t)), base: {}, folder, extra: {} };
  const { temporary } = launchEnvironment(order);
  t.after(() => rmSync(temporary, { recursive: true }));
  assert.ok(temporary.length + "/com.google.Chrome.XXXXXX/SingletonSocket".length < 104, temporary);
  assert.notEqual(launchEnvironment({ ...order, folder: join(folder, "other") }).temporary, temporary);
});

test("browsers in PATH, and those that variables name, get a wrapper that adds only what is not given", {
  skip: process.platform === "win32" && "the wrappers are sh scripts",
}, async (t) => {
  const bin = scratchFolder(t);
  const said = '#!/bin/sh\nfor argument; do printf "%s\\n" "$argument"; done\n';
  for (const name of ["google-chrome", "my chrome"]) writeFileSync(join(bin, name), said, { mode: 0o755 });
  const base = {
    PATH: [bin, "/usr/bin", "/bin"].join(delimiter),
    CHROME_BIN: join(bin, "my chrome"),
    CHROME_PATH: "/absent",
  };
  const order = { ...(await trust(t)), base, folder: join(scratchFolder(t), "it's a run"), extra: {}, evidence: true };
  const { env, profiles } = launchEnvironment(order);
  const start = (name: string, ...args: string[]): string[] =>
    spawnSync(name, args, { env, encoding: "utf8" }).stdout.trimEnd().split("\n").sort();
  const plain = start("google-chrome", "a b", "https://x/?a=b");
  assert.ok(
    plain.includes("--proxy-server=http://127.0.0.1:8899") && plain.includes("--proxy-bypass-list=<-loopback>"),
  );
  assert.ok(plain.includes("--remote-debugging-port=0") && plain.includes("a b") && plain.includes("https://x/?a=b"));
  const profile =
    plain.find((argument) => argument.startsWith("--user-data-dir="))?.slice("--user-data-dir=".length) ?? "";
  assert.ok(profile.startsWith(profiles) && statSync(profile).isDirectory());
  const own = start(
    env["CHROME_BIN"] ?? "",
    "--proxy-server=http://corp:1",
    "--user-data-dir=/mine",
    "--remote-debugging-pipe",
  );
  assert.deepEqual(
    own.filter((argument) => /proxy-server|user-data-dir|debugging/.test(argument)),
    ["--proxy-server=http://corp:1", "--remote-debugging-pipe", "--user-data-dir=/mine"],
  );
  assert.equal(env["CHROME_PATH"], "/absent");
});

test("keytool reads the Java store, and finds the certificates in it", {
  skip: spawnSync("keytool", ["-help"]).status !== 0 && "no keytool here",
}, async (t) => {
  const { bundleFile } = await trust(t);
  const pems = pemCertificates(readFileSync(bundleFile, "utf8")).slice(0, 3);
  const file = join(scratchFolder(t), "store.jks");
  writeFileSync(file, javaTrustStore([...pems, "no certificate"]));
  const list = ["-list", "-rfc", "-keystore", file, "-storepass", STORE_PASSWORD];
  const { stdout } = spawnSync("keytool", list, { encoding: "utf8" });
  const plain = (pem: string): string => pem.replace(/\s/g, "");
  assert.deepEqual(pemCertificates(stdout).map(plain).sort(), pems.map(plain).sort());
  assert.match(stdout, /Keystore type: JKS/i);
});
