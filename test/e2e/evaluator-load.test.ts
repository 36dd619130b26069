import assert from "node:assert/strict";
import { existsSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import test from "node:test";
import { openStore } from "../../grader/store/store.ts";
import { chatLines } from "../support/evaluator.ts";
import { startServe } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";
import { FIVE_CHATS } from "../support/telemetry.ts";

const BYTES = 1e8;
const REQUESTS = 1000;
const AT_ONCE = 32;

/** A log of noise of a realistic size per event, with the five chats at its end. */
function writeBigLog(file: string): void {
  const descriptor = openSync(file, "w");
  const noise = Array.from(
    { length: 1000 },
    (_, n) =>
      `${JSON.stringify({ name: "presence_update", time: new Date(1.7e12 + n).toISOString(), data: { who: `u${n % 9}`, text: "x".repeat(280) } })}\n`,
  ).join("");
  for (let written = 0; written < BYTES; ) written += writeSync(descriptor, noise);
  writeSync(descriptor, chatLines(FIVE_CHATS));
}

interface Timed {
  readonly ms: number;
  readonly status: number;
  readonly verdict: string;
  readonly run: string;
}

function evaluate(url: string, log: string, agent?: Agent): Promise<Timed> {
  const body = JSON.stringify({
    evaluation: [{ evaluator: "app_scenarios", scenarios: ["simple_collab_switch"], telemetry_file: log }],
  });
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    const outgoing = request(
      url,
      { method: "POST", headers, ...(agent === undefined ? {} : { agent }) },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => {
          const answer = JSON.parse(text);
          const run = answer.results?.[0]?.results?.[0]?.run ?? "";
          resolve({
            ms: performance.now() - startedAt,
            status: response.statusCode ?? 0,
            verdict: answer.verdict,
            run,
          });
        });
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function residentKb(pid: number): number {
  return Number(/VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

const NEEDS_PROC = {
  skip: existsSync("/proc/self/status") ? false : "there is no /proc to read a process's memory from",
};

test(
  `${REQUESTS} requests, ${AT_ONCE} at once, over a log of ${BYTES / 1e6} MB: none lost, memory flat, none starved`,
  NEEDS_PROC,
  async (t) => {
    const cwd = scratchFolder(t);
    const log = join(cwd, "big.ndjson");
    writeBigLog(log);
    const server = await startServe(t, ["--db", "w.db"], { cwd });
    const single: number[] = [];
    for (let n = 0; n < 7; n++) single.push((await evaluate(server.url, log)).ms);
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    t.after(() => agent.destroy());
    const answers: Timed[] = [];
    let begun = 0;
    const resident: number[] = [];
    let health = 0;
    const worker = async (): Promise<void> => {
      while (begun < REQUESTS) {
        begun += 1;
        answers.push(await evaluate(server.url, log, agent));
        resident.push(residentKb(server.child.pid ?? 0));
        if (answers.length % 100 === 0) {
          const startedAt = performance.now();
          await fetch(`${server.url}/healthz`).then((response) => response.arrayBuffer());
          health = Math.max(health, performance.now() - startedAt);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    // medians, since a single look may fall into the middle of a pass
    const grown = quantile(resident.slice(-100), 0.5) / quantile(resident.slice(100, 200), 0.5) - 1;
    const median = quantile(single, 0.5);
    const p99 = quantile(
      answers.map(({ ms }) => ms),
      0.99,
    );
    t.diagnostic(
      `single ${median.toFixed(0)} ms, p50 ${quantile(
        answers.map(({ ms }) => ms),
        0.5,
      ).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, memory ${(grown * 100).toFixed(1)} %, health ${health.toFixed(0)} ms`,
    );
    assert.equal(answers.length, REQUESTS);
    assert.ok(answers.every(({ status, verdict }) => status === 200 && verdict === "pass"));
    assert.equal(new Set(answers.map(({ run }) => run)).size, REQUESTS, "each has a run of its own");
    assert.ok(p99 <= 40 * median, `p99 ${p99} ms against a single request's ${median} ms`);
    assert.ok(grown <= 0.05, `memory grew by ${(grown * 100).toFixed(1)} %`);
    assert.equal((await server.stop("SIGTERM")).code, 143);
    const store = openStore(join(cwd, "w.db"), { readonly: true });
    t.after(() => store.close());
    assert.equal(store.listRuns().length, REQUESTS + single.length);
  },
);

test("a server that is killed in the middle leaves the database whole, and the next one goes on", async (t) => {
  const cwd = scratchFolder(t);
  const log = join(cwd, "run.ndjson");
  writeFileSync(log, chatLines(FIVE_CHATS));
  let stored = 0;
  for (let round = 0; round < 3; round++) {
    const server = await startServe(t, ["--db", "w.db"], { cwd });
    const answered: Timed[] = [];
    const workers = Array.from({ length: 8 }, async () => {
      for (;;) answered.push(await evaluate(server.url, log));
    });
    while (answered.length < 40) await new Promise((resolve) => setImmediate(resolve));
    const ended = Promise.allSettled(workers);
    await server.stop("SIGKILL");
    await ended;
    const store = openStore(join(cwd, "w.db"));
    const runs = store.listRuns().map(({ id }) => id);
    for (const { run } of answered) assert.ok(runs.includes(run), "what was answered is stored");
    for (const id of runs) assert.equal(store.getRun(id).result.markers.length, 5);
    store.close();
    assert.ok(runs.length >= stored + 40);
    stored = runs.length;
  }
  assert.ok((statSync(join(cwd, "w.db-wal"), { throwIfNoEntry: false })?.size ?? 0) < 64e6);
});
