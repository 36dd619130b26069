import { waymarkError } from "../proxy/record/fault.ts";
import type { Defaults } from "./settings.ts";
import { type Arguments, COMMON_OPTIONS, type OptionSpec, type Verb } from "./verb.ts";

/** What a command line holds: options by name, positionals under `_`, the words behind `--` under `--`. */
export type Words = Readonly<Record<string, unknown>>;

/** The options a verb understands, the common ones among them. */
export function optionsOf(verb: Verb): Readonly<Record<string, OptionSpec>> {
  return { ...verb.options, ...COMMON_OPTIONS };
}

/**
 * The arguments of a verb from the words of its command line. A repeated text option takes its last value, and the
 * defaults (environment, profile, configuration) stand in for an option that is not given. Throws WM_USAGE.
 */
export function argumentsOf(verb: Verb, parsed: Words, defaults: Defaults): Arguments {
  const options = optionsOf(verb);
  const positionals = parsed["_"] as readonly (string | number)[];
  checkPositionals(verb, positionals.length, parsed["--"] !== undefined);
  const given = (name: string): unknown => {
    const spec = options[name];
    return parsed[name] ?? (spec === undefined ? undefined : defaults.find(verb.name, name, spec)?.value);
  };
  const command = ((parsed["--"] ?? []) as readonly unknown[]).map(String);
  return {
    positionals: positionals.map(String),
    command,
    usualCommand: () => (command.length > 0 ? command : (defaults.command()?.value ?? [])),
    isGiven: (name) => parsed[name] !== undefined,
    text: (name) => lastText(name, given(name)),
    list: (name) => asList(given(name)),
    flag: (name) => asFlag(name, given(name)),
  };
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

/** An option's text as the command line alone gives it; for what has to be known before the defaults. */
export function textIn(parsed: Words, name: string): string | undefined {
  return lastText(name, parsed[name]);
}

function lastText(name: string, value: unknown): string | undefined {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  if (last === undefined) return undefined;
  // Empty is what an unset shell variable leaves behind; it must not mean "every address" or "no file".
  if (typeof last === "string" && last !== "") return last;
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
