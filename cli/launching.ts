import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { trustVariables } from "../certs/trust.ts";
import type { LaunchEnd } from "../grader/trials/trial.ts";

export interface LaunchOrder {
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly timeoutMs?: number;
  /** How long processes get between being asked and being made to end. */
  readonly graceMs?: number;
  readonly maxOutputBytes?: number;
}

export interface Launch {
  readonly ended: Promise<LaunchEnd>;
  stop(reason: string, kind?: "stopped" | "interrupted"): Promise<LaunchEnd>;
}

const GRACE_MS = 3000;
const MAX_OUTPUT_BYTES = 16_777_216;
const LOOK_MS = 25;

/** The variables by which programs go through the proxy and trust its authority, over those of `base`. */
export function launchEnvironment(order: {
  readonly base: Readonly<Record<string, string | undefined>>;
  readonly proxyUrl: string;
  readonly certFile: string;
  readonly bundleFile: string;
  readonly folder: string;
  readonly extra: Readonly<Record<string, string>>;
}): { readonly env: Readonly<Record<string, string | undefined>> } {
  const { base, extra, ...paths } = order;
  const trust = trustVariables({ ...paths, currentExtraCa: base["NODE_EXTRA_CA_CERTS"] });
  return { env: { ...base, ...Object.fromEntries(trust), ...extra } };
}

/** Starts a command in a process group of its own; `ended` never rejects, and resolves when the group is gone. */
export function launch(order: LaunchOrder): Launch {
  const [program = "", ...args] = order.command;
  const child = spawn(program, args, {
    ...(order.cwd === undefined ? {} : { cwd: order.cwd }),
    env: order.env,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const outputs = [keep(child.stdout, order.stdoutFile, order), keep(child.stderr, order.stderrFile, order)];
  let cause: LaunchEnd | undefined;
  const { timeoutMs } = order;
  const end = (why: LaunchEnd): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    cause ??= why;
    signalGroup(child, "SIGTERM");
  };
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => end({ kind: "timeout", afterMs: timeoutMs }), timeoutMs);
  const killAtExit = (): void => signalGroup(child, "SIGKILL");
  process.on("exit", killAtExit);
  const ended = (async (): Promise<LaunchEnd> => {
    const exit = await exitOf(child, () => cause, order.graceMs ?? GRACE_MS);
    clearTimeout(timer);
    await endGroup(child, cause === undefined ? (order.graceMs ?? GRACE_MS) : 0);
    process.off("exit", killAtExit);
    for (const output of outputs) output.end();
    await Promise.all(outputs.map((output) => (output.closed ? undefined : once(output, "close"))));
    return cause ?? exit;
  })();
  return {
    ended,
    stop: (reason, kind = "stopped") => {
      end({ kind, reason });
      return ended;
    },
  };
}

/** Waits for the main process; one that was told to end and does not is made to. */
async function exitOf(child: ChildProcess, cause: () => LaunchEnd | undefined, graceMs: number): Promise<LaunchEnd> {
  const exited = new Promise<LaunchEnd>((resolve) => {
    child.once("error", (error) => resolve({ kind: "failed", reason: error.message }));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "killed", signal }),
    );
  });
  let since: number | undefined;
  for (;;) {
    const end = await Promise.race([exited, pause(LOOK_MS)]);
    if (end !== undefined) return end;
    if (cause() !== undefined) since ??= performance.now();
    if (since !== undefined && performance.now() - since > graceMs) signalGroup(child, "SIGKILL");
  }
}

/** Processes that outlive the main one get some time to end by themselves, and are then ended. */
async function endGroup(child: ChildProcess, graceMs: number): Promise<void> {
  const begin = performance.now();
  while (isGroupAlive(child) && performance.now() - begin < graceMs) await pause(LOOK_MS);
  for (let looks = 0; isGroupAlive(child) && looks < 40; looks++) {
    signalGroup(child, "SIGKILL");
    await pause(LOOK_MS);
  }
}

function isGroupAlive({ pid }: ChildProcess): boolean {
  if (pid === undefined || process.platform === "win32") return false;
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false; // no such group
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // it is gone already
  }
}

/** Writes output to its file, up to the cap; what is over it is read on and dropped, so that the app never blocks. */
function keep(source: NodeJS.ReadableStream | null, file: string, order: LaunchOrder): WriteStream {
  const output = createWriteStream(file);
  output.on("error", () => undefined); // a full disk costs output, not the run
  let left = order.maxOutputBytes ?? MAX_OUTPUT_BYTES;
  source?.on("data", (chunk: Buffer) => {
    if (left > 0 && output.writable) output.write(chunk.subarray(0, left));
    left -= chunk.length;
  });
  return output;
}
