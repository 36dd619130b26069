import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Collector, startCollector } from "../examples/chat/collector.ts";
import { demoCommand, TELEMETRY_HOST } from "../examples/chat/command.ts";
import type { Store } from "../grader/store/store.ts";
import type { BatchDocument } from "../grader/trials/batch.ts";
import { accountingFor } from "./run-accounting.ts";
import { playBatch } from "./run-batch.ts";
import type { stopSignal } from "./signals.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

export const DEMO_RUNS = 5;
export const DEMO_SCENARIO = "simple_collab_switch";

/** What all runs share: the telemetry service at the far end, and the database. */
export interface DemoStage {
  readonly dir: string;
  readonly collector: Collector;
  readonly upstreamCa: string;
  readonly store: Store;
  close(): Promise<void>;
}

/** Clears the folder of an earlier demo, and starts a telemetry service on this machine with a certificate of its own. */
export async function openDemoStage(dir: string): Promise<DemoStage> {
  const [{ openAuthority }, { createCertificateFor }, { openStore }] = await Promise.all([
    import("../certs/authority.ts"),
    import("../certs/leaf.ts"),
    import("../grader/store/store.ts"),
  ]);
  for (const part of ["runs", "service-ca", "waymark.db", "waymark.db-wal", "waymark.db-shm", "report.html"]) {
    rmSync(join(dir, part), { recursive: true, force: true });
  }
  const { authority } = await openAuthority(join(dir, "service-ca"));
  const store = openStore(join(dir, "waymark.db"));
  const collector = await startCollector(await createCertificateFor(authority)(TELEMETRY_HOST));
  const close = async (): Promise<void> => {
    await collector.close();
    store.close();
  };
  return { dir, collector, upstreamCa: authority.certPem, store, close };
}

interface DemoCall {
  readonly seed: number;
  readonly args: Arguments;
  readonly stop: ReturnType<typeof stopSignal>;
  readonly terminal: Terminal;
}

/** Plays the five runs as `waymark run` plays any: the same proxy, launcher, grade and summary. */
export async function playDemo(stage: DemoStage, { seed, ...call }: DemoCall): Promise<BatchDocument> {
  const { findScenarios, shippedFolder } = await import("../grader/scenario/find.ts");
  const { scenarios } = await findScenarios({ names: [DEMO_SCENARIO], folder: shippedFolder() });
  const { command, args: words } = demoCommand({ seed });
  return playBatch({
    ...call,
    scenarios,
    store: stage.store,
    runsFolder: join(stage.dir, "runs"),
    authorityFolder: join(stage.dir, "ca"),
    design: { kind: "fixed", cells: [{ command: [command, ...words], env: {}, params: new Map() }], runs: DEMO_RUNS },
    aim: { kind: "gate", gate: { kind: "all", text: "all" } },
    versions: {},
    capture: {
      scope: { hosts: [TELEMETRY_HOST], bypass: [], all: false, sink: false, redact: [] },
      map: new Map([[TELEMETRY_HOST, { host: "127.0.0.1", port: stage.collector.port }]]),
      refusedPorts: [],
      upstreamCa: stage.upstreamCa,
    },
    jobs: 1,
    retryErrors: 0,
    timeoutMs: 60_000,
    // The app delivers all it has before it ends.
    settle: { idleMs: 100, maxMs: 2000 },
    provenance: "live",
    labels: [],
    evidence: "off",
    accounting: accountingFor(call.args),
  });
}

/** Writes the page about the batch beside its runs; gives its file. */
export async function writeDemoReport({ dir, store }: DemoStage): Promise<string> {
  const { selectTrials } = await import("../grader/trials/select.ts");
  const { prepareReport } = await import("../grader/report/page/report.ts");
  const { writeReport } = await import("../grader/report/page/write.ts");
  const file = join(dir, "report.html");
  const trials = await selectTrials(["batch:latest"], { store, runs: join(dir, "runs") });
  const options = { file, embedLimit: 20_000_000, madeAt: new Date().toISOString(), title: "waymark demo", store };
  return (await writeReport(file, await prepareReport(trials, options), { zip: false })).file;
}
