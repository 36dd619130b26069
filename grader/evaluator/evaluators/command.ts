import { type ChildProcess, spawn } from "node:child_process";
import * as z from "zod";
import { parseDuration, showWait } from "../duration.ts";
import { durationText } from "./arguments.ts";
import { type Evaluator, seen, unseen } from "./evaluator.ts";

const schema = z.strictObject({
  name: z.string().min(1).describe("A command that the server was started with: --allow-command NAME=COMMAND."),
  exit_code: z.number().int().default(0),
  contains: z.string().min(1).optional().describe("Text that it prints on stdout."),
  timeout: durationText.default("10s"),
});

type Args = z.infer<typeof schema>;

const MOST_TIMEOUT_MS = 60_000;
/** Characters of the output that are kept and looked at. */
const MOST_OUTPUT = 1_048_576;
/** Characters of the output that an answer shows. */
const MOST_SHOWN = 65_536;

/** `command`: a command that was listed beforehand ends as wanted. A request can choose one, never write one. */
export const command: Evaluator<Args> = {
  name: "command",
  summary: "A command that the server was started with (and no other) ends with this exit code and output.",
  schema,
  example: { name: "database-is-consistent" },
  paths: () => [],
  async look({ name, exit_code: wanted, contains, timeout }, { commands, signal }) {
    const words = commands.get(name);
    const known = [...commands.keys()].join(", ") || "none";
    if (words === undefined)
      return unseen("WM_SERVE_COMMAND", `the command "${name}" is not allowed here (allowed: ${known})`);
    const limitMs = Math.min(parseDuration(timeout) ?? 0, MOST_TIMEOUT_MS);
    const ended = await runCommand(words, limitMs, signal);
    if (ended.trouble !== undefined)
      return unseen("WM_SERVE_LOOK", `the command "${name}" ${ended.trouble}`, {
        stdout: ended.stdout.slice(0, MOST_SHOWN),
      });
    const facts = { exit_code: ended.code, stdout: ended.stdout.slice(0, MOST_SHOWN) };
    if (ended.code !== wanted)
      return seen(false, ["", `the command "${name}" ended with ${ended.code}, not ${wanted}`], facts);
    const holds = contains === undefined || ended.stdout.includes(contains);
    if (!holds && ended.isCut)
      return unseen(
        "WM_SERVE_LIMIT",
        `"${name}" prints more than ${MOST_OUTPUT} characters; the rest was not looked at`,
        facts,
      );
    return seen(
      holds,
      [
        `the command "${name}" ended with ${wanted}`,
        `the output of "${name}" does not contain ${JSON.stringify(contains)}`,
      ],
      facts,
    );
  },
};

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly isCut: boolean;
  readonly trouble?: string;
}

/** What a command printed before it ended is read this long; a grandchild that keeps the pipe open must not keep us. */
const DRAIN_MS = 1000;
const CAN_GROUP = process.platform !== "win32";

/**
 * Runs a program without a shell, and ends it with all that it started at the limit or with the signal. Characters of its
 * output beyond MOST_OUTPUT are not kept.
 */
function runCommand([program = "", ...args]: readonly string[], limitMs: number, signal?: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const { WAYMARK_TOKEN: _, ...env } = process.env;
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "ignore"],
      windowsHide: true,
      detached: CAN_GROUP,
      env,
    });
    let stdout = "";
    let isCut = false;
    let trouble: string | undefined;
    let drain: NodeJS.Timeout | undefined;
    const end = (why: string): void => {
      trouble ??= why;
      killTree(child);
    };
    const timer = setTimeout(() => end(`did not end within ${showWait(limitMs)}`), limitMs);
    const leave = (): void => end("was ended, because nobody waits for it");
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted === true) leave();
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      isCut ||= stdout.length + text.length > MOST_OUTPUT;
      stdout = (stdout + text).slice(0, MOST_OUTPUT);
    });
    child.once("error", (error) => {
      trouble ??= `cannot be started: ${error.message}`;
    });
    child.once("exit", () => {
      drain = setTimeout(() => child.stdout.destroy(), DRAIN_MS);
    });
    child.once("close", (code, killedBy) => {
      clearTimeout(timer);
      clearTimeout(drain);
      signal?.removeEventListener("abort", leave);
      const why = trouble ?? (code === null ? `was killed by ${killedBy}` : undefined);
      resolve({ code: code ?? -1, stdout, isCut, ...(why === undefined ? {} : { trouble: why }) });
    });
  });
}

/** A program is the leader of its own group, so that what it started goes with it; Windows ends the program alone. */
function killTree(child: ChildProcess): void {
  if (!CAN_GROUP || child.pid === undefined) {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // the group is gone already
  }
}
