import { WaymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { WAYMARK_VERSION } from "../proxy/record/version.ts";
import { commandLine, runProcess, runVerb } from "./command-line.ts";
import type { Terminal } from "./terminal.ts";
import { VERBS } from "./verbs.ts";

/** Runs the command line of this process and leaves its exit code. */
export async function runWaymark(words: readonly string[]): Promise<void> {
  await runProcess(words, dispatch);
}

/** Runs one command line and resolves with its exit code (DESIGN.md section 5); never rejects. */
export async function waymark(words: readonly string[], terminal: Terminal): Promise<number> {
  return commandLine(words, terminal, dispatch);
}

async function dispatch([word = "", ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (word === "" || word === "--help" || word === "-h") {
    terminal.out(overview());
    return 0;
  }
  if (word === "--version") {
    terminal.out(`${WAYMARK_VERSION}\n`);
    return 0;
  }
  const load = VERBS.find(({ name }) => name === word)?.load;
  if (load === undefined) throw unknownVerb(word);
  return runVerb(await load(), rest, terminal);
}

function unknownVerb(word: string): WaymarkError {
  const known = VERBS.map(({ name }) => name);
  return new WaymarkError({
    code: "WM_USAGE",
    severity: "error",
    message: `waymark has no verb "${word}"${didYouMean(word, known)}`,
    fix: word.startsWith("-")
      ? "Options come after the verb, such as `waymark grade -s NAME`."
      : `Known verbs: ${known.join(", ")}.`,
  });
}

function overview(): string {
  const width = Math.max(...VERBS.map(({ name }) => name.length));
  const lines = VERBS.map(({ name, describe }) => `  ${name.padEnd(width)}  ${describe}`);
  return `waymark ${WAYMARK_VERSION}: grades what an app or an agent really did, from the telemetry it sends

usage: waymark <verb> [words] [options]      waymark <verb> --help says more

${lines.join("\n")}

Exit codes: 0 passed, 1 graded and failed, 2 wrong use or scenario file, 3 could not grade, 4 nothing selected,
70 a bug in waymark, 130/143 interrupted.
`;
}
