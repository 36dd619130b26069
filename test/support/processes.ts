import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { AGENT_VARIABLES } from "../../cli/reporter-guess.ts";
import { MAIN } from "./project.ts";

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string | undefined>;
  readonly stdin?: string | Buffer;
  /** One that takes longer is killed. */
  readonly endAfterMs?: number;
}

/** Runs a program to its end and resolves with what it said. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  const child = spawn(command, args, { cwd: options.cwd, env: { ...own(), ...options.env }, stdio: "pipe" });
  const said = listen(child);
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.stdin ?? "");
  const { endAfterMs } = options;
  const timer = endAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), endAfterMs);
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  return { code, signal, ...said };
}

/** This process's environment without what makes waymark choose other reporters: tests run by agents and on CI, too. */
function own(): NodeJS.ProcessEnv {
  const strange = new Set<string>([...AGENT_VARIABLES, "GITHUB_ACTIONS"]);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !strange.has(name)));
}

/** Runs `waymark` as built. Without options the environment has no WAYMARK_ variables of the caller. */
export function waymark(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runProgram(process.execPath, [MAIN, ...args], { ...options, env: { NO_COLOR: "1", ...options.env } });
}

export interface RunningProxy {
  readonly port: number;
  readonly url: string;
  readonly child: ChildProcess;
  /** Ends it with a signal and resolves with what it said. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

/** Starts `waymark proxy` on a free port and resolves once it listens; it is ended when the test ends. */
export function startProxy(
  t: Pick<TestContext, "after">,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunningProxy> {
  return startListening(t, ["proxy", "--port", "0", ...args], options);
}

/** Starts `waymark serve` on a free port; as `startProxy`. */
export function startServe(
  t: Pick<TestContext, "after">,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunningProxy> {
  return startListening(t, ["serve", "--port", "0", ...args], options);
}

async function startListening(
  t: Pick<TestContext, "after">,
  words: readonly string[],
  options: RunOptions,
): Promise<RunningProxy> {
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: "1", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = listen(child);
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const stop = async (signal: NodeJS.Signals = "SIGINT"): Promise<Finished> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const [code, ended] = await closed;
    return { code, signal: ended, ...said };
  };
  t.after(() => stop("SIGKILL"));
  const port = await listeningPort(child, said, closed);
  return { port, url: `http://127.0.0.1:${port}`, child, stop };
}

async function listeningPort(child: ChildProcess, said: { stderr: string }, closed: Promise<unknown>): Promise<number> {
  for (;;) {
    const port = /listening on http:\/\/(?:127\.0\.0\.1|0\.0\.0\.0|\[::1\]|localhost):([0-9]+)/.exec(said.stderr)?.[1];
    if (port !== undefined) return Number(port);
    const more = child.stderr === null ? closed : once(child.stderr, "data");
    const ended = await Promise.race([more.then(() => false), closed.then(() => true)]);
    if (ended) throw new Error(`it did not start:\n${said.stderr}`);
  }
}

function listen(child: ChildProcess): { stdout: string; stderr: string } {
  const said = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
  });
  return said;
}
