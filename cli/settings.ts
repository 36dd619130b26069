import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import type { ConfigFile, ConfigLayer, Setting } from "./config-file.ts";
import type { Terminal } from "./terminal.ts";
import type { OptionSpec } from "./verb.ts";

export const CONFIG_NAMES = ["waymark.config.yaml", "waymark.config.yml"] as const;

/** Where a value came from, for those who ask and for messages about it. */
export type Origin =
  | { readonly kind: "environment"; readonly name: string }
  | { readonly kind: "profile" | "config"; readonly place: Setting["place"]; readonly text: string };

export interface Found<T = Setting["value"]> {
  readonly value: T;
  readonly from: Origin;
}

/** What stands in for options that a command line does not give. */
export interface Defaults {
  readonly file?: string;
  readonly profile?: string;
  find(verb: string, option: string, spec: OptionSpec): Found | undefined;
  command(): Found<readonly string[]> | undefined;
}

export interface DefaultsQuery {
  readonly env: Terminal["env"];
  /** Of `--config` and `--profile`. */
  readonly config?: string | undefined;
  readonly profile?: string | undefined;
  readonly cwd?: string;
}

/**
 * The defaults of a command line: environment, then the profile, then the configuration. Throws WM_CONFIG_NOT_FOUND,
 * WM_CONFIG_PROFILE, and what is wrong with the file.
 */
export async function findDefaults({ env, cwd = process.cwd(), ...asked }: DefaultsQuery): Promise<Defaults> {
  const config = asked.config ?? given(env["WAYMARK_CONFIG"]);
  const profile = asked.profile ?? given(env["WAYMARK_PROFILE"]);
  const file = configFileFor(config, cwd);
  if (file === undefined) {
    if (profile !== undefined) throw noSuchProfile(profile, undefined);
    return environmentOnly(env);
  }
  const { parseConfig } = await import("./config-file.ts");
  const shown = isAbsolute(config ?? "") ? file : relative(cwd, file) || file;
  const parsed = parseConfig(readConfig(file), shown);
  const layer = profile === undefined ? undefined : parsed.profiles.get(profile);
  if (profile !== undefined && layer === undefined) throw noSuchProfile(profile, parsed);
  return {
    file: shown,
    ...(profile === undefined ? {} : { profile }),
    ...layered({ parsed, layer, env, move: mover(dirname(file), cwd) }),
  };
}

/** The defaults where there is no configuration, or where none counts. */
export function environmentOnly(env: Terminal["env"]): Defaults {
  return { find: (_, option, spec) => fromEnvironment(option, spec, env), command: () => undefined };
}

interface Layers {
  readonly parsed: ConfigFile;
  readonly layer: ConfigLayer | undefined;
  readonly env: Terminal["env"];
  readonly move: (path: string) => string;
}

function layered({ parsed, layer, env, move }: Layers): Pick<Defaults, "find" | "command"> {
  const { text } = parsed;
  const layers = [["profile", layer] as const, ["config", parsed] as const];
  return {
    find: (verb, option, spec) => {
      const set = fromEnvironment(option, spec, env);
      if (set !== undefined) return set;
      for (const [kind, one] of layers) {
        const setting = one?.verbs.get(verb)?.get(option) ?? one?.options.get(option);
        if (setting === undefined) continue;
        return { value: placed(setting.value, option, spec, move), from: { kind, place: setting.place, text } };
      }
      return undefined;
    },
    command: () => {
      for (const [kind, one] of layers) {
        if (one?.command !== undefined)
          return { value: one.command.value, from: { kind, place: one.command.place, text } };
      }
      return undefined;
    },
  };
}

/** `--config`, else the nearest configuration upwards, as far as the repository goes. */
export function configFileFor(config: string | undefined, cwd: string): string | undefined {
  if (config !== undefined) {
    const file = resolve(cwd, config);
    if (existsSync(file) && statSync(file).isFile()) return file;
    throw waymarkError("WM_CONFIG_NOT_FOUND", `there is no configuration "${config}"`);
  }
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = CONFIG_NAMES.map((name) => join(folder, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return undefined;
  }
}

function readConfig(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_CONFIG_NOT_FOUND", `"${file}" cannot be read: ${why}`, { cause });
  }
}

function noSuchProfile(name: string, parsed: ConfigFile | undefined): Error {
  const known = [...(parsed?.profiles.keys() ?? [])];
  const where = parsed === undefined ? "there is no configuration here" : `${parsed.file} has none of that name`;
  return waymarkError("WM_CONFIG_PROFILE", `no profile "${name}": ${where}${didYouMean(name, known)}`, {
    ...(known.length === 0 ? {} : { fix: `Known: ${known.join(", ")}.` }),
  });
}

/** Options whose variables a run sets for the command under test: inside it they are no options of another waymark. */
const SET_BY_RUN = ["task", "variant", "steps", "self-report", "batch"];

/** The environment's word for an option. */
export function variableOf(option: string): string {
  return `WAYMARK_${option.replaceAll("-", "_").toUpperCase()}`;
}

/** Only variables of options that a verb has are ever looked at, so that others, such as those of a run, break nothing. */
export function fromEnvironment(option: string, spec: OptionSpec, env: Terminal["env"]): Found | undefined {
  if (env["WAYMARK_ACTIVE"] !== undefined && SET_BY_RUN.includes(option)) return undefined;
  const name = variableOf(option);
  const value = given(env[name]);
  if (value === undefined) return undefined;
  const from = { kind: "environment", name } as const;
  if (spec.kind === "list") return { value: value.split(","), from };
  return { value: spec.kind === "flag" ? !["0", "false", "no"].includes(value.toLowerCase()) : value, from };
}

function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** Paths of a configuration count from its folder. */
function mover(folder: string, cwd: string): (path: string) => string {
  const isHere = resolve(folder) === resolve(cwd);
  return (path) => (isHere || isAbsolute(path) || path === "-" ? path : relative(cwd, join(folder, path)) || ".");
}

function placed(
  value: Setting["value"],
  option: string,
  spec: OptionSpec,
  move: (path: string) => string,
): Setting["value"] {
  const one = pathIn(option, spec, move);
  if (one === undefined || typeof value === "boolean") return value;
  return typeof value === "string" ? one(value) : value.map(one);
}

function pathIn(
  option: string,
  spec: OptionSpec,
  move: (path: string) => string,
): ((text: string) => string) | undefined {
  if (option === "reporter")
    return (text) =>
      text
        .split(",")
        .map((item) => inReporter(item, move))
        .join(",");
  return /^(?:DIR|FILE|LOG)\b/.test(spec.value ?? "") ? move : undefined;
}

/** `junit=out.xml` names a file behind the `=`. */
function inReporter(item: string, move: (path: string) => string): string {
  const at = item.indexOf("=");
  return at < 0 ? item : `${item.slice(0, at + 1)}${move(item.slice(at + 1))}`;
}
