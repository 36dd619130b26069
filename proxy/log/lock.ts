import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, open, readFile, rename, stat, unlink, utimes } from "node:fs/promises";
import { hostname, uptime } from "node:os";
import { join } from "node:path";
import { waymarkError } from "../record/fault.ts";
import { isObject } from "../record/json.ts";
import { errnoOf, ignoreMissing } from "./series-files.ts";
import { parsed } from "./tail.ts";

/** A held lock. While it is held its file's time is renewed, so that other machines can see it is alive. */
export interface SeriesLock {
  readonly path: string;
  /** What stands in the file. */
  readonly content: string;
  /** Makes the lock's file again when it was deleted, and tells whether it did; one made by another writer stays. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

const RENEW_MS = 10_000;
const STALE_AFTER_MS = 60_000;
const heldHere = new Set<string>();

/**
 * Takes the lock of a series, a file created exclusively beside its logs. Throws `WM_PROXY_OUT_TAKEN` when another writer
 * holds it. A lock whose process is gone is taken over: on this machine that is told by its id and start time (so a
 * reused id does not count), on a shared folder by the lock's age.
 */
export async function lockSeries(dir: string, name: string): Promise<SeriesLock> {
  const path = join(dir, `.${name}.lock`);
  const token = randomUUID();
  const content = JSON.stringify({ pid: process.pid, started: startOf(process.pid), host: hostname(), token });
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await createWith(path, content)) return hold(path, token, content);
    await removeStale(path, name);
  }
  throw taken(path, name, "another waymark");
}

async function createWith(path: string, content: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(content).finally(() => file.close());
    } catch (cause) {
      await unlink(path); // a disk too full for a lock must not leave half of one
      throw cause;
    }
    return true;
  } catch (cause) {
    if (errnoOf(cause) === "EEXIST") return false;
    throw cause;
  }
}

/** A lock that another thread of this process holds, renews in time and will release. */
export function lockOfAnotherThread({ path, content }: Pick<SeriesLock, "path" | "content">): SeriesLock {
  return { path, content, renew: () => createWith(path, content), release: async () => undefined };
}

function hold(path: string, token: string, content: string): SeriesLock {
  heldHere.add(token);
  const renewal = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(ignoreRenewal);
  }, RENEW_MS);
  renewal.unref();
  return {
    path,
    content,
    renew: () => createWith(path, content),
    async release() {
      clearInterval(renewal);
      heldHere.delete(token);
      const found = await readFile(path, "utf8").catch(ignoreMissing);
      if (found?.includes(token) === true) await unlink(path).catch(ignoreMissing);
    },
  };
}

/** A lock that cannot be renewed only looks older than it is; the next renewal may work. */
function ignoreRenewal(): void {}

/** Moves a stale lock out of the way; throws when it is alive. The move is undone if it took a lock made meanwhile. */
async function removeStale(path: string, name: string): Promise<void> {
  const content = await readFile(path, "utf8").catch(ignoreMissing);
  const info = await stat(path).catch(ignoreMissing);
  if (content === undefined || info === undefined) return;
  const holder = holderOf(content);
  const age = Date.now() - info.mtimeMs;
  if (holder === undefined ? age < 2_000 : isAlive(holder, info.mtimeMs, age)) {
    throw taken(path, name, holder === undefined ? "another waymark" : `process ${holder.pid} on ${holder.host}`);
  }
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside).catch(ignoreMissing);
  const moved = await readFile(aside, "utf8").catch(ignoreMissing);
  if (moved !== undefined && moved !== content) await link(aside, path).catch(ignoreTaken);
  await unlink(aside).catch(ignoreMissing);
}

function ignoreTaken(cause: unknown): void {
  if (errnoOf(cause) !== "EEXIST") throw cause;
}

interface Holder {
  readonly pid: number;
  readonly started: string | null;
  readonly host: string;
  readonly token: string;
}

/** Reads a lock file; undefined when it was only half written. */
function holderOf(content: string): Holder | undefined {
  const value = parsed(content);
  if (!isObject(value)) return undefined;
  const { pid, started, host, token } = value;
  if (typeof pid !== "number" || typeof host !== "string" || typeof token !== "string") return undefined;
  return { pid, host, token, started: typeof started === "string" ? started : null };
}

function isAlive(holder: Holder, renewedAt: number, age: number): boolean {
  if (holder.host !== hostname()) return age < STALE_AFTER_MS;
  if (holder.pid === process.pid) return heldHere.has(holder.token);
  const bootedAt = Date.now() - uptime() * 1000;
  if (renewedAt < bootedAt - 2_000 || !isRunning(holder.pid)) return false;
  const started = startOf(holder.pid);
  return holder.started === null || started === null || holder.started === started;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return errnoOf(cause) === "EPERM"; // it runs, as another user
  }
}

/** When a process started, in whatever unit the system has; null where the system does not tell (only Linux does). */
function startOf(pid: number): string | null {
  try {
    // proc(5): field 22, counted after the command, which stands in parentheses and may hold spaces
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null; // no /proc here, or the process is gone, which isRunning tells
  }
}

function taken(path: string, name: string, by: string): Error {
  return waymarkError("WM_PROXY_OUT_TAKEN", `the log series "${name}" is written by ${by}`, {
    fix: `Stop it, or give this one another --out or --name. If it is certainly gone, delete ${path}.`,
  });
}
