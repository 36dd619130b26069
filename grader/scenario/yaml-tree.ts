import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, type Scalar } from "yaml";
import type { FaultCode } from "../../proxy/record/fault.ts";
import type { Place } from "../../proxy/record/place.ts";
import type { YamlEntry, YamlMap, YamlNode, YamlScalar } from "./yaml.ts";
import { numberTrap } from "./yaml-numbers.ts";

interface Tools {
  placeOf(from: number, to: number): Place;
  report(
    code: FaultCode,
    message: string,
    details: { place: Place; fix?: string; severity?: "warning" | "hint" },
  ): void;
}

const MAX_DEPTH = 100;
/** Nodes after following aliases: aliases of aliases grow without bound. */
const MAX_NODES = 100_000;
/** Keys of the language that take any number: 2.50 is no trap there. */
const NUMBER_KEYS = ["weight", "cost", "pass_at"];

/** Turns the parser's nodes into a tree with places and reports what is not what it looks like. */
export class YamlConverter {
  readonly #tools: Tools;
  /** The latest value of each anchor so far; the parser's own look-up walks the whole document for every alias. */
  readonly #anchors = new Map<string, { readonly node: YamlNode; readonly size: number }>();
  readonly #open = new Set<string>();
  #nodes = 0;
  #isOver = false;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  convert(node: unknown, depth = 0, key = ""): YamlNode {
    const place = this.#placeOf(node);
    this.#nodes += 1;
    if (depth > MAX_DEPTH) return this.#over(`nested deeper than ${MAX_DEPTH} levels`, place);
    if (this.#nodes > MAX_NODES) return this.#over(`more than ${MAX_NODES} values after following aliases`, place);
    if (isAlias(node)) return this.#alias(node, place);
    this.#checkTag(node, place);
    const before = this.#nodes;
    const anchor = anchorOf(node);
    if (anchor !== undefined) this.#open.add(anchor);
    const converted = this.#collection(node, { place, depth, key });
    if (anchor !== undefined) {
      this.#open.delete(anchor);
      this.#anchors.set(anchor, { node: converted, size: this.#nodes - before + 1 });
    }
    return converted;
  }

