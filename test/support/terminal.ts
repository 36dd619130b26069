import { waymark } from "../../cli/waymark.ts";

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line inside this process; relative paths are those of the test's own working folder. */
export async function say(words: readonly string[], env: Record<string, string> = {}): Promise<Said> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await waymark(words, {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    outIsTerminal: false,
    errIsTerminal: false,
    colour: false,
    env,
  });
  return { code, stdout: out.join(""), stderr: err.join("") };
}
