import { waymarkError } from "../proxy/record/fault.ts";
import type { Terminal } from "./terminal.ts";
import { type Arguments, COMMON_OPTIONS, type OptionSpec, type Verb } from "./verb.ts";

/** What a command line holds: options by name, positionals under `_`, the words behind `--` under `--`. */
export type Words = Readonly<Record<string, unknown>>;

/** The options a verb understands, the common ones among them. */
export function optionsOf(verb: Verb): Readonly<Record<string, OptionSpec>> {
  return { ...verb.options, ...COMMON_OPTIONS };
}

/**
 * The arguments of a verb from the words of its command line. A repeated text option takes its last value, and
 * `WAYMARK_<OPTION>` in the environment stands in for an option that is not given. Throws WM_USAGE.
 */
export function argumentsOf(verb: Verb, parsed: Words, env: Terminal["env"]): Arguments {
  const options = optionsOf(verb);
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

/** Options whose variables a run sets for the command under test: inside it they are no options of another waymark. */
const SET_BY_RUN = ["task", "variant", "steps", "self-report"];

function fromEnvironment(name: string, spec: OptionSpec | undefined, env: Terminal["env"]): unknown {
  if (env["WAYMARK_ACTIVE"] !== undefined && SET_BY_RUN.includes(name)) return undefined;
  const value = env[`WAYMARK_${name.replaceAll("-", "_").toUpperCase()}`];
  if (value === undefined || value === "" || spec === undefined) return undefined;
  if (spec.kind === "list") return value.split(",");
  return spec.kind === "flag" ? !["0", "false", "no"].includes(value.toLowerCase()) : value;
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
