import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { familyOf, type Root } from "./family.ts";
import { listProcesses, type ProcessEntry } from "./process-table.ts";

/** A launch as it is found again among the machine's processes. */
export interface Quarry {
  /** Absent when it is not known, or was never started. */
  readonly root?: Root | undefined;
  /** `NAME=value` in the environment of all its processes. */
  readonly mark: string;
}

/** Between two looks at the process table while waiting for processes to leave. */
const LOOK_MS = 50;
/** How long SIGKILL is repeated: new children of a dying family, and a system that is slow to clear up. */
const KILL_MS = 5_000;

/** The processes of the launch that are alive. */
export async function relatives({ root, mark }: Quarry): Promise<ProcessEntry[]> {
  return familyOf(await listProcesses(mark), root, process.pid);
}

/** Waits until no process of the launch is alive, at most `forMs` and only until `signal` says so; true when none is. */
export async function waitForNone(quarry: Quarry, forMs: number, signal?: AbortSignal): Promise<boolean> {
  for (const until = performance.now() + forMs; ; await pause(LOOK_MS)) {
    if ((await relatives(quarry)).length === 0) return true;
    if (performance.now() >= until || signal?.aborted === true) return false;
  }
}

/**
 * Ends every process of a launch: SIGTERM, then, `graceMs` later, SIGKILL until none is left. On Windows, which has no
 * SIGTERM, `taskkill /T` and then `taskkill /T /F`. Resolves with what had to be ended and what could not be (a process in
 * the middle of a system call that never returns, or another user's). Never rejects.
 */
export async function endAll(
  quarry: Quarry,
  graceMs: number,
): Promise<{ readonly ended: readonly ProcessEntry[]; readonly survivors: readonly ProcessEntry[] }> {
  const ended = new Map<number, ProcessEntry>();
  const send = async (signal: "SIGTERM" | "SIGKILL"): Promise<readonly ProcessEntry[]> => {
    const alive = await relatives(quarry);
    for (const entry of alive) ended.set(entry.pid, entry);
    await (process.platform === "win32" ? signalWindows(alive, signal) : signalPosix(alive, signal));
    return alive;
  };
  if ((await send("SIGTERM")).length > 0) await waitForNone(quarry, graceMs);
  let survivors = await send("SIGKILL");
  for (const until = performance.now() + KILL_MS; survivors.length > 0 && performance.now() < until; ) {
    await pause(LOOK_MS / 5);
    survivors = await send("SIGKILL");
  }
  return { ended: [...ended.values()], survivors };
}

function signalPosix(alive: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  // Groups first: that reaches the children a process makes while the list is gone through.
  const leaders = alive.filter(({ pid, group }) => pid === group).map(({ pid }) => -pid);
  for (const pid of [...leaders, ...alive.map(({ pid }) => pid)]) {
    try {
      process.kill(pid, signal);
    } catch {
      // ended meanwhile, or another user's: the next look tells
    }
  }
}

async function signalWindows(alive: readonly ProcessEntry[], signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const force = signal === "SIGKILL" ? ["/F"] : [];
  await Promise.all(
    alive.map(
      ({ pid }) =>
        new Promise<void>((resolve) => {
          execFile("taskkill", ["/PID", String(pid), "/T", ...force], { windowsHide: true }, () => resolve());
        }),
    ),
  );
}
