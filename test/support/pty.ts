import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import xterm from "@xterm/headless";
import { MAIN } from "./project.ts";
import { scratchFolder } from "./scratch.ts";

const help = spawnSync("script", ["--help"], { encoding: "utf8" });
/** The test option of a test that needs a pseudo-terminal, which `script` of util-linux opens. */
export const NEEDS_PTY = {
  skip: help.status === 0 && help.stdout.includes("--return") ? false : "there is no `script` of util-linux",
};

export interface PtyOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** A program in a pseudo-terminal whose output a terminal emulator draws. */
export interface Pty {
  /** What stands on the screen now, a line each, without spaces at their ends. */
  screen(): string;
  /** Everything that was written to the terminal. */
  raw(): string;
  type(keys: string): void;
  resize(columns: number, rows: number): Promise<void>;
  /** Resolves with the screen once the pattern is on it; rejects with it when it never is. */
  shows(pattern: RegExp): Promise<string>;
  /** The exit code, when it has ended. */
  readonly ended: Promise<number | null>;
}

const PATIENCE_MS = 60_000;

/** Runs `waymark` as built in a pseudo-terminal; ended when the test ends. */
export function openPty(t: Pick<TestContext, "after">, words: readonly string[], options: PtyOptions): Pty {
  const { cwd, env = {}, columns = 90, rows = 24 } = options;
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const noted = join(scratchFolder(t), "tty");
  const command = [process.execPath, MAIN, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const shell = `tty > '${noted}'; stty rows ${rows} cols ${columns}; exec ${command}`;
  const child = spawn("script", ["--quiet", "--flush", "--return", "--command", shell, "/dev/null"], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let said = "";
  let drawn: Promise<void> = Promise.resolve();
  const hearers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    drawn = new Promise((done) => terminal.write(text, done));
    void drawn.then(() => {
      for (const hear of hearers) hear();
    });
  });
  child.stdin.on("error", () => undefined);
  const ended = once(child, "close").then(([code]) => code as number | null);
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
    terminal.dispose();
  });
  const screen = (): string => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: terminal.rows }, (_, at) => active.getLine(active.viewportY + at));
    return lines.map((line) => line?.translateToString(true, 0, terminal.cols) ?? "").join("\n");
  };
  return {
    screen,
    raw: () => said,
    type: (keys) => void child.stdin.write(keys),
    resize: async (newColumns, newRows) => {
      terminal.resize(newColumns, newRows);
      const tty = readFileSync(noted, "utf8").trim();
      spawnSync("stty", ["-F", tty, "rows", String(newRows), "cols", String(newColumns)]);
      await drawn;
    },
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => (): void => settle(() => reject(new Error(`${why} ${pattern}:\n${screen()}`)));
        const timer = setTimeout(fail("the screen never showed"), PATIENCE_MS);
        const settle = (end: () => void): void => {
          clearTimeout(timer);
          hearers.delete(look);
          end();
        };
        const look = (): void => {
          const now = screen();
          if (pattern.test(now)) settle(() => resolve(now));
        };
        hearers.add(look);
        void ended.then(() => drawn).then(fail("it ended without showing"));
        look();
      }),
    ended,
  };
}
