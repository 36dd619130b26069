import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../../../certs/vault.ts";
import { waymarkError } from "../../record/fault.ts";
import { findProgram } from "../command.ts";
import { type Command, type RunCommand, runCommand } from "./command-runner.ts";
import { gnomeProxy } from "./gnome.ts";
import { macosProxy } from "./macos.ts";
import type { ProxyPlace, SystemProxy } from "./system-proxy.ts";
import { windowsProxy } from "./windows.ts";

const NOTE = "system-proxy.json";
/** What a note may ask to be run; anything else in it is refused. */
const PROGRAMS = ["gsettings", "networksetup", "reg", "powershell"];

export interface SystemDeps {
  /** Folder of the note that lets a later start undo what a crash left behind. */
  readonly folder: string;
  readonly system?: SystemProxy | undefined;
  readonly run?: RunCommand;
}

/** The file that says what the system's settings were while a waymark has changed them. */
export function systemNote(folder: string): string {
  return join(folder, NOTE);
}

/** The settings this system has; undefined where waymark knows none (a desktop without gsettings, say). */
export function systemProxyHere(env = process.env): SystemProxy | undefined {
  if (process.platform === "darwin") return macosProxy;
  if (process.platform === "win32") return windowsProxy;
  return findProgram("gsettings", { cwd: process.cwd(), env }) === undefined ? undefined : gnomeProxy;
}

/**
 * Sets the system's proxy and resolves with what puts it back. What was set before is noted on disk first, so that
 * `undoLeftover` can put it back after a crash. Throws WM_PROXY_SYSTEM, with the settings as they were.
 */
export async function useSystemProxy(
  place: ProxyPlace,
  { folder, system = systemProxyHere(), run = runCommand }: SystemDeps,
): Promise<{ readonly what: string; undo(): Promise<void> }> {
  if (system === undefined) throw trouble("this system has no proxy settings that waymark knows");
  const holder = readNote(folder);
  if (holder !== undefined)
    throw trouble(`the waymark with process id ${holder.pid} holds the system's proxy settings`);
  const { set, restore } = await system.plan(run, place).catch((cause: unknown) => {
    throw trouble(`${system.what} cannot be read`, cause);
  });
  writeWhole(systemNote(folder), JSON.stringify({ pid: process.pid, place, restore } satisfies Note));
  const undo = async (): Promise<void> => {
    await runAll(run, restore, system);
    rmSync(systemNote(folder), { force: true });
  };
  try {
    await runAll(run, set, system);
  } catch (cause) {
    await undo().catch(() => undefined);
    throw cause;
  }
  let undone: Promise<void> | undefined;
  return {
    what: system.what,
    undo() {
      undone ??= undo();
      return undone;
    },
  };
}

/**
 * Puts back what a waymark that died had set, unless somebody has set something else since; resolves with a line to say, or
 * undefined when there was nothing to do. Throws WM_PROXY_SYSTEM.
 */
export async function undoLeftover({
  folder,
  system = systemProxyHere(),
  run = runCommand,
}: SystemDeps): Promise<string | undefined> {
  const note = readNote(folder);
  if (note === undefined || isAlive(note.pid)) return undefined;
  const isOurs = system !== undefined && (await system.isSet(run, note.place).catch(() => false));
  if (isOurs) await runAll(run, note.restore, system);
  rmSync(systemNote(folder), { force: true });
  return isOurs
    ? "the system's proxy settings, which an earlier waymark left behind, are as they were before it"
    : "an earlier waymark left a note of the system's proxy settings; they have been changed since, and stay";
}

interface Note {
  readonly pid: number;
  readonly place: ProxyPlace;
  readonly restore: readonly Command[];
}

function readNote(folder: string): Note | undefined {
  const file = systemNote(folder);
  if (!existsSync(file)) return undefined;
  try {
    const { pid, place, restore } = JSON.parse(readFileSync(file, "utf8")) as Partial<Note>;
    if (pid !== undefined && place !== undefined && restore?.every(([name = ""]) => PROGRAMS.includes(name)) === true)
      return { pid, place, restore };
  } catch {
    // said below: what it holds is not known
  }
  throw trouble(`"${file}", which says what the system's proxy settings were, is damaged`);
}

async function runAll(run: RunCommand, commands: readonly Command[], { what }: SystemProxy): Promise<void> {
  for (const command of commands) {
    await run(command).catch((cause: unknown) => {
      throw trouble(`${what} cannot be changed`, cause);
    });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function trouble(message: string, cause?: unknown): Error {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return waymarkError("WM_PROXY_SYSTEM", `${message}${why}`, { cause });
}
