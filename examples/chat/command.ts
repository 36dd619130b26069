import { fileURLToPath } from "node:url";

/** Name the app sends its telemetry to. It exists nowhere; `--map` leads it to the local collector. */
export const TELEMETRY_HOST = "events.chat.example";

/** With this seed, of the runs 1 to 5 only run 3 fails. */
export const DEFAULT_SEED = 52;

export interface DemoRun {
  /** 0 to 2^32 - 1. */
  readonly seed: number;
  /** Which run of the seed, counting from 1; absent, the run takes WAYMARK_RUN_INDEX. */
  readonly run?: number;
  /** File the agent writes its self-report to; absent, the run takes WAYMARK_SELF_REPORT. */
  readonly selfReport?: string;
}

/** The command of one run of app and agent, for a launcher that sets HTTPS_PROXY and NODE_EXTRA_CA_CERTS. */
export function demoCommand({ seed, run, selfReport }: DemoRun): { command: string; args: string[] } {
  const main = fileURLToPath(new URL("./main.js", import.meta.url));
  const args = [main, "--seed", String(seed)];
  if (run !== undefined) args.push("--run", String(run));
  if (selfReport !== undefined) args.push("--self-report", selfReport);
  return { command: process.execPath, args };
}
