import yargs, { type Argv } from "yargs";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import type { Terminal } from "./terminal.ts";
import { type Arguments, COMMON_OPTIONS, type OptionSpec, type Verb } from "./verb.ts";

/**
 * Reads a verb's words. Numbers stay text (a child's `007` must stay `007`), a repeated text option takes its last value,
 * and `WAYMARK_<OPTION>` in the environment stands in for an option that is not given. Throws WM_USAGE.
 */
export function parseArguments(verb: Verb, words: readonly string[], env: Terminal["env"]): Arguments {
  const options = optionsOf(verb);
  const parsed = parseWords(verb, words, options);
  const positionals = parsed["_"] as readonly (string | number)[];
  checkPositionals(verb, positionals.length, parsed["--"] !== undefined);
  const given = (name: string): unknown => parsed[name] ?? fromEnvironment(name, options[name], env);
  return {
    positionals: positionals.map(String),
    command: ((parsed["--"] ?? []) as readonly unknown[]).map(String),
    text: (name) => lastText(name, given(name)),
    list: (name) => asList(given(name)),
    flag: (name) => asFlag(name, given(name)),
  };
}

/** The verb's help page. */
export async function helpOf(verb: Verb): Promise<string> {
  const page = parser(verb, optionsOf(verb)).usage(`waymark ${verb.usage}\n\n${verb.describe}`);
  for (const [command, says] of verb.examples ?? []) page.example(command, says);
  return page.getHelp();
}

function optionsOf(verb: Verb): Readonly<Record<string, OptionSpec>> {
  return { ...verb.options, ...COMMON_OPTIONS };
}

function parser(verb: Verb, options: Readonly<Record<string, OptionSpec>>): Argv {
  const instance = yargs()
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

function parseWords(
  verb: Verb,
  words: readonly string[],
  options: Readonly<Record<string, OptionSpec>>,
): Record<string, unknown> {
  try {
    return parser(verb, options).parseSync([...words]) as Record<string, unknown>;
  } catch (cause) {
    throw usageError(verb, options, cause);
  }
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

function checkPositionals(verb: Verb, count: number, hasCommand: boolean): void {
  const max = verb.maxPositionals ?? Number.POSITIVE_INFINITY;
  const fix = `Use it as \`waymark ${verb.usage}\`.`;
  if (count > max)
    throw waymarkError(
      "WM_USAGE",
      `waymark ${verb.name} takes ${max === 0 ? "no words" : `at most ${max} word${max === 1 ? "" : "s"}`}, got ${count}`,
      { fix },
    );
  if (hasCommand && verb.takesCommand !== true) {
    throw waymarkError("WM_USAGE", `waymark ${verb.name} takes no command behind --`, { fix });
  }
}

function fromEnvironment(name: string, spec: OptionSpec | undefined, env: Terminal["env"]): unknown {
  const value = env[`WAYMARK_${name.replaceAll("-", "_").toUpperCase()}`];
  if (value === undefined || value === "" || spec === undefined) return undefined;
  if (spec.kind === "list") return value.split(",");
  return spec.kind === "flag" ? !["0", "false", "no"].includes(value.toLowerCase()) : value;
}

function lastText(name: string, value: unknown): string | undefined {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  if (last === undefined) return undefined;
  if (typeof last === "string") return last;
  throw waymarkError("WM_USAGE", `--${name} needs a value`);
}

function asList(value: unknown): readonly string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

function asFlag(name: string, value: unknown): boolean | undefined {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  if (last === undefined || typeof last === "boolean") return last;
  throw waymarkError("WM_USAGE", `--${name} takes no value`);
}
