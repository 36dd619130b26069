import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startTestCollector } from "../support/collector.ts";
import { type Finished, runProgram, startProxy, waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

const HOST = "mobile.events.data.microsoft.com";
const EMITTER = fileURLToPath(new URL("./onecollector-emitter.js", import.meta.url));
const CHATS = ["general", "design", "support", "release", "random"];

interface Outcome {
  readonly handedOver: readonly string[];
  readonly received: readonly string[];
  readonly records: readonly Record<string, unknown>[];
  readonly graded: Finished;
}

async function captureAndGrade(t: TestContext, chats: readonly string[]): Promise<Outcome> {
  const folder = scratchFolder(t);
  const env = { WAYMARK_CA_DIR: join(folder, "ca") };
  const collector = await startTestCollector(t, folder, [HOST]);
  const out = join(folder, "logs");
  const map = `${HOST}=127.0.0.1:${collector.port}`;
  const proxy = await startProxy(t, ["--out", out, "--map", map, "--upstream-ca", collector.caFile], { env });
  const emitted = await runProgram(process.execPath, [EMITTER, ...chats], {
    env: { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: join(folder, "ca", "waymark-ca.pem") },
  });
  assert.equal(emitted.code, 0, emitted.stderr);
  await proxy.stop();
  const lines = readFileSync(join(out, "telemetry-0.log"), "utf8").trimEnd().split("\n");
  return {
    handedOver: emitted.stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { sha256: string }).sha256),
    received: collector.received.filter(({ method }) => method === "POST").map(({ sha256 }) => sha256),
    records: lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ name }) => name !== null),
    graded: await waymark(["grade", "--scenario", "simple_collab_switch", "--log", out, "--no-store"], { cwd: folder }),
  };
}

test("1DS in Node through the proxy: the collector gets the same bytes, the log the events, the grade is a pass", async (t) => {
  const { handedOver, received, records, graded } = await captureAndGrade(t, CHATS);
  assert.ok(handedOver.length > 0);
  assert.deepEqual(received, handedOver);
  assert.deepEqual(
    records.map(({ data }) => (data as { chatId: string }).chatId),
    CHATS,
  );
  assert.equal(graded.code, 0, graded.stdout + graded.stderr);
});

test("with one chat opened twice instead of another, the same grade is a fail", async (t) => {
  const { handedOver, received, graded } = await captureAndGrade(t, [
    "general",
    "design",
    "design",
    "release",
    "random",
  ]);
  assert.deepEqual(received, handedOver);
  assert.equal(graded.code, 1, graded.stdout + graded.stderr);
  assert.match(graded.stdout, /never reached/);
});
