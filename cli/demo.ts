import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Collector, startCollector } from "../examples/chat/collector.ts";
import { DEFAULT_SEED, demoCommand, TELEMETRY_HOST } from "../examples/chat/command.ts";
import { paintFor, signOf } from "../grader/report/paint.ts";
import { REPORTERS } from "../grader/report/reporters/index.ts";
import { plural, showDuration } from "../grader/report/text.ts";
import type { ScenarioResult } from "../grader/verdict.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { makeFolder } from "../proxy/record/folder.ts";
import { wholeNumber } from "./quantities.ts";
import type { Terminal } from "./terminal.ts";
import type { Verb } from "./verb.ts";

const RUNS = 5;
const SCENARIO = "simple_collab_switch";

export const demo: Verb = {
  name: "demo",
  usage: "demo [--dir DIR] [--seed N]",
  describe:
    "Starts a small chat app and a flaky agent on this machine, five times, under the real proxy; grades what the app reported and explains what failed. Offline; exits 0, since the failing run is its point.",
  options: {
    dir: {
      kind: "text",
      value: "DIR",
      describe: "where logs and results go; its earlier runs are replaced",
      defaultText: "waymark-demo",
    },
    seed: { kind: "text", value: "N", describe: "another seed, another story", defaultText: String(DEFAULT_SEED) },
  },
  maxPositionals: 0,
  async run(args, terminal) {
    const dir = args.text("dir") ?? "waymark-demo";
    const seed = wholeNumber("seed", args.text("seed") ?? String(DEFAULT_SEED), { min: 0, max: 2 ** 32 - 1 });
    const stage = await openStage(dir);
    try {
      return await play(stage, { seed, json: args.flag("json") === true }, terminal);
    } finally {
      await stage.close();
    }
  },
};

/** What all runs share: the telemetry service at the far end, and the authority the proxy signs with. */
interface Stage {
  readonly dir: string;
  readonly collector: Collector;
  readonly upstreamCa: string;
  close(): Promise<void>;
}

async function openStage(dir: string): Promise<Stage> {
  const { openAuthority } = await import("../certs/authority.ts");
  const { createCertificateFor } = await import("../certs/leaf.ts");
  for (const part of ["runs", "service-ca", "waymark.db", "waymark.db-wal", "waymark.db-shm"]) {
    await rm(join(dir, part), { recursive: true, force: true });
  }
  const { authority } = await openAuthority(join(dir, "service-ca"));
  const pair = await createCertificateFor(authority)(TELEMETRY_HOST);
  const collector = await startCollector(pair);
  return { dir, collector, upstreamCa: authority.certPem, close: () => collector.close() };
}

interface DemoResult {
  readonly run: number;
  readonly result: ScenarioResult;
  readonly claim: string;
  readonly elapsedMs: number;
}

async function play(
  stage: Stage,
  { seed, json }: { seed: number; json: boolean },
  terminal: Terminal,
): Promise<number> {
  const paint = paintFor(terminal.colour);
  const say = json ? terminal.err : terminal.out;
  say(
    `A chat app and an agent that has to open five chats in order, ${RUNS} times, under the proxy (seed ${seed}):\n\n`,
  );
  say(`  ${paint.dim("run  grade   markers  time     agent said")}\n`);
  const results: DemoResult[] = [];
  for (let run = 1; run <= RUNS; run++) {
    const done = await playRun(stage, { seed, run });
    results.push(done);
    say(`${row(done, terminal)}\n`);
  }
  say(epilogue(stage, results, terminal));
  if (json)
    terminal.out(
      `${JSON.stringify({ schema: "waymark.demo/1", seed, results: results.map(({ result }) => result) })}\n`,
    );
  return 0;
}

function row({ run, result, claim, elapsedMs }: DemoResult, { colour }: Terminal): string {
  const paint = paintFor(colour);
  const lie = claim === "done" && result.verdict === "fail" ? paint.bad("  ▲ disagrees with the grade") : "";
  const markers = `${result.found.length}/${result.found.length + result.not_found.length}`;
  return `  ${String(run).padEnd(4)} ${signOf(result.verdict, paint)} ${result.verdict.padEnd(5)} ${markers.padEnd(8)} ${showDuration(elapsedMs).padEnd(8)} ${claim}${lie}`;
}

