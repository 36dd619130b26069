import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { benchFolder } from "./generate.ts";

/** A program to start, with what it gets besides the bench's own environment. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Finished {
  readonly wallMs: number;
  /** Processor time, its own and the kernel's; undefined on Windows. */
  readonly cpuMs: number | undefined;
  /** Highest resident memory in MB (2^20); undefined where the system does not tell. */
  readonly peakMb: number | undefined;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that listens until it is stopped. */
export interface Service {
  readonly port: number;
  /** Highest resident memory so far in MB; undefined except on Linux. */
  peakMb(): number | undefined;
  /** Processor time it has used so far, its own and the kernel's for it, in ms; undefined except on Linux. */
  cpuMs(): number | undefined;
  /** Descriptors it has open, and sockets among them that listen; undefined except on Linux. */
  sockets(): { readonly descriptors: number; readonly listeners: number } | undefined;
  /** Asks it to end, waits, and after 10 s ends it the hard way. */
  stop(): Promise<void>;
}

/** A built file of the bench, by its path from the bench's folder: `peers/tunnel.js`. */
export function benchScript(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** A file of the source tree that is not built, by its path from the project's folder. */
export function fileFromRoot(path: string): string {
  return benchScript(`../../${path}`);
}

/** The bin of the built command line program. */
export const WAYMARK = fileURLToPath(new URL("../cli/main.cjs", import.meta.url));

export function nodeProgram(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Program {
  return { command: process.execPath, args: [script, ...args], env };
}

/** The same Node program with its peak memory measured; that takes time, of which its speed should know nothing. */
export function withPeak(program: Program): Program {
  return { ...program, args: ["--require", benchScript("peak.cjs"), ...program.args] };
}

/** The Python that `python3` or `python` starts, by its own path so that no wrapper is timed; undefined when there is none. */
export function findPython(): string | undefined {
  for (const name of ["python3", "python"]) {
    const asked = spawnSync(name, ["-c", "import sys; assert sys.version_info >= (3, 6); print(sys.executable)"]);
    if (asked.status === 0) return asked.stdout.toString().trim();
  }
  return undefined;
}

/** Runs a program to its end. Rejects only when it cannot be started. */
export async function runToEnd({ command, args, env }: Program): Promise<Finished> {
  const peakFile = join(benchFolder(), `peak-${process.pid}`);
  const startedAt = performance.now();
  const [program = command, ...rest] = process.platform === "win32" ? [command, ...args] : [...TIMED, command, ...args];
  const child = spawn(program, rest, {
    env: { ...process.env, ...env, BENCH_PEAK_FILE: peakFile },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const output = collect(child);
  const times: Buffer[] = [];
  (child.stdio[3] as Readable | null)?.on("data", (bytes: Buffer) => times.push(bytes));
  const [code] = (await once(watched(child), "close")) as [number | null];
  const wallMs = performance.now() - startedAt;
  return { wallMs, cpuMs: cpuFrom(Buffer.concat(times).toString()), peakMb: takePeak(peakFile), code, ...output };
}

/** Starts what follows and writes the processor times to descriptor 3 (`times` of POSIX: the second line is the children's). */
const TIMED = ["/bin/sh", "-c", '"$@" 3>&-; code=$?; times >&3; exit $code', "sh"];

function cpuFrom(times: string): number | undefined {
  const [, children = ""] = times.split("\n");
  const parts = [...children.matchAll(/([0-9]+)m([0-9.]+)s/g)];
  if (parts.length !== 2) return undefined;
  return parts.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000, 0);
}

/** Starts a program and waits until it says `listening on http...:PORT` on stdout or stderr. Rejects when it ends before. */
export async function startService({ command, args, env }: Program): Promise<Service> {
  const child = watched(spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] }));
  const output = collect(child);
  const port = await new Promise<number>((resolve, reject) => {
    const look = (): void => {
      const found = /listening on https?:\/\/\S*:([0-9]+)/.exec(output.stdout + output.stderr)?.[1];
      if (found !== undefined) resolve(Number(found));
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.on("error", reject);
    child.on("close", (code) =>
      reject(new Error(`${args.join(" ")} ended with ${code} before it listened:\n${output.stderr}`)),
    );
  });
  return {
    port,
    peakMb: () => peakOf(child.pid),
    cpuMs: () => cpuOf(child.pid),
    sockets: () => socketsOf(child.pid),
    stop: () => stop(child),
  };
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)
  process.once(signal, () => process.exit(code));

/** No child outlives the bench, however it ends. */
function watched(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once("close", () => running.delete(child));
  return child;
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output.stderr = (output.stderr + text).slice(-64_000);
  });
  return output;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGTERM");
  const impatient = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await closed;
  clearTimeout(impatient);
}

function takePeak(file: string): number | undefined {
  try {
    const kb = Number(readFileSync(file, "latin1"));
    rmSync(file);
    return kb > 0 ? kb / 1024 : undefined;
  } catch {
    return undefined; // a program that does not measure itself, or that was killed
  }
}

function peakOf(pid: number | undefined): number | undefined {
  if (process.platform !== "linux" || pid === undefined) return undefined;
  try {
    const kb = /VmHWM:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined; // it has ended
  }
}

/** State of a listening socket in /proc/net/tcp. */
const LISTEN = "0A";

function socketsOf(pid: number | undefined): { descriptors: number; listeners: number } | undefined {
  if (process.platform !== "linux" || pid === undefined) return undefined;
  try {
    const folder = `/proc/${pid}/fd`;
    const links = readdirSync(folder).flatMap((name) => linkOf(join(folder, name)));
    const listening = new Set(["tcp", "tcp6"].flatMap(listeningInodes));
    const inode = (link: string): string => /^socket:\[([0-9]+)\]$/.exec(link)?.[1] ?? "";
    return { descriptors: links.length, listeners: links.filter((link) => listening.has(inode(link))).length };
  } catch {
    return undefined; // it has ended
  }
}

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return []; // closed meanwhile
  }
}

function listeningInodes(table: string): string[] {
  const rows = readFileSync(`/proc/net/${table}`, "latin1").trim().split("\n").slice(1);
  return rows.map((row) => row.trim().split(/\s+/)).flatMap((row) => (row[3] === LISTEN ? [row[9] ?? ""] : []));
}

/** Linux counts a process's time in ticks of 10 ms for every program that asks (USER_HZ, time(7)). */
const TICK_MS = 10;

function cpuOf(pid: number | undefined): number | undefined {
  if (process.platform !== "linux" || pid === undefined) return undefined;
  try {
    // proc(5): utime and stime are fields 14 and 15, counted after the command, which may hold spaces
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined; // it has ended
  }
}
