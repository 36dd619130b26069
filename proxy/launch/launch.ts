import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { resolveCommand } from "./command.ts";
import { endAll, type Quarry, waitForNone } from "./ending.ts";
import type { Root } from "./family.ts";
import { forget, watchOver } from "./guard-process.ts";
import { collectOutput, type Output, type OutputSummary } from "./output.ts";
import { startOf } from "./process-table.ts";

/** How a launch ended; the shape of `LaunchEnd` in a run's manifest. */
export type LaunchEnd =
  | { readonly kind: "exited"; readonly code: number }
  /** By a signal that waymark did not send. */
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "timeout"; readonly afterMs: number }
  /** The command could not be started. */
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "stopped"; readonly reason: string }
  | { readonly kind: "interrupted"; readonly reason: string };

export interface LaunchOrder {
  /** Program and arguments, handed over as they are; no shell comes between. */
  readonly command: readonly string[];
  readonly cwd?: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly timeoutMs?: number;
  /** Between SIGTERM and SIGKILL, and what processes get that outlive the main one; 5 s by default. */
  readonly graceMs?: number;
  /** Cap of each output file; 16 MiB by default. */
  readonly maxOutputBytes?: number;
  /** Told what goes into the output files, as it comes. */
  readonly onOutput?: (stream: "stdout" | "stderr", chunk: Buffer) => void;
}

/** What else there is to say of a launch that has ended. */
export interface LaunchDetails {
  readonly stdout: OutputSummary;
  readonly stderr: OutputSummary;
  /** Milliseconds until the main process was gone. */
  readonly mainMs: number;
  /** Processes that outlived the main one and were ended, by name. */
  readonly leftBehind: readonly string[];
  /** Processes that could not be ended, by name and id. */
  readonly survivors: readonly string[];
}

export interface Launch {
  /** Undefined when the command could not be started. */
  readonly pid: number | undefined;
  /** Resolves when no process of the launch is left and the output files are closed. Never rejects. */
  readonly ended: Promise<LaunchEnd>;
  /** Resolves after `ended`. */
  readonly details: Promise<LaunchDetails>;
  /** Ends all processes of the launch; what has already ended keeps its end. Safe to call more than once. */
  stop(reason: string, kind?: "stopped" | "interrupted"): Promise<LaunchEnd>;
}

const GRACE_MS = 5_000;
const MAX_OUTPUT_BYTES = 16_777_216;
/** The variable by which the processes of a launch are found again; its value is new for each. */
export const MARK = "WAYMARK_LAUNCH_ID";
/** How long output may still trickle out of a pipe that nobody holds any more. */
const DRAIN_MS = 500;

/**
 * Starts a command in a process group of its own and sees it, and all it started, to the end: by itself, at the timeout,
 * or by `stop`. Processes that outlive the main one get `graceMs` to end by themselves and are then ended. Should this
 * process die, whatever way, a guard ends them all. A command that cannot be started gives a launch that has `failed`.
 */
export function launch(order: LaunchOrder): Launch {
  const { cwd = process.cwd(), graceMs = GRACE_MS } = order;
  const id = randomUUID();
  const env = { ...order.env, [MARK]: id };
  const resolved = resolveCommand(order.command, { cwd, env });
  if (resolved.kind === "unstartable") return failed(resolved.reason);
  const mark = `${MARK}=${id}`;
  watchOver({ mark, graceMs });
  const child = begin(() =>
    spawn(resolved.file, [...resolved.args], {
      cwd,
      env,
      argv0: resolved.verbatim ? resolved.file : (order.command[0] ?? resolved.file),
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
      windowsVerbatimArguments: resolved.verbatim,
    }),
  );
  if (child.kind === "failed") {
    forget(mark);
    return failed(whyNotStarted(child.cause, resolved.file));
  }
  const root = rootOf(child.process);
  if (root !== undefined) watchOver({ mark, root, graceMs });
  return follow(child.process, { root, mark }, order, graceMs);
}

