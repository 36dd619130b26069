import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { runChecks } from "../../cli/doctor-checks.ts";
import { findingsOf, looksLikeTelemetry } from "../../cli/host-findings.ts";
import type { HostSeen } from "../../cli/host-watch.ts";
import { startTestCollector } from "../support/collector.ts";
import { startProxy, waymark } from "../support/processes.ts";
import { connectThroughProxy } from "../support/replay.ts";
import { scratchFolder } from "../support/scratch.ts";

interface Report {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly level: string;
    readonly says: string;
    readonly fix?: string;
  }[];
}

test("doctor says of a broken marker folder what to do; --fix makes the authority", async (t) => {
  const folder = scratchFolder(t);
  const env = { WAYMARK_CA_DIR: join(folder, "ca"), HTTPS_PROXY: "http://user:secret@proxy.example:3128" };
  mkdirSync(join(folder, "markers"));
  writeFileSync(join(folder, "markers", "bad.yaml"), "waymark: 1\nscenario: bad\nmarkres: []\n");
  const first = await waymark(["doctor", "--json"], { cwd: folder, env });
  assert.equal(first.code, 1);
  const { ok, checks } = JSON.parse(first.stdout) as Report;
  const levelOf = (name: string) => checks.find((check) => check.name === name)?.level;
  assert.deepEqual(
    [ok, levelOf("markers"), levelOf("authority"), levelOf("outer proxy")],
    [false, "bad", "unsure", "unsure"],
  );
  assert.ok(!first.stdout.includes("secret"));
  for (const { level, fix } of checks) if (level === "bad") assert.ok(fix !== undefined);
  writeFileSync(join(folder, "markers", "bad.yaml"), "waymark: 1\nscenario: good\nmarkers: [{ event: a }]\n");
  const second = await waymark(["doctor", "--fix"], { cwd: folder, env });
  assert.equal(second.code, 0, second.stdout + second.stderr);
  assert.match(second.stdout, /✓ the certificate authority is valid until/);
});

test("a port that is taken is told, with its owner where the system says", async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const checks = await runChecks({ env: { WAYMARK_CA_DIR: scratchFolder(t) }, now: Date.now(), ports: [port] });
  const found = checks.find(({ name }) => name === `port ${port}`);
  assert.equal(found?.level, "unsure");
  if (process.platform === "linux") assert.match(found?.says ?? "", new RegExp(`process ${process.pid}`));
  const early = await runChecks({ env: { WAYMARK_CA_DIR: scratchFolder(t) }, now: 0, ports: [] });
  assert.equal(early.find(({ name }) => name === "clock")?.level, "bad");
});

const APP = `
import { request } from "node:https";
const body = '{"batch":[{"type":"track","event":"opened","messageId":"m1","userId":"u"}],"writeKey":"k"}';
await fetch("https://api.acme.example/v1/batch", { method: "POST", body });
await fetch("https://files.acme.example/a.txt");
await fetch("https://odd.acme.example/x", { method: "POST", body: "neither this nor that" });
await new Promise((resolve) => {
  const options = { host: "pinned.acme.example", port: 443, checkServerIdentity: () => new Error("pinned") };
  request(options, resolve).on("error", resolve).end();
});
await fetch("https://skip.acme.example/").catch(() => undefined);
`;

test("doctor --app says host by host what was decrypted, refused, bypassed and undecoded", async (t) => {
  const folder = scratchFolder(t);
  const names = ["api", "files", "odd", "pinned", "skip"].map((name) => `${name}.acme.example`);
  const collector = await startTestCollector(t, folder, names);
  writeFileSync(join(folder, "app.mjs"), APP);
  const maps = names.flatMap((name) => ["--map", `${name}=127.0.0.1:${collector.port}`]);
  const args = [
    "doctor",
    "--app",
    "--json",
    "--upstream-ca",
    collector.caFile,
    "--bypass",
    "skip.acme.example",
    ...maps,
  ];
  const { code, stdout, stderr } = await waymark([...args, "--", process.execPath, "app.mjs"], {
    cwd: folder,
    env: { WAYMARK_CA_DIR: join(folder, "ca") },
  });
  assert.equal(code, 1, stderr);
  const { hosts } = JSON.parse(stdout) as {
    hosts: { host: string; finding: string; formats: string[]; fix?: string }[];
  };
  assert.deepEqual(Object.fromEntries(hosts.map(({ host, finding }) => [host.split(".")[0], finding])), {
    api: "telemetry",
    files: "read",
    odd: "undecoded",
    pinned: "pinned",
    skip: "bypassed",
  });
  assert.deepEqual(hosts[0]?.formats, ["segment"]);
  assert.match(hosts.find(({ finding }) => finding === "pinned")?.fix ?? "", /docs\/trust\.md/);
});

test("proxy --discover names the hosts that look like telemetry, and the options for them", async (t) => {
  const folder = scratchFolder(t);
  const proxy = await startProxy(t, ["--discover", "--sink"], {
    cwd: folder,
    env: { WAYMARK_CA_DIR: join(folder, "ca") },
  });
  const ca = readFileSync(join(folder, "ca", "waymark-ca.pem"), "utf8");
  const body = '{"batch":[{"type":"track","event":"opened","messageId":"m1","userId":"u"}]}';
  for (const [host, text] of [
    ["t.acme.example", body],
    ["www.acme.example", "plain words"],
    ["api.segment.io", body],
  ] as const) {
    const connection = await connectThroughProxy(proxy.port, host, ca);
    const head = `POST /v1/batch HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${text.length}\r\n\r\n`;
    await connection.exchange(Buffer.from(head + text));
    connection.end();
  }
  const { stdout, code } = await proxy.stop();
  assert.equal(code, process.platform === "win32" ? code : 130);
  assert.match(stdout, /t\.acme\.example:443 +decrypted: 1 request, 1 event \(segment\)/);
  assert.match(stdout, /waymark proxy --host t\.acme\.example\n/, "a host known to carry telemetry needs no option");
});

function seen(more: Partial<HostSeen>): HostSeen {
  const none = {
    requests: 0,
    isDecrypted: false,
    events: 0,
    undecoded: 0,
    formats: [],
    bypassed: 0,
    unseen: 0,
    clientErrors: 0,
    upstreamErrors: 0,
    agents: [],
  };
  return { endpoint: "a.example:443", host: "a.example", ...none, ...more };
}

test("findings: what a host's counts mean, and whose variable made a client trust waymark", () => {
  const [read] = findingsOf([seen({ requests: 2, isDecrypted: true, agents: ["python-requests/2.31"] })]);
  assert.deepEqual([read?.finding, read?.trustedBy], ["read", "REQUESTS_CA_BUNDLE"]);
  const [closed] = findingsOf([seen({ host: "telemetry.a.example", clientErrors: 1 })]);
  assert.deepEqual([closed?.finding, closed && looksLikeTelemetry(closed)], ["pinned", true]);
  const [json] = findingsOf([seen({ requests: 1, events: 3, formats: ["json"] })]);
  assert.equal(json && looksLikeTelemetry(json), false, "any JSON is no telemetry yet");
});
