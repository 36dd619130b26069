import { createHash } from "node:crypto";
import { dirname, isAbsolute, join, normalize } from "node:path";
import { type Fault, type FaultCode, fault, WaymarkError } from "../../proxy/record/fault.ts";
import { stringifyJson } from "../../proxy/record/json.ts";
import type { Place } from "../../proxy/record/place.ts";
import { entryOf, parseYaml, toPlain, type YamlEntry, type YamlMap, type YamlNode } from "./yaml.ts";

/** Reads the text of a file that `use` or `extends` names; throws when it cannot. */
export type ReadFile = (file: string) => string;

export interface SourceOptions {
  /** Absent where no other files can be read. */
  readonly readFile: ReadFile | undefined;
  /** What is wrong with the shape of a file, by itself. */
  readonly checkShape: (root: YamlNode, text: string) => readonly Fault[];
}

/** A scenario's tree with everything it takes over put in. Each node keeps the place in its own file. */
export interface Sources {
  /** Undefined when there is no map to read. */
  readonly root: YamlMap | undefined;
  readonly texts: ReadonlyMap<string, string>;
  readonly faults: Fault[];
  readonly sha256: string;
}

/** Names whose maps are merged entry by entry by `extends`. */
const MERGED = ["define", "params", "events", "limits", "budget"];
/** Lists that `extends` puts before the child's. */
const APPENDED = ["rules", "checks"];
/** What `use` takes over. */
const USED = ["define", "params", "events"];
/** What a file says of itself only. */
const OWN = ["scenario", "examples", "use", "extends"];

/** Reads a scenario and the files it names by `use` and `extends`, and merges them (LANGUAGE.md section 9). */
export function readSources(text: string, file: string, options: SourceOptions): Sources {
  const reader = new SourceReader(options);
  const root = reader.read(text, file, []);
  return { root, texts: reader.texts, faults: reader.faults, sha256: reader.digest() };
}

const MAX_FILES = 100;

class SourceReader {
  readonly texts = new Map<string, string>();
  readonly faults: Fault[] = [];
  /** Files with everything they take over put in: one that many take over is merged once. */
  readonly #merged = new Map<string, YamlMap | undefined>();
  readonly #readFile: ReadFile | undefined;
  readonly #checkShape: SourceOptions["checkShape"];

  constructor({ readFile, checkShape }: SourceOptions) {
    this.#readFile = readFile;
    this.#checkShape = checkShape;
  }

  read(text: string, file: string, open: readonly string[]): YamlMap | undefined {
    const isNew = !this.texts.has(file);
    this.texts.set(file, text);
    const { root, faults } = parseYaml(text, file);
    if (isNew) this.faults.push(...faults, ...(root === undefined ? [] : this.#checkShape(root, text)));
    if (root?.kind !== "map") {
      if (root === undefined && faults.length === 0) this.#empty(file);
      return undefined;
    }
    const within = [...open, normalize(file)];
    const used = this.#use(root, file, within);
    return this.#extend(used, file, within);
  }

  digest(): string {
    const hash = createHash("sha256");
    for (const text of this.texts.values()) hash.update(text, "utf8");
    return hash.digest("hex");
  }

  #use(root: YamlMap, file: string, open: readonly string[]): YamlMap {
    const list = entryOf(root, "use")?.value;
    let merged = root;
    for (const item of list?.kind === "list" ? list.items : []) {
      const library = this.#readOther(item, file, open);
      if (library !== undefined) merged = this.#takeOver(merged, library);
    }
    return merged;
  }

  #extend(root: YamlMap, file: string, open: readonly string[]): YamlMap {
    const base = this.#readOther(entryOf(root, "extends")?.value, file, open);
    if (base === undefined) return root;
    const inherited = base.entries.filter(({ key }) => !OWN.includes(key) && entryOf(root, key) === undefined);
    const own = root.entries.map((entry) => mergeEntry(entry, entryOf(base, entry.key)));
    return { ...root, entries: [...own, ...inherited] };
  }

