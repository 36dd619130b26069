import { type FaultCode, renderFault, WaymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { WAYMARK_VERSION } from "../proxy/record/version.ts";
import { argumentsOf, optionsOf, textIn, type Words } from "./arguments.ts";
import { blameOrigin } from "./blame-origin.ts";
import { type Defaults, environmentOnly, findDefaults } from "./settings.ts";
import { processTerminal, type Terminal } from "./terminal.ts";
import type { Verb } from "./verb.ts";
import { VERBS } from "./verbs.ts";
import { plainWords } from "./words.ts";

/** Runs one command line of this process and leaves its exit code; only here is `process.exitCode` touched. */
export async function runWaymark(words: readonly string[]): Promise<void> {
  const terminal = processTerminal();
  process.exitCode = await waymark(words, terminal);
}

/** Runs one command line and resolves with its exit code (DESIGN.md section 5); never rejects. */
export async function waymark(words: readonly string[], terminal: Terminal): Promise<number> {
  const [word = "", ...rest] = words;
  const json = rest.includes("--json") && !rest.slice(0, rest.indexOf("--json")).includes("--");
  try {
    return await dispatch(word, rest, terminal);
  } catch (cause) {
    return showFailure(cause, json, terminal);
  }
}

async function dispatch(word: string, rest: readonly string[], terminal: Terminal): Promise<number> {
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

async function runVerb(verb: Verb, words: readonly string[], terminal: Terminal): Promise<number> {
  const plain = plainWords(optionsOf(verb), words);
  if (plain !== undefined) return runParsed(verb, plain, terminal);
  const { helpOf, parseWords } = await import("./parse.ts");
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
