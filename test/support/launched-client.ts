import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openAuthority } from "../../certs/authority.ts";
import { writeBundle } from "../../certs/bundle.ts";
import { type Launch, launch, launchEnvironment, type PreparedEnvironment } from "../../proxy/launch/index.ts";
import { startTestCollector, type TestCollector } from "./collector.ts";
import { startProxy } from "./processes.ts";
import { scratchFolder } from "./scratch.ts";

/** A telemetry host that exists under this name; the proxy sends it to the collector of the test. */
export const HOST = "mobile.events.data.microsoft.com";
export const ENDPOINT = `https://${HOST}/OneCollector/1.0`;

/** An event of that name, as OneCollector takes it. */
export function oneEvent(name: string): string {
  return JSON.stringify({ ver: "4.0", name, time: "2026-01-31T12:00:00.000Z", iKey: "o:launch", data: {} });
}

/** Test option that skips where a program, or a module of it, cannot be run. */
export function needs(program: string, ...args: string[]): { skip: false | string } {
  const { status, error } = spawnSync(program, args, { stdio: "ignore" });
  return { skip: error !== undefined || status !== 0 ? `${[program, ...args].join(" ")} does not work here` : false };
}

export interface Stage {
  readonly folder: string;
  readonly collector: TestCollector;
  readonly proxyUrl: string;
  readonly certFile: string;
  readonly prepared: PreparedEnvironment;
  /** Launches a program under the proxy; it is stopped when the test ends. */
  start(command: readonly string[], env?: Readonly<Record<string, string>>): Launch;
  /** Launches a client under the proxy and resolves with what it said and how it ended. */
  run(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<{ end: unknown; said: string }>;
  /** Names of the events in the log, in order, once the proxy has ended. */
  events(): Promise<readonly string[]>;
}

/** A real proxy, a real collector behind it, and the environment of a launch. */
export async function stageLaunch(t: TestContext, args: readonly string[] = []): Promise<Stage> {
  const folder = scratchFolder(t);
  const ca = join(folder, "ca folder");
  const collector = await startTestCollector(t, folder, [HOST]);
  const out = join(folder, "logs");
  const map = `${HOST}=127.0.0.1:${collector.port}`;
  const options = ["--out", out, "--map", map, "--upstream-ca", collector.caFile, ...args];
  const proxy = await startProxy(t, options, { env: { WAYMARK_CA_DIR: ca } });
  const { authority } = await openAuthority(ca);
  const paths = { proxyUrl: proxy.url, certFile: authority.certFile, bundleFile: writeBundle(authority) };
  const runFolder = join(folder, "run with spaces");
  const prepared = launchEnvironment({
    base: process.env,
    ...paths,
    folder: runFolder,
    extra: { WAYMARK_ACTIVE: "1" },
  });
  const [stdoutFile, stderrFile] = [join(folder, "stdout.log"), join(folder, "stderr.log")];
  const start = (command: readonly string[], env: Readonly<Record<string, string>> = {}): Launch => {
    const all = { ...prepared.env, ...env };
    const launched = launch({ command, cwd: folder, env: all, stdoutFile, stderrFile, graceMs: 500 });
    t.after(() => launched.stop("the test is over"));
    return launched;
  };
  return {
    folder,
    collector,
    proxyUrl: proxy.url,
    certFile: authority.certFile,
    prepared,
    start,
    async run(command, env) {
      const end = await start(command, env).ended;
      return { end, said: readFileSync(stdoutFile, "utf8") + readFileSync(stderrFile, "utf8") };
    },
    async events() {
      await proxy.stop();
      const lines = readFileSync(join(out, "telemetry-0.log"), "utf8").trimEnd().split("\n");
      return lines.map((line) => (JSON.parse(line) as { name: string | null }).name).filter((name) => name !== null);
    },
  };
}
