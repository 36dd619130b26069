import type { Words } from "./arguments.ts";
import type { OptionSpec } from "./verb.ts";

type Options = Readonly<Record<string, OptionSpec>>;

/**
 * Reads a command line of the usual kind as yargs would: positionals, `--name value`, `--name=value`, `-n value`,
 * `--flag` and `--no-flag`. Undefined for everything else, every mistake among it: that is for yargs, which takes longer
 * to load than a small log takes to grade.
 */
export function plainWords(options: Options, words: readonly string[]): Words | undefined {
  const parsed = new Map<string, unknown>();
  const positionals: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (isPlain(word)) {
      positionals.push(word);
      continue;
    }
    const option = optionIn(word, options);
    if (option === undefined) return undefined;
    const value = option.spec.kind === "flag" ? flagValue(option, words[at + 1]) : (option.value ?? words[++at]);
    if (value === undefined || (typeof value === "string" && !isPlain(value))) return undefined;
    if (option.spec.kind === "list") parsed.set(option.name, [...((parsed.get(option.name) ?? []) as string[]), value]);
    else if (parsed.has(option.name)) return undefined;
    else parsed.set(option.name, value);
  }
  return { ...Object.fromEntries(parsed), _: positionals };
}

/** No option, and nothing yargs would take quotes from. */
function isPlain(word: string): boolean {
  return /^[^-'"]/.test(word);
}

interface Found {
  readonly name: string;
  readonly spec: OptionSpec;
  readonly isNegated: boolean;
  readonly value?: string;
}

function optionIn(word: string, options: Options): Found | undefined {
  const [, dashes, written = "", value] = /^(--?)([a-z][a-z-]*)(?:=([\s\S]+))?$/.exec(word) ?? [];
  if (dashes === undefined || (dashes === "-" && value !== undefined)) return undefined;
  const isNegated = dashes === "--" && written.startsWith("no-") && !Object.hasOwn(options, written);
  const name = dashes === "-" ? nameOf(written, options) : isNegated ? written.slice(3) : written;
  const spec = name !== undefined && Object.hasOwn(options, name) ? options[name] : undefined;
  if (name === undefined || spec === undefined || (isNegated && spec.kind !== "flag")) return undefined;
  return { name, spec, isNegated, ...(value === undefined ? {} : { value }) };
}

function nameOf(alias: string, options: Options): string | undefined {
  return Object.keys(options).find((name) => options[name]?.alias === alias);
}

/** A flag takes no value, but yargs reads a `true` or `false` behind it as one. */
function flagValue({ isNegated, value }: Found, next: string | undefined): boolean | undefined {
  return value !== undefined || next === "true" || next === "false" ? undefined : !isNegated;
}
