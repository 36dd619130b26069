import { entryOf, parseYaml, type YamlEntry, type YamlMap, type YamlNode } from "../grader/scenario/yaml.ts";
import { type Fault, type FaultCode, fault, WaymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import type { Place } from "../proxy/record/place.ts";
import { type ConfigTable, configTable } from "./config-table.ts";
import { shellWords } from "./shell-words.ts";
import type { OptionSpec } from "./verb.ts";

/** What an option can be set to, and where it stands. */
export interface Setting<T = string | boolean | readonly string[]> {
  readonly value: T;
  readonly place: Place;
}

export type Settings = ReadonlyMap<string, Setting>;

/** One layer of settings: the file's own, or those of a profile. */
export interface ConfigLayer {
  readonly command?: Setting<readonly string[]>;
  /** For every verb that has the option. */
  readonly options: Settings;
  /** For one verb; these win. */
  readonly verbs: ReadonlyMap<string, Settings>;
}

export interface ConfigFile extends ConfigLayer {
  readonly file: string;
  readonly text: string;
  readonly profiles: ReadonlyMap<string, ConfigLayer>;
}

/** Reads a configuration from its text. Throws a `WaymarkError` with every problem of the file, each with its place. */
export function parseConfig(text: string, file: string, table: ConfigTable = configTable()): ConfigFile {
  const { root, faults } = parseYaml(text, file);
  const broken = faults.filter(({ severity }) => severity === "error");
  if (broken.length > 0) throw new WaymarkError(broken.map((one) => ({ ...one, code: "WM_CONFIG_YAML" as const })));
  const reader = new ConfigReader(text, table);
  if (root?.kind !== "map") {
    const place = root?.place ?? { file, line: 1, column: 1 };
    reader.report("WM_CONFIG_WRONG_TYPE", "a configuration is a map that begins with `waymark: 1`", place);
    throw new WaymarkError(reader.faults);
  }
  reader.version(root);
  const layer = reader.layer(root, ["waymark", "profiles"]);
  const profiles = reader.profiles(entryOf(root, "profiles")?.value);
  if (reader.faults.length > 0) throw new WaymarkError(reader.faults);
  return { file, text, ...layer, profiles };
}

const LAYER_KEYS = ["command", "options", "verbs"];

class ConfigReader {
  readonly faults: Fault[] = [];
  readonly #text: string;
  readonly #table: ConfigTable;

  constructor(text: string, table: ConfigTable) {
    this.#text = text;
    this.#table = table;
  }

  report(code: FaultCode, message: string, place: Place, fix?: string): void {
    this.faults.push(fault(code, message, { place, text: this.#text, fix }));
  }

  version(root: YamlMap): void {
    const entry = entryOf(root, "waymark");
    const value = entry?.value.kind === "scalar" ? entry.value.value : undefined;
    if (value === 1) return;
    const message = entry === undefined ? 'the key "waymark" is missing' : '"waymark" has to be 1';
    this.report(
      "WM_CONFIG_WRONG_TYPE",
      message,
      entry?.value.place ?? root.place,
      "Write `waymark: 1` as the first key.",
    );
  }

  layer(root: YamlMap, also: readonly string[]): ConfigLayer {
    const known = [...LAYER_KEYS, ...also];
    for (const { key, keyPlace } of root.entries) {
      if (known.includes(key)) continue;
      const isOption = this.#table.options.has(key);
      const isVerb = this.#table.verbs.has(key);
      const fix = isOption ? `Options stand under options: { ${key}: ... }.` : `Known here: ${known.join(", ")}.`;
      const near = isOption || isVerb ? "" : didYouMean(key, known);
      this.report(
        "WM_CONFIG_UNKNOWN_KEY",
        `unknown key "${key}"${near}`,
        keyPlace,
        isVerb && !isOption ? `Options of a verb stand under verbs: { ${key}: ... }.` : fix,
      );
    }
    const command = this.#command(entryOf(root, "command")?.value);
    return {
      ...(command === undefined ? {} : { command }),
      options: this.#settings(entryOf(root, "options"), this.#table.options),
      verbs: this.#verbs(entryOf(root, "verbs")),
    };
  }

  profiles(node: YamlNode | undefined): ReadonlyMap<string, ConfigLayer> {
    const layers = new Map<string, ConfigLayer>();
    for (const { key, value } of this.#entries(node, '"profiles"')) {
      if (value.kind === "map") layers.set(key, this.layer(value, []));
      else this.report("WM_CONFIG_WRONG_TYPE", `the profile "${key}" has to be a map`, value.place);
    }
    return layers;
  }

  #verbs(entry: YamlEntry | undefined): ReadonlyMap<string, Settings> {
    const found = new Map<string, Settings>();
    for (const one of this.#entries(entry?.value, '"verbs"')) {
      const kinds = this.#table.verbs.get(one.key);
      const known = [...this.#table.verbs.keys()];
      if (kinds !== undefined) found.set(one.key, this.#settings(one, kinds));
      else
        this.report(
          "WM_CONFIG_UNKNOWN_KEY",
          `waymark has no verb "${one.key}" to configure${didYouMean(one.key, known)}`,
          one.keyPlace,
          `Known here: ${known.join(", ")}.`,
        );
    }
    return found;
  }

  #settings(entry: YamlEntry | undefined, kinds: ReadonlyMap<string, OptionSpec["kind"]>): Settings {
    const found = new Map<string, Setting>();
    for (const { key, keyPlace, value } of this.#entries(entry?.value, `"${entry?.key}"`)) {
      const kind = kinds.get(key);
      if (kind === undefined) {
        const near = didYouMean(key, kinds.keys());
        const fix = "`waymark config show` lists what can be set, with the verbs that have it.";
        this.report("WM_CONFIG_UNKNOWN_KEY", `unknown option "${key}"${near}`, keyPlace, fix);
        continue;
      }
      const read = this.#value(key, kind, value);
      if (read !== undefined) found.set(key, { value: read, place: value.place });
    }
    return found;
  }

  #value(key: string, kind: OptionSpec["kind"], node: YamlNode): Setting["value"] | undefined {
    if (kind === "flag") {
      if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
      return this.#wrong(key, "true or false", node);
    }
    if (node.kind === "list" && kind === "list") {
      const items = node.items.map((item) => textOf(item) ?? this.#wrong(key, "a list of texts", item));
      return items.flatMap((item) => item ?? []);
    }
    return textOf(node) ?? this.#wrong(key, kind === "list" ? "a text or a list of texts" : "a text or a number", node);
  }

  #command(node: YamlNode | undefined): Setting<readonly string[]> | undefined {
    if (node === undefined) return undefined;
    const text = textOf(node);
    if (text === undefined) return this.#wrong("command", "a command line, as text", node);
    const split = shellWords(text);
    if (split.ok && split.words.length > 0) return { value: split.words, place: node.place };
    const why = split.ok ? "it is empty" : split.why;
    const message = `the command cannot be split into words: ${why}`;
    this.report("WM_CONFIG_WRONG_TYPE", message, node.place, "No shell runs; write sh -c '...' where you need one.");
    return undefined;
  }

  #wrong(key: string, wanted: string, { place }: YamlNode): undefined {
    this.report("WM_CONFIG_WRONG_TYPE", `"${key}" has to be ${wanted}`, place);
    return undefined;
  }

  #entries(node: YamlNode | undefined, what: string): readonly YamlEntry[] {
    if (node === undefined) return [];
    if (node.kind === "map") return node.entries;
    this.report("WM_CONFIG_WRONG_TYPE", `${what} has to be a map`, node.place);
    return [];
  }
}

/** A number counts as it is written: options are read from text anyway. */
function textOf(node: YamlNode): string | undefined {
  if (node.kind !== "scalar") return undefined;
  if (typeof node.value === "number") return String(node.value);
  return typeof node.value === "string" && node.value !== "" ? node.value : undefined;
}