async function playRun(stage: Stage, { seed, run }: { seed: number; run: number }): Promise<DemoResult> {
  const folder = join(stage.dir, "runs", String(run));
  makeFolder(folder);
  const startedAt = performance.now();
  const selfReport = join(folder, "self-report.json");
  await capture(stage, folder, demoCommand({ seed, run, selfReport }));
  const claim = await readClaim(selfReport);
  const result = await gradeRun(stage, join(folder, "logs"), claim);
  return { run, result, claim, elapsedMs: performance.now() - startedAt };
}

/** One capture: the proxy starts, the command runs behind it, the proxy drains. */
async function capture(
  stage: Stage,
  folder: string,
  { command, args }: { command: string; args: string[] },
): Promise<void> {
  const { openAuthority } = await import("../certs/authority.ts");
  const { createCertificateFor } = await import("../certs/leaf.ts");
  const { startInterceptor } = await import("../proxy/intercept/index.ts");
  const { startSession } = await import("../proxy/session.ts");
  const { authority } = await openAuthority(join(stage.dir, "ca"));
  const session = await startSession(
    {
      log: { dir: join(folder, "logs"), name: "telemetry", maxFileBytes: 64_000_000 },
      interceptor: {
        listen: "127.0.0.1",
        port: 0,
        certificateFor: createCertificateFor(authority),
        map: new Map([[TELEMETRY_HOST, { host: "127.0.0.1", port: stage.collector.port }]]),
        upstreamCa: stage.upstreamCa,
        maxBodyBytes: 1_000_000,
      },
      hosts: [TELEMETRY_HOST],
      bypass: [],
      all: false,
      sink: false,
      redact: [],
    },
    { startInterceptor },
  );
  try {
    const env = { HTTPS_PROXY: `http://127.0.0.1:${session.address.port}`, NODE_EXTRA_CA_CERTS: authority.certFile };
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw waymarkError("WM_DEMO_FAILED", `the demo's app ended with code ${code}: ${said.trim()}`);
  } finally {
    await session.close();
  }
}

async function gradeRun(stage: Stage, log: string, claim: string): Promise<ScenarioResult> {
  const { gradeLogs } = await import("../grader/grade.ts");
  const { findScenarios, shippedFolder } = await import("../grader/scenario/find.ts");
  const { openStore } = await import("../grader/store/store.ts");
  const { scenarios } = await findScenarios({ names: [SCENARIO], folder: shippedFolder() });
  const store = openStore(join(stage.dir, "waymark.db"));
  try {
    const { document } = await gradeLogs({ logs: [log], scenarios, store });
    const [result] = document.results;
    if (result === undefined) throw waymarkError("WM_DEMO_FAILED", "the demo's run gave no result");
    if (claim !== "") store.saveSelfReport(result.run, claim, (claim === "done") === result.success);
    return result;
  } finally {
    store.close();
  }
}

/** What the agent says of itself; shown beside the grade, never part of it. */
async function readClaim(file: string): Promise<string> {
  const report: unknown = JSON.parse(await readFile(file, "utf8"));
  const claim = (report as { claim?: unknown }).claim;
  return typeof claim === "string" ? claim : "nothing";
}

function epilogue({ dir }: Stage, results: readonly DemoResult[], terminal: Terminal): string {
  const failed = results.filter(({ result }) => result.verdict !== "pass");
  const passed = results.length - failed.length;
  const parts = [`\n${passed} of ${plural(results.length, "run")} passed.`];
  const [first] = failed;
  if (first === undefined) parts.push(" This seed has no bad run; try another.\n");
  else
    parts.push(
      ` Run ${first.run}: the agent said "${first.claim}"; what the app reported says otherwise:\n\n${explain(first.result, terminal)}`,
    );
  const log = join(dir, "runs", String(first?.run ?? 1), "logs");
  const next = [
    [`explain ${join(log, "telemetry-0.log")} -s ${SCENARIO}`, "why, event by event"],
    [`runs list --db ${join(dir, "waymark.db")}`, "all stored runs"],
    ["demo --seed 7", "another story: nothing here is canned"],
    ["proxy", "beside an app of your own; the README goes on from there"],
  ] as const;
  const width = Math.max(...next.map(([words]) => words.length));
  parts.push("\ntry next\n", ...next.map(([words, says]) => `  npx waymark ${words.padEnd(width)}   ${says}\n`));
  return parts.join("");
}

function explain(result: ScenarioResult, { colour }: Terminal): string {
  const lines: string[] = [];
  const pretty = REPORTERS.find(({ name }) => name === "pretty");
  pretty?.create({ write: (text) => void lines.push(text), colour, detail: 1 }).onResult?.(result);
  return lines.join("").replaceAll(/^/gm, "  ").trimEnd().concat("\n");
}
