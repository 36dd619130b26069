import type { Argv } from "yargs";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { optionsOf, type Words } from "./arguments.ts";
import type { OptionSpec, Verb } from "./verb.ts";

/** Reads what the short way of `plainWords` does not. */
export interface Parser {
  /** Reads a verb's words. Numbers stay text: a child's `007` must stay `007`. Throws WM_USAGE. */
  parseWords(verb: Verb, words: readonly string[]): Words;
  /** The verb's help page. */
  helpOf(verb: Verb): Promise<string>;
}

/** Loads yargs, which takes as long as all the rest of a small command; it comes as an ES module only. */
export async function loadParser(): Promise<Parser> {
  const { default: yargs } = await import("yargs");
  return {
    parseWords: (verb, words) => parseWords(yargs(), verb, words),
    helpOf: (verb) => helpOf(yargs(), verb),
  };
}

function parseWords(fresh: Argv, verb: Verb, words: readonly string[]): Words {
  const options = optionsOf(verb);
  try {
    return parser(fresh, verb, options).parseSync([...words]) as Words;
  } catch (cause) {
    throw usageError(verb, options, cause);
  }
}

async function helpOf(fresh: Argv, verb: Verb): Promise<string> {
  const page = parser(fresh, verb, optionsOf(verb)).usage(`waymark ${verb.usage}\n\n${verb.describe}`);
  for (const [command, says] of verb.examples ?? []) page.example(command, says);
  return page.getHelp();
}

function parser(fresh: Argv, verb: Verb, options: Readonly<Record<string, OptionSpec>>): Argv {
  const instance = fresh
    .scriptName(`waymark ${verb.name}`)
    .locale("en")
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail(false)
    .strictOptions()
    .wrap(110)
    .parserConfiguration({
      "populate--": true,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "greedy-arrays": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "strip-aliased": true,
    });
  for (const [name, spec] of Object.entries(options)) {
    const value = spec.value === undefined ? "" : `${spec.value}: `;
    instance.option(name, {
      type: spec.kind === "flag" ? "boolean" : spec.kind === "list" ? "array" : "string",
      ...(spec.kind === "list" ? { string: true } : {}),
      ...(spec.kind === "flag" ? {} : { requiresArg: true }),
      ...(spec.alias === undefined ? {} : { alias: spec.alias }),
      describe: `${value}${spec.describe}`,
      ...(spec.defaultText === undefined ? {} : { defaultDescription: spec.defaultText }),
    });
  }
  return instance.option("help", { type: "boolean", alias: "h", describe: "this page" });
}

function usageError(verb: Verb, options: Readonly<Record<string, OptionSpec>>, cause: unknown): Error {
  const message = cause instanceof Error ? cause.message : String(cause);
  const unknown = /^Unknown arguments?: (.*)$/.exec(message)?.[1]?.split(", ")[0];
  const text =
    unknown === undefined
      ? `waymark ${verb.name}: ${message}`
      : `waymark ${verb.name} has no option --${unknown}${didYouMean(unknown, Object.keys(options))}`;
  return waymarkError("WM_USAGE", text, { fix: `See \`waymark ${verb.name} --help\`.`, cause });
}
