import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

/** One process that is alive; zombies, which hold nothing any more, are left out. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Process group and session (POSIX); absent where the system does not tell. */
  readonly group?: number;
  readonly session?: number;
  /** Tells two processes apart that got the same id one after the other; absent where the system does not tell. */
  readonly startedAt?: string;
  /** What it runs, for messages. */
  readonly name: string;
  /** True when its environment at start held the mark. */
  readonly isMarked: boolean;
}

/**
 * The processes of this machine, each told whether its environment holds `mark` (`NAME=value`). Processes that end while
 * the list is made, or whose environment is another user's, are listed as unmarked or not at all; an empty list when the
 * system's own tool fails.
 */
export function listProcesses(mark: string, platform: NodeJS.Platform = process.platform): Promise<ProcessEntry[]> {
  if (platform === "linux") return listByProc(mark);
  return platform === "win32" ? listByPowerShell() : listByPs(mark);
}

/** When a process started, as `listProcesses` tells it; undefined where that cannot be had. Linux only. */
export function startOf(pid: number): string | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"))?.startedAt;
  } catch {
    return undefined; // gone already, or a system without /proc
  }
}

async function listByProc(mark: string): Promise<ProcessEntry[]> {
  const names = await readdir("/proc").catch(() => []);
  const entries = await Promise.all(names.filter((name) => /^[0-9]+$/.test(name)).map((pid) => readProc(pid, mark)));
  return entries.filter((entry) => entry !== undefined);
}

async function readProc(pid: string, mark: string): Promise<ProcessEntry | undefined> {
  try {
    const stat = parseStat(await readFile(`/proc/${pid}/stat`, "utf8"));
    if (stat === undefined) return undefined;
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    return { ...stat, isMarked: `\0${environment}`.includes(`\0${mark}\0`) };
  } catch {
    return undefined; // ended meanwhile
  }
}

/** proc(5): `pid (name) state ppid pgrp session ... starttime`; the name may hold spaces and parentheses. */
function parseStat(text: string): Omit<ProcessEntry, "isMarked"> | undefined {
  const end = text.lastIndexOf(")");
  const [state, parent, group, session, ...rest] = text.slice(end + 2).split(" ");
  if (end < 0 || state === "Z" || state === "X") return undefined;
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: rest[15] ?? "",
    name: text.slice(text.indexOf("(") + 1, end),
  };
}

/** `e` adds the environment of this user's processes to the command, `ww` keeps the line whole (BSD, macOS, procps). */
async function listByPs(mark: string): Promise<ProcessEntry[]> {
  const text = await output("ps", ["axeww", "-o", "pid=,ppid=,pgid=,stat=,command="]);
  return parsePs(text, mark);
}

/** Reads what `ps axeww -o pid=,ppid=,pgid=,stat=,command=` printed. */
export function parsePs(text: string, mark: string): ProcessEntry[] {
  const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/;
  return text.split("\n").flatMap((row) => {
    const [, pid, parent, group, state, command = ""] = line.exec(row) ?? [];
    if (pid === undefined || state?.startsWith("Z") === true) return [];
    const name = command.split(" ", 1)[0] ?? "";
    const isMarked = ` ${command} `.includes(` ${mark} `);
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), name, isMarked }];
  });
}

/** Windows shows no environment of other processes; what is left are the links to parents. */
async function listByPowerShell(): Promise<ProcessEntry[]> {
  const script =
    "Get-CimInstance Win32_Process | ForEach-Object { '{0} {1} {2} {3}' -f $_.ProcessId, $_.ParentProcessId, $_.CreationDate.Ticks, $_.Name }";
  return parseCim(await output("powershell.exe", ["-NoProfile", "-NonInteractive", "-Command", script]));
}

/** Reads lines of `pid parent started name`. */
export function parseCim(text: string): ProcessEntry[] {
  return text.split(/\r?\n/).flatMap((row) => {
    const [, pid, parent, startedAt, name = ""] = /^(\d+) (\d+) (\d*) (.*)$/.exec(row) ?? [];
    if (pid === undefined || startedAt === undefined) return [];
    return [{ pid: Number(pid), parent: Number(parent), startedAt, name, isMarked: false }];
  });
}

function output(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 67_108_864, windowsHide: true, env: { ...process.env, LC_ALL: "C" } };
    execFile(program, args, options, (_error, stdout) => resolve(stdout));
  });
}
