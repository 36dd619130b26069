import { type FaultCode, renderFault, WaymarkError } from "../proxy/record/fault.ts";
import { WAYMARK_VERSION } from "../proxy/record/version.ts";
import { argumentsOf, optionsOf, textIn, type Words } from "./arguments.ts";
import { blameOrigin } from "./blame-origin.ts";
import { type Defaults, environmentOnly, findDefaults } from "./settings.ts";
import { processTerminal, type Terminal } from "./terminal.ts";
import type { Verb } from "./verb.ts";
import { plainWords } from "./words.ts";

/** Does what a command line says, its first word the verb, and resolves with the exit code. */
export type RunWords = (words: readonly string[], terminal: Terminal) => Promise<number>;

/** Runs the command line of this process and leaves its exit code; only here is `process.exitCode` touched. */
export async function runProcess(words: readonly string[], run: RunWords): Promise<void> {
  process.exitCode = await commandLine(words, processTerminal(), run);
}

/** Runs one command line and resolves with its exit code (DESIGN.md section 5); never rejects. */
export async function commandLine(words: readonly string[], terminal: Terminal, run: RunWords): Promise<number> {
  const [, ...rest] = words;
  const json = rest.includes("--json") && !rest.slice(0, rest.indexOf("--json")).includes("--");
  try {
    return await run(words, terminal);
  } catch (cause) {
    return showFailure(cause, json, terminal);
  }
}

/** Runs a verb with the words behind it. */
export async function runVerb(verb: Verb, words: readonly string[], terminal: Terminal): Promise<number> {
  const plain = plainWords(optionsOf(verb), words);
  if (plain !== undefined) return runParsed(verb, plain, terminal);
  const { helpOf, parseWords } = await (await import("./parse.ts")).loadParser();
  const own = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  if (own.includes("--help") || own.includes("-h")) {
    terminal.out(`${await helpOf(verb)}\n`);
    return 0;
  }
  return runParsed(verb, parseWords(verb, words), terminal);
}

async function runParsed(verb: Verb, parsed: Words, terminal: Terminal): Promise<number> {
  const defaults = await defaultsFor(verb, parsed, terminal);
  try {
    return await verb.run(argumentsOf(verb, parsed, defaults), terminal);
  } catch (cause) {
    throw cause instanceof WaymarkError ? blameOrigin(cause, { verb, parsed, defaults }) : cause;
  }
}

async function defaultsFor({ ignoresConfig }: Verb, parsed: Words, { env }: Terminal): Promise<Defaults> {
  if (ignoresConfig === true) return environmentOnly(env);
  try {
    return await findDefaults({ env, config: textIn(parsed, "config"), profile: textIn(parsed, "profile") });
  } catch (cause) {
    if (ignoresConfig === "when broken" && cause instanceof WaymarkError) return environmentOnly(env);
    throw cause;
  }
}

/** Says what went wrong on stderr (and, with --json, as one document on stdout) and gives the exit code. */
function showFailure(cause: unknown, json: boolean, terminal: Terminal): number {
  if (!(cause instanceof WaymarkError)) return showBug(cause, terminal);
  terminal.err(`${cause.faults.map(renderFault).join("\n\n")}\n`);
  if (json) {
    const { faults, exitCode } = cause;
    terminal.out(
      `${JSON.stringify({ schema: "waymark.error/1", waymark: WAYMARK_VERSION, exit_code: exitCode, faults })}\n`,
    );
  }
  return cause.exitCode;
}

const BUG_EXIT = 70;
const BUG: FaultCode = "WM_BUG";

function showBug(cause: unknown, terminal: Terminal): number {
  const stack = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  terminal.err(
    `error ${BUG}\n  waymark ${WAYMARK_VERSION} met a state that should be impossible (Node ${process.version}, ${process.platform}):\n${stack}\n  fix: please report it with the text above\n`,
  );
  return BUG_EXIT;
}