function follow(child: ChildProcess, quarry: Quarry, order: LaunchOrder, graceMs: number): Launch {
  const started = performance.now();
  const outputs = collect(child, order);
  const hurry = new AbortController();
  let cause: LaunchEnd | undefined;
  let ending: ReturnType<typeof endAll> | undefined;
  const exited = exitOf(child).then((end) => {
    const mainMs = Math.round(performance.now() - started);
    return { end: cause ?? end, mainMs };
  });
  const end = (why: LaunchEnd): void => {
    hurry.abort();
    if (cause !== undefined || child.exitCode !== null || child.signalCode !== null) return;
    cause = why;
    ending = endAll(quarry, graceMs);
  };
  const { timeoutMs } = order;
  const timer = timeoutMs && setTimeout(() => end({ kind: "timeout", afterMs: timeoutMs }), timeoutMs);
  const finish = async (): Promise<Finished> => {
    const main = await Promise.race([exited, once(hurry.signal, "abort").then(() => gaveUp())]);
    clearTimeout(timer || undefined);
    if (ending === undefined) await waitForNone(quarry, graceMs, hurry.signal);
    const { ended, survivors } = await (ending ?? endAll(quarry, graceMs));
    await drained(child);
    const [stdout, stderr] = await Promise.all([outputs.stdout.close(), outputs.stderr.close()]);
    if (survivors.length === 0) forget(quarry.mark);
    const leftBehind = cause === undefined ? ended.map(({ name }) => name) : [];
    return {
      end: main.end,
      details: {
        stdout,
        stderr,
        mainMs: main.mainMs,
        leftBehind,
        survivors: survivors.map(({ name, pid }) => `${name} (${pid})`),
      },
    };
  };
  /** A main process that not even SIGKILL ends must not hold up the run. */
  const gaveUp = async (): Promise<{ end: LaunchEnd; mainMs: number }> => {
    await ending;
    return Promise.race([
      exited,
      pause(DRAIN_MS).then(() => ({
        end: cause ?? { kind: "stopped", reason: "it could not be ended" },
        mainMs: Math.round(performance.now() - started),
      })),
    ]);
  };
  const finished = finish();
  const ended = finished.then((both) => both.end);
  return {
    pid: child.pid,
    ended,
    details: finished.then((both) => both.details),
    stop(reason, kind = "stopped") {
      end({ kind, reason });
      return ended;
    },
  };
}

interface Finished {
  readonly end: LaunchEnd;
  readonly details: LaunchDetails;
}

function collect(child: ChildProcess, order: LaunchOrder): { readonly stdout: Output; readonly stderr: Output } {
  const { maxOutputBytes: maxBytes = MAX_OUTPUT_BYTES, onOutput } = order;
  const one = (name: "stdout" | "stderr", file: string): Output =>
    collectOutput(child[name] ?? Readable.from([]), {
      file,
      maxBytes,
      onChunk: onOutput && ((chunk) => onOutput(name, chunk)),
    });
  return { stdout: one("stdout", order.stdoutFile), stderr: one("stderr", order.stderrFile) };
}

function exitOf(child: ChildProcess): Promise<LaunchEnd> {
  return new Promise((resolve) => {
    child.on("error", (cause) => {
      // `error` also tells of a signal that could not be sent; only a process without an id was never started
      if (child.pid === undefined) resolve({ kind: "failed", reason: whyNotStarted(cause, child.spawnfile) });
    });
    child.on("exit", (code, signal) =>
      resolve(signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "killed", signal }),
    );
  });
}

/** Waits until both pipes are at their end: what the program wrote last is still on its way when it exits. */
async function drained(child: ChildProcess): Promise<void> {
  const open = [child.stdout, child.stderr].filter((stream) => stream !== null && !stream.readableEnded);
  const ends = open.map((stream) => new Promise((resolve) => stream?.once("end", resolve).once("error", resolve)));
  const limit = new AbortController();
  await Promise.race([Promise.all(ends), pause(DRAIN_MS, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
}

function begin(
  start: () => ChildProcess,
): { kind: "begun"; process: ChildProcess } | { kind: "failed"; cause: unknown } {
  try {
    return { kind: "begun", process: start() };
  } catch (cause) {
    return { kind: "failed", cause };
  }
}

function failed(reason: string): Launch {
  const nothing: OutputSummary = { bytes: 0, omitted: 0, lastLines: [] };
  const ended = Promise.resolve<LaunchEnd>({ kind: "failed", reason });
  const details = { stdout: nothing, stderr: nothing, mainMs: 0, leftBehind: [], survivors: [] };
  return { pid: undefined, ended, details: Promise.resolve(details), stop: () => ended };
}

const REASONS: Readonly<Record<string, string>> = {
  E2BIG: "its arguments and environment are longer than the system allows",
  EACCES: "it may not be executed, or the interpreter its first line names may not",
  EAGAIN: "the system allows no more processes",
  ENOENT: "the interpreter its first line names does not exist",
  ENOEXEC: "it is no program for this machine; a script needs a first line such as #!/bin/sh",
  EMFILE: "too many files are open",
};

/** Why the system did not start a program, in words. */
export function whyNotStarted(cause: unknown, file: string): string {
  const { code = "", message = String(cause) } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
  const words = REASONS[code];
  return words === undefined
    ? `"${file}" cannot be started: ${message}`
    : `"${file}" cannot be started (${code}): ${words}`;
}

function rootOf({ pid }: ChildProcess): Root | undefined {
  return pid === undefined ? undefined : { pid, startedAt: startOf(pid) };
}
