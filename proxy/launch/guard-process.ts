import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Root } from "./family.ts";

/** One line to the guard, as JSON. */
export type GuardLine =
  | { readonly kind: "watch"; readonly mark: string; readonly root?: Root; readonly graceMs: number }
  | { readonly kind: "forget"; readonly mark: string };

/** What the guard gives a launch's processes at most between SIGTERM and SIGKILL: nobody waits for it any more. */
const MAX_GRACE_MS = 2_000;

/** Stands beside this module, and beside the bundled command line program. */
const SCRIPT = fileURLToPath(new URL("./guard.cjs", import.meta.url));

const watched = new Map<string, GuardLine>();
let guard: ChildProcess | undefined;

/**
 * Has a launch ended when this process goes, however it goes (SIGKILL too). Call it before the launch's first process is
 * started, and again with its root. The guard is one process for all launches, started with the first of them; it works
 * from the moment its input exists, so there is no gap. It keeps neither this process alive nor any folder in use.
 */
export function watchOver(launch: { readonly mark: string; readonly root?: Root; readonly graceMs: number }): void {
  const line: GuardLine = { kind: "watch", ...launch, graceMs: Math.min(launch.graceMs, MAX_GRACE_MS) };
  watched.set(launch.mark, line);
  if (guard === undefined) start();
  else send(line);
}

/** The launch has ended and left nothing. */
export function forget(mark: string): void {
  watched.delete(mark);
  send({ kind: "forget", mark });
}

function start(): void {
  const { PATH, Path, SystemRoot, windir, TMPDIR, TEMP } = process.env;
  const child = spawn(process.execPath, [SCRIPT], {
    // A group of its own, so that Ctrl-C in the terminal does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: tmpdir(),
    windowsHide: true,
    env: present({ PATH, Path, SystemRoot, windir, TMPDIR, TEMP, WAYMARK_GUARD: "1" }),
  });
  const lost = (): void => {
    if (guard === child) guard = undefined; // the next launch starts another, which is told of all that are under way
  };
  child.on("error", lost).on("exit", lost);
  child.stdin?.on("error", lost);
  child.unref();
  // the stream is a socket, whose unref the type of a writable does not know
  if (child.stdin !== null && "unref" in child.stdin) (child.stdin as unknown as { unref(): void }).unref();
  guard = child;
  for (const line of watched.values()) send(line);
}

function send(line: GuardLine): void {
  guard?.stdin?.write(`${JSON.stringify(line)}\n`);
}

function present(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
