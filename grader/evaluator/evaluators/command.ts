import { spawn } from "node:child_process";
import { z } from "zod";
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
const MOST_OUTPUT = 65_536;

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
      return unseen("WM_SERVE_LOOK", `the command "${name}" ${ended.trouble}`, { stdout: ended.stdout });
    const facts = { exit_code: ended.code, stdout: ended.stdout };
    if (ended.code !== wanted)
      return seen(false, ["", `the command "${name}" ended with ${ended.code}, not ${wanted}`], facts);
    const holds = contains === undefined || ended.stdout.includes(contains);
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
  readonly trouble?: string;
}

/** Runs a program without a shell; kills it at the limit. Its output is cut at 64 KiB. */
function runCommand([program = "", ...args]: readonly string[], limitMs: number, signal?: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "ignore"],
      windowsHide: true,
      ...(signal === undefined ? {} : { signal }),
    });
    let stdout = "";
    let trouble: string | undefined;
    const timer = setTimeout(() => {
      trouble = `did not end within ${showWait(limitMs)}`;
      child.kill("SIGKILL");
    }, limitMs);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout = (stdout + text).slice(0, MOST_OUTPUT);
    });
    const done = (ended: Ended): void => {
      clearTimeout(timer);
      resolve(ended);
    };
    child.once("error", (error) => done({ code: -1, stdout, trouble: `cannot be started: ${error.message}` }));
    child.once("exit", (code, killedBy) => {
      child.stdout.destroy(); // a grandchild that keeps the pipe open must not keep us
      const why = trouble ?? (code === null ? `was killed by ${killedBy}` : undefined);
      done({ code: code ?? -1, stdout, ...(why === undefined ? {} : { trouble: why }) });
    });
  });
}
