import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { resolveCommand } from "./command.ts";
import { endAll } from "./ending.ts";
import { forget, watchOver } from "./guard-process.ts";
import { type LaunchEnd, MARK, whyNotStarted } from "./launch.ts";

export interface InteractiveOrder {
  readonly command: readonly string[];
  readonly cwd?: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Between SIGTERM and SIGKILL for what outlives the program. */
  readonly graceMs?: number;
}

export interface Interactive {
  readonly ended: Promise<LaunchEnd>;
  /** Ends the program and all it started. */
  stop(): Promise<LaunchEnd>;
}

const GRACE_MS = 2_000;

/**
 * Starts a program on this very terminal (a shell, say) and sees it, and all it started, to the end. It stays in this
 * process's group, so that job control works; what outlives it is found by its mark and ended. Never rejects.
 */
export function launchInteractive({ command, cwd = process.cwd(), ...order }: InteractiveOrder): Interactive {
  const { graceMs = GRACE_MS } = order;
  const id = randomUUID();
  const env = { ...order.env, [MARK]: id };
  const resolved = resolveCommand(command, { cwd, env });
  if (resolved.kind === "unstartable") {
    const ended = Promise.resolve<LaunchEnd>({ kind: "failed", reason: resolved.reason });
    return { ended, stop: () => ended };
  }
  const mark = `${MARK}=${id}`;
  watchOver({ mark, graceMs });
  const child = spawn(resolved.file, [...resolved.args], {
    cwd,
    env,
    stdio: "inherit",
    windowsVerbatimArguments: resolved.verbatim,
  });
  const main = new Promise<LaunchEnd>((resolve) => {
    child.on("error", (cause) => {
      if (child.pid === undefined) resolve({ kind: "failed", reason: whyNotStarted(cause, resolved.file) });
    });
    child.on("exit", (code, signal) =>
      resolve(signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "killed", signal }),
    );
  });
  const ended = main.then(async (end) => {
    const { survivors } = await endAll({ mark }, graceMs);
    if (survivors.length === 0) forget(mark);
    return end;
  });
  return {
    ended,
    stop: async () => {
      child.kill("SIGHUP"); // what a shell gets when its terminal goes
      await endAll({ mark }, graceMs);
      return ended;
    },
  };
}
