import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { startCollector } from "../../../examples/chat/collector.ts";
import { DEFAULT_SEED, demoCommand, TELEMETRY_HOST } from "../../../examples/chat/command.ts";
import { loopbackCertificate } from "../../support/certificate.ts";
import { scratchFolder } from "../../support/scratch.ts";

type Event = Readonly<Record<string, unknown>>;

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A collector with the certificate the app asks for, and what it has received. */
async function collectorFor(t: TestContext) {
  const { key, cert } = await loopbackCertificate([TELEMETRY_HOST]);
  const folder = scratchFolder(t);
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, cert);
  const events: Event[] = [];
  const collector = await startCollector({ key, cert, onEvent: (event) => events.push(event) });
  t.after(() => collector.close());
  return { collector, events, caFile, folder };
}

function finish(command: string, args: readonly string[], env: Record<string, string>): Promise<Finished> {
  const quiet = { HTTPS_PROXY: "", https_proxy: "", WAYMARK_RUN_INDEX: "1" };
  const child = spawn(command, args, { env: { ...process.env, ...quiet, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

function openedChats(events: readonly Event[]): unknown[] {
  return events.filter(({ name }) => name === "chat_switch").map(({ data }) => (data as Event)["chatId"]);
}

async function runAlone(t: TestContext, seed: number, run: number) {
  const { collector, events, caFile, folder } = await collectorFor(t);
  const selfReport = join(folder, "deep", "self-report.json");
  const { command, args } = demoCommand({ seed, run, selfReport });
  const finished = await finish(command, [...args, "--collector", `127.0.0.1:${collector.port}`], {
    NODE_EXTRA_CA_CERTS: caFile,
  });
  return { finished, events, report: JSON.parse(readFileSync(selfReport, "utf8")) as Event, counts: collector.counts };
}

const IN_ORDER = ["general", "design", "support", "release", "random"];

test("a good run opens the five chats in order and delivers every event before it exits", async (t) => {
  const { finished, events, report, counts } = await runAlone(t, DEFAULT_SEED, 1);
  assert.deepEqual(finished, { code: 0, stdout: "done: Opened all 5 chats in order.\n", stderr: "" });
  assert.equal(report["claim"], "done");
  assert.deepEqual(openedChats(events), IN_ORDER);
  assert.equal(events[0]?.["name"], "session_start");
  assert.equal(events.at(-1)?.["name"], "session_end");
  assert.ok(events.length >= 20 && events.length <= 60, `${events.length} events`);
  assert.equal(counts.rejected, 0);
  assert.ok(counts.requests > 1, "more than one batch");
});

test("an event is Common Schema 4.0 with the click where a marker looks for it", async (t) => {
  const { events } = await runAlone(t, DEFAULT_SEED, 2);
  const first = events.find(({ name }) => name === "chat_switch") ?? {};
  assert.deepEqual(Object.keys(first), ["name", "time", "ver", "iKey", "ext", "data"]);
  assert.equal(first["ver"], "4.0");
  assert.match(String(first["time"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const click = { Gesture: "click", Target: "chat-list" };
  assert.deepEqual(first["data"], { Action: click, chatId: "general", previous: null, position: 1 });
  const sessions = new Set(events.map(({ ext }) => ((ext as Event)["app"] as Event)["sesId"]));
  assert.equal(sessions.size, 1);
  const times = events.map(({ time }) => String(time));
  assert.deepEqual(times, [...times].sort(), "events leave in the order they happened");
});

test("the failing run opens the same chat twice and claims to be done all the same", async (t) => {
  const { finished, events, report } = await runAlone(t, DEFAULT_SEED, 3);
  assert.equal(finished.code, 0);
  assert.equal(report["claim"], "done");
  assert.deepEqual(openedChats(events), ["general", "design", "design", "release", "random"]);
});

test("of the default seed's five runs exactly one fails, and another seed fails in another run", async (t) => {
  const { collector, events, caFile } = await collectorFor(t);
  const failing = async (seed: number): Promise<number[]> => {
    const failed: number[] = [];
    for (let run = 1; run <= 5; run++) {
      events.length = 0;
      const { command, args } = demoCommand({ seed });
      const direct = [...args, "--collector", `127.0.0.1:${collector.port}`];
      await finish(command, direct, { NODE_EXTRA_CA_CERTS: caFile, WAYMARK_RUN_INDEX: String(run) });
      if (new Set(openedChats(events)).size < 5) failed.push(run);
    }
    return failed;
  };
  assert.deepEqual(await failing(DEFAULT_SEED), [3]);
  assert.deepEqual(await failing(7), [5]);
});

test("with HTTPS_PROXY the telemetry leaves through the proxy, credentials included", async (t) => {
  const { collector, events, caFile } = await collectorFor(t);
  const asked: string[] = [];
  const proxy = createServer().on("connect", (request, client) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
    const upstream = connect(collector.port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    for (const end of [client, upstream]) end.on("error", () => end.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  t.after(() => proxy.close());
  const { command, args } = demoCommand({ seed: DEFAULT_SEED, run: 4 });
  const url = `http://run-4:x@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const finished = await finish(command, args, { HTTPS_PROXY: url, NODE_EXTRA_CA_CERTS: caFile });
  assert.deepEqual([finished.code, finished.stderr], [0, ""]);
  assert.deepEqual(asked, ["events.chat.example:443 Basic cnVuLTQ6eA=="]);
  assert.deepEqual(openedChats(events), IN_ORDER);
});

test("a run whose telemetry cannot be delivered says so and still believes it is done", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const { command, args } = demoCommand({ seed: DEFAULT_SEED, run: 1 });
  const finished = await finish(command, args, { HTTPS_PROXY: `http://127.0.0.1:${port}` });
  assert.equal(finished.code, 0);
  assert.match(finished.stderr, /^chat: (\d+) of \1 events not delivered: .*ECONNREFUSED/);
});

test("a last batch that takes its time is still delivered", async (t) => {
  const { key, cert } = await loopbackCertificate([TELEMETRY_HOST]);
  const caFile = join(scratchFolder(t), "ca.pem");
  writeFileSync(caFile, cert);
  const server = createSecureServer({ key, cert }, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    // longer than a busy machine takes; the app used to give up after a second, and said "socket hang up"
    request.on("end", () => setTimeout(() => response.end("{}"), body.includes("session_end") ? 1500 : 0));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { command, args } = demoCommand({ seed: DEFAULT_SEED, run: 1 });
  const direct = ["--collector", `127.0.0.1:${(server.address() as AddressInfo).port}`];
  const finished = await finish(command, [...args, ...direct], { NODE_EXTRA_CA_CERTS: caFile });
  assert.deepEqual([finished.code, finished.stderr], [0, ""]);
});

test("wrong arguments are refused with the usage", async () => {
  const { command, args } = demoCommand({ seed: DEFAULT_SEED });
  for (const wrong of [
    ["--seed", "x"],
    ["--run", "-1"],
    ["--collector", "nowhere"],
    ["--sped", "1"],
  ]) {
    const finished = await finish(command, [...args, ...wrong], {});
    assert.equal(finished.code, 2, wrong.join(" "));
    assert.match(finished.stderr, /usage: node main\.js/);
  }
});
