import type { Writable } from "node:stream";

/** What a verb may say and to whom: data to stdout, talk to stderr. Handed in, so that verbs can be tested without a process. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  readonly colour: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The process's own terminal. A reader of stdout that goes away ends the process quietly, as a pipe's writer should. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  stdout.on("error", (error: NodeJS.ErrnoException) => endQuietly(error));
  stderr.on("error", () => undefined); // nobody listens: nothing to say it to
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    outIsTerminal: stdout.isTTY === true,
    errIsTerminal: stderr.isTTY === true,
    colour: wantsColour(stdout, env),
    env,
  };
}

/** NO_COLOR (any value) switches colour off, FORCE_COLOR on; else a terminal that is not `dumb` has colour. */
export function wantsColour(stream: Writable & { isTTY?: boolean }, env: Terminal["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}

const SIGPIPE_EXIT = 141;

function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE" || error.code === "EOF") process.exit(SIGPIPE_EXIT);
  process.stderr.write(`waymark: stdout cannot be written (${error.code ?? error.message})\n`);
  process.exit(3);
}
