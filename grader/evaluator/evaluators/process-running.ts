import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { basename, win32 } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { type Evaluator, seen, unseen } from "./evaluator.ts";

const schema = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(255)
    .describe("Name of the program's file, exactly; on Windows with or without .exe and in any case."),
  arguments_contain: z
    .string()
    .min(1)
    .optional()
    .describe("Text that its command line holds; tells scripts of one interpreter apart."),
  running: z.boolean().default(true).describe("false: no such process may run."),
});

type Args = z.infer<typeof schema>;

/** One process, as the operating system names it. */
export interface ProcessSeen {
  readonly pid: number;
  /** Names it goes by: its program's file, the first word of its command line, what it calls itself. */
  readonly names: readonly string[];
  readonly commandLine: string;
}

/**
 * `process_running`: a process of this name runs. The name is compared whole: `teams` is not `ms-teams`. A name is that of
 * the program's file, of the first word of its command line, or what the process calls itself (Linux keeps only the first
 * 15 bytes of that, so a longer name never matches by it). Zombies do not run. The server's own process does not count.
 */
export const processRunning: Evaluator<Args> = {
  name: "process_running",
  summary: "A process of exactly this name runs.",
  schema,
  example: { name: "ms-teams" },
  paths: () => [],
  async look({ name, running, arguments_contain: wanted }) {
    let all: readonly ProcessSeen[];
    try {
      all = await listProcesses(process.platform);
    } catch (error) {
      return unseen(
        "WM_SERVE_LOOK",
        `processes cannot be listed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    const found = all.filter((one) => isNamed(one, name) && (wanted === undefined || one.commandLine.includes(wanted)));
    const words = [`a process named ${name} runs`, `no process named ${name} runs`] as const;
    const facts = { running: found.length > 0, count: found.length, pids: found.slice(0, 100).map(({ pid }) => pid) };
    return running
      ? seen(found.length > 0, words, facts)
      : seen(found.length === 0, [words[1], `${words[0]}, and must not`], facts);
  },
};

/** Whether a process goes by this name. Exported for the tests of each platform's rule. */
export function isNamed({ names }: ProcessSeen, wanted: string, platform: NodeJS.Platform = process.platform): boolean {
  if (platform !== "win32") return names.includes(wanted);
  const plain = (name: string): string => name.toLowerCase().replace(/\.exe$/, "");
  return names.some((name) => plain(name) === plain(wanted));
}

/** Every process that this user may see, but not this one. */
export async function listProcesses(platform: NodeJS.Platform): Promise<readonly ProcessSeen[]> {
  const all = platform === "linux" ? await fromProc() : platform === "win32" ? await fromTasklist() : await fromPs();
  return all.filter(({ pid }) => pid !== process.pid);
}

async function fromProc(): Promise<readonly ProcessSeen[]> {
  const pids = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name));
  const found = await Promise.all(pids.map(procOf));
  return found.flatMap((one) => one ?? []);
}

/** proc(5). A process that ends meanwhile is none. */
async function procOf(pid: string): Promise<ProcessSeen | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    const ownName = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
    if (state === "Z" || state === "X") return undefined;
    const words = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0").filter((word) => word !== "");
    const program = await readlink(`/proc/${pid}/exe`).catch(() => undefined); // other users' are not to be seen
    const names = [program?.replace(/ \(deleted\)$/, ""), words[0], ownName].flatMap((name) =>
      name === undefined ? [] : [basename(name)],
    );
    return { pid: Number(pid), names, commandLine: words.join(" ") };
  } catch {
    return undefined;
  }
}

const run = promisify(execFile);
const LIMITS = { timeout: 15_000, maxBuffer: 33_554_432, windowsHide: true };

async function fromPs(): Promise<readonly ProcessSeen[]> {
  const [{ stdout: names }, { stdout: lines }] = await Promise.all([
    run("ps", ["-axo", "pid=,stat=,comm="], LIMITS),
    run("ps", ["-axo", "pid=,args="], LIMITS),
  ]);
  return parsePs(names, lines);
}

/** Reads what `ps -axo pid=,stat=,comm=` and `ps -axo pid=,args=` print. */
export function parsePs(names: string, lines: string): readonly ProcessSeen[] {
  const commandLines = new Map(
    lines.split("\n").flatMap((line) => {
      const [, pid, words] = /^\s*([0-9]+)\s+(.*)$/.exec(line) ?? [];
      return pid === undefined || words === undefined ? [] : [[pid, words] as const];
    }),
  );
  return names.split("\n").flatMap((line) => {
    const [, pid, state = "", program] = /^\s*([0-9]+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || program === undefined || state.startsWith("Z")) return [];
    return [{ pid: Number(pid), names: [basename(program.trim())], commandLine: commandLines.get(pid) ?? program }];
  });
}

async function fromTasklist(): Promise<readonly ProcessSeen[]> {
  const { stdout } = await run("tasklist", ["/FO", "CSV", "/NH"], LIMITS);
  return parseTasklist(stdout);
}

/** Reads what `tasklist /FO CSV /NH` prints; it shows no command lines, so the image name stands for it. */
export function parseTasklist(text: string): readonly ProcessSeen[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, pid] = /^"([^"]+)","([0-9]+)"/.exec(line) ?? [];
    return name === undefined || pid === undefined
      ? []
      : [{ pid: Number(pid), names: [win32.basename(name)], commandLine: name }];
  });
}