  #readOther(node: YamlNode | undefined, file: string, open: readonly string[]): YamlMap | undefined {
    if (node?.kind !== "scalar" || typeof node.value !== "string") return undefined;
    const name = isAbsolute(node.value) ? normalize(node.value) : join(dirname(file), node.value);
    if (open.includes(name)) {
      this.#report("WM_SCENARIO_CYCLE", `"${node.value}" takes over this file, directly or in a circle`, node.place);
      return undefined;
    }
    if (this.#merged.has(name)) return this.#merged.get(name);
    const text = this.#textOf(name, node);
    if (text === undefined) return undefined;
    const root = this.read(text, name, open);
    this.#merged.set(name, root);
    return root;
  }

  #textOf(name: string, node: YamlNode): string | undefined {
    const known = this.texts.get(name);
    if (known !== undefined) return known;
    if (this.texts.size >= MAX_FILES) {
      this.#report("WM_SCENARIO_YAML_LIMIT", `the scenario takes over more than ${MAX_FILES} files`, node.place);
      return undefined;
    }
    try {
      if (this.#readFile === undefined) throw new Error("files cannot be taken over here");
      return this.#readFile(name);
    } catch (cause) {
      this.#unreadable(name, cause, node.place);
      return undefined;
    }
  }

  #unreadable(name: string, cause: unknown, place: Place): void {
    const [known] = cause instanceof WaymarkError ? cause.faults : [];
    if (known?.code === "WM_SCENARIO_YAML_LIMIT") {
      this.#report(known.code, `"${name}" is not read: ${known.message}`, place);
      return;
    }
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#report("WM_SCENARIO_USE", known?.message ?? `"${name}" cannot be read: ${why}`, place);
  }

  /** Puts the library's definitions in; one that stands in both must be the same. */
  #takeOver(root: YamlMap, library: YamlMap): YamlMap {
    let merged = root;
    for (const key of USED) {
      const theirs = entryOf(library, key);
      const ours = entryOf(merged, key);
      if (theirs?.value.kind !== "map") continue;
      if (ours?.value.kind === "map") this.#findClashes(ours.value, theirs.value, key);
      merged = withEntry(merged, ours === undefined ? theirs : mergeEntry(ours, theirs));
    }
    return merged;
  }

  #findClashes(ours: YamlMap, theirs: YamlMap, key: string): void {
    for (const entry of theirs.entries) {
      const own = entryOf(ours, entry.key);
      if (own === undefined || stringifyJson(toPlain(own.value)) === stringifyJson(toPlain(entry.value))) continue;
      const message = `"${entry.key}" of ${key} is also in ${entry.keyPlace.file}:${entry.keyPlace.line}, and differs`;
      this.#report("WM_SCENARIO_USE", message, own.keyPlace, "Rename one of them, or remove the one here.");
    }
  }

  #empty(file: string): void {
    this.#report("WM_SCENARIO_EMPTY", "the file is empty", { file, line: 1, column: 1 });
  }

  #report(code: FaultCode, message: string, place: Place, fix?: string): void {
    this.faults.push(fault(code, message, { place, text: this.texts.get(place.file), fix }));
  }
}

function withEntry(root: YamlMap, entry: YamlEntry): YamlMap {
  const others = root.entries.filter(({ key }) => key !== entry.key);
  return { ...root, entries: [...others, entry] };
}

/** The child's entry over the base's: maps are merged, rules and checks appended, everything else is the child's. */
function mergeEntry(child: YamlEntry, base: YamlEntry | undefined): YamlEntry {
  const { key, value } = child;
  if (base === undefined) return child;
  if (APPENDED.includes(key) && value.kind === "list" && base.value.kind === "list") {
    return { ...child, value: { ...value, items: [...base.value.items, ...value.items] } };
  }
  if (MERGED.includes(key) && value.kind === "map" && base.value.kind === "map") {
    const inherited = base.value.entries.filter((entry) => entryOf(value, entry.key) === undefined);
    return { ...child, value: { ...value, entries: [...value.entries, ...inherited] } };
  }
  return child;
}
