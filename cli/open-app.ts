import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuthority } from "../certs/authority.ts";
import { writeBundle } from "../certs/bundle.ts";
import { asText } from "../grader/report/text.ts";
import { formatEndpoint } from "../proxy/intercept/authority.ts";
import type { Endpoint } from "../proxy/intercept/interceptor.ts";
import {
  browserArguments,
  type LaunchEnd,
  launch,
  launchEnvironment,
  launchInteractive,
} from "../proxy/launch/index.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import type { Target } from "./open-target.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

interface Opening {
  readonly args: Arguments;
  readonly terminal: Terminal;
  /** Fires at Ctrl-C. */
  readonly stop: AbortSignal;
  /** Of the signal that fired. */
  exitCode(): number | undefined;
}

/**
 * Starts the target under the proxy and resolves when it, and all it started, has ended; its profile and temporary files are
 * then gone. Throws WM_OPEN_FAILED when it could not be started or ended with an error, unless it was stopped.
 */
export async function openedUnder(address: Endpoint, target: Target, opening: Opening): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-open-"));
  const { authority } = await openAuthority();
  const proxyUrl = `http://${formatEndpoint(address)}`;
  const paths = { proxyUrl, certFile: authority.certFile, folder };
  const { env, temporary } = launchEnvironment({
    ...paths,
    base: opening.terminal.env,
    bundleFile: writeBundle(authority),
    extra: { WAYMARK_ACTIVE: "1" },
  });
  try {
    const command = target.kind === "terminal" ? target.command : withSwitches(target, { ...paths, env });
    tellOpening(target, proxyUrl, opening);
    await (target.kind === "terminal" ? seeShell(command, env, opening) : seeApp(command, { env, folder }, opening));
  } finally {
    for (const made of [temporary, folder]) rmSync(made, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** An app named by its path is Electron whatever lies beside it; the switches must stand before its own arguments. */
function withSwitches(
  { kind, command }: Target,
  surroundings: Parameters<typeof browserArguments>[1],
): readonly string[] {
  const asked = kind === "electron" ? "electron" : "chromium";
  return browserArguments(command, { ...surroundings, kind: asked }).command;
}

function tellOpening({ kind, command }: Target, proxyUrl: string, { args, terminal }: Opening): void {
  if (args.flag("quiet")) return;
  const how = kind === "terminal" ? "ends with exit" : "ends when it is closed, or with Ctrl-C";
  terminal.err(`waymark opens ${asText(command[0] ?? "")} under ${proxyUrl}; ${how}\n`);
}

const INTERRUPTED = 130;

async function seeShell(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  { stop, exitCode }: Opening,
): Promise<void> {
  const running = launchInteractive({ command, env });
  const onStop = (): void => {
    // On a terminal Ctrl-C belongs to what the shell runs.
    if (process.stdin.isTTY !== true || exitCode() !== INTERRUPTED) void running.stop();
  };
  stop.addEventListener("abort", onStop, { once: true });
  const end = await running.ended;
  stop.removeEventListener("abort", onStop);
  if (end.kind === "failed") throw waymarkError("WM_OPEN_FAILED", end.reason);
}

async function seeApp(
  command: readonly string[],
  { env, folder }: { readonly env: Readonly<Record<string, string>>; readonly folder: string },
  { args, terminal, stop }: Opening,
): Promise<void> {
  const running = launch({
    command,
    env,
    stdoutFile: join(folder, "stdout.txt"),
    stderrFile: join(folder, "stderr.txt"),
    onOutput: (_, chunk) => {
      if (args.flag("verbose")) terminal.err(chunk.toString("utf8").split("\n").map(asText).join("\n"));
    },
  });
  const onStop = (): void => void running.stop("waymark was stopped", "interrupted");
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) onStop();
  const end = await running.ended;
  stop.removeEventListener("abort", onStop);
  const { stderr } = await running.details;
  const why = failureOf(end);
  if (why === undefined) return;
  const words = stderr.lastLines.filter((line) => line.trim() !== "").slice(-3);
  throw waymarkError("WM_OPEN_FAILED", [why, ...words.map(asText)].join("\n"));
}

function failureOf(end: LaunchEnd): string | undefined {
  switch (end.kind) {
    case "failed":
      return end.reason;
    case "exited":
      return end.code === 0 ? undefined : `it ended with ${end.code}`;
    case "killed":
      return `it was ended by ${end.signal}`;
    default:
      return undefined;
  }
}