  #collection(node: unknown, { place, depth, key }: { place: Place; depth: number; key: string }): YamlNode {
    if (isSeq(node)) {
      return { kind: "list", place, items: node.items.map((item) => this.convert(item, depth + 1)) };
    }
    if (isMap(node)) return this.#map(node.items, place, depth);
    return this.#scalar(node, place, key);
  }

  #map(pairs: readonly Pair[], place: Place, depth: number): YamlMap {
    const entries: YamlEntry[] = [];
    const seen = new Map<string, Place>();
    for (const pair of pairs) {
      const entry = this.#entry(pair, depth);
      if (entry === undefined) continue;
      const first = seen.get(entry.key);
      if (first !== undefined) this.#duplicate(entry, first);
      else entries.push(entry);
      seen.set(entry.key, first ?? entry.keyPlace);
    }
    return { kind: "map", place, entries };
  }

  #entry(pair: Pair, depth: number): YamlEntry | undefined {
    const keyPlace = this.#placeOf(pair.key);
    const key = isAlias(pair.key) ? undefined : keyText(pair.key);
    if (key === undefined) {
      this.#tools.report("WM_SCENARIO_YAML_TRAP", "a key has to be text", {
        place: keyPlace,
        fix: "Write the key as plain or quoted text.",
      });
      return undefined;
    }
    if (key === "<<") {
      this.#tools.report("WM_SCENARIO_YAML_TRAP", `merge keys (<<) are not supported (line ${keyPlace.line})`, {
        place: keyPlace,
        fix: "Put the shared field tests under `define:` and name that pattern, or write them out.",
      });
      return undefined;
    }
    this.#checkTag(pair.key, keyPlace);
    if (isEmptyValue(pair.value)) {
      this.#tools.report("WM_SCENARIO_YAML_TRAP", `"${key}" has no value`, {
        place: keyPlace,
        fix: "Write null for null, or remove the key.",
      });
      return { key, keyPlace, value: { kind: "scalar", place: keyPlace, value: null } };
    }
    return { key, keyPlace, value: this.convert(pair.value, depth + 1, key) };
  }

  #scalar(node: unknown, place: Place, key: string): YamlScalar {
    if (!isScalar(node)) return { kind: "scalar", place, value: null };
    this.#checkComment(node, place);
    const { value, source } = node;
    if (typeof value === "number" || typeof value === "bigint") {
      const trap = numberTrap(source ?? String(value), NUMBER_KEYS.includes(key) ? undefined : key);
      if (trap !== undefined) this.#tools.report("WM_SCENARIO_YAML_TRAP", trap.message, { place, ...trap.details });
    }
    if (typeof value === "string" || typeof value === "boolean" || value === null)
      return { kind: "scalar", place, value };
    return { kind: "scalar", place, value: typeof value === "number" ? value : Number(value) };
  }

  #alias(alias: Alias, place: Place): YamlNode {
    const known = this.#anchors.get(alias.source);
    if (known !== undefined) {
      this.#nodes += known.size;
      return this.#nodes > MAX_NODES
        ? this.#over(`more than ${MAX_NODES} values after following aliases`, place)
        : known.node;
    }
    const message = this.#open.has(alias.source) ? "contains itself" : "is defined nowhere before";
    this.#tools.report("WM_SCENARIO_YAML", `the alias *${alias.source} ${message}`, {
      place,
      fix: "Quote the value when it is text: a plain value cannot start with *.",
    });
    return { kind: "scalar", place, value: null };
  }

  #over(what: string, place: Place): YamlScalar {
    if (!this.#isOver)
      this.#tools.report("WM_SCENARIO_YAML_LIMIT", `the file is ${what}`.replace("is more", "has more"), { place });
    this.#isOver = true;
    return { kind: "scalar", place, value: null };
  }

  #checkTag(node: unknown, place: Place): void {
    const tag = hasTag(node) ? node.tag : undefined;
    if (tag === undefined) return;
    this.#tools.report(
      "WM_SCENARIO_YAML_TRAP",
      `"${tag}" is a YAML tag, and the text behind it would be read differently`,
      {
        place,
        fix: "Quote the value when it is text; otherwise remove the tag.",
      },
    );
  }

  #checkComment(node: Scalar, place: Place): void {
    const { comment, type } = node;
    if (type !== "PLAIN" || typeof comment !== "string" || !/^[^\s#]/.test(comment)) return;
    this.#tools.report(
      "WM_SCENARIO_YAML_TRAP",
      `the text behind " #" is a comment: the value is ${JSON.stringify(node.source ?? "")}`,
      {
        place,
        severity: "warning",
        fix: "Quote the value, or put a space behind the #.",
      },
    );
  }

  #duplicate({ key, keyPlace }: YamlEntry, first: Place): void {
    this.#tools.report("WM_SCENARIO_YAML", `the key "${key}" stands here twice (first in line ${first.line})`, {
      place: keyPlace,
      fix: "For two tests of one field write all: [{...}, {...}]; otherwise remove one.",
    });
  }

  #placeOf(node: unknown): Place {
    const range = (node as { range?: readonly [number, number, number] | null } | null)?.range;
    return range ? this.#tools.placeOf(range[0], range[1]) : this.#tools.placeOf(0, 1);
  }
}

function keyText(key: unknown): string | undefined {
  if (!isScalar(key) || typeof key.value === "object") return undefined;
  return key.type === "PLAIN" && typeof key.source === "string" ? key.source : String(key.value);
}

function isEmptyValue(value: unknown): boolean {
  return (
    value === null || value === undefined || (isScalar(value) && value.value === null && (value.source ?? "") === "")
  );
}

function anchorOf(node: unknown): string | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
}

function hasTag(node: unknown): node is { readonly tag: string } {
  return (isMap(node) || isSeq(node) || isScalar(node)) && typeof node.tag === "string";
}
