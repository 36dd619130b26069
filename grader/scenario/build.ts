import { type Fault, type FaultCode, fault, type Severity } from "../../proxy/record/fault.ts";
import { checkJsonPath } from "../../proxy/record/json-path/reader.ts";
import { formatPlace, type Place } from "../../proxy/record/place.ts";
import type { CaptureBinding, FieldPath } from "./ast.ts";
import { parseDuration } from "./duration.ts";
import { isVariableName } from "./operand.ts";
import { parsePath } from "./path.ts";
import { entryOf, type YamlEntry, type YamlMap, type YamlNode } from "./yaml.ts";

/** A named pattern: its body, and the parameters it takes. */
export interface Definition {
  readonly name: string;
  readonly place: Place;
  readonly body: YamlNode;
  readonly params: readonly string[];
}

/**
 * What building a scenario from its tree shares: the patterns by name and the list of faults. Values whose shape the
 * schema has refused already are skipped in silence here, so that every problem is told once.
 */
export class Build {
  readonly faults: Fault[];
  readonly definitions = new Map<string, Definition>();
  /** Markers by name; each is a pattern too. */
  readonly markers = new Map<string, YamlMap>();
  readonly used = new Set<string>();
  readonly #texts: ReadonlyMap<string, string>;
  readonly #told = new Set<string>();
  #parts = 0;
  #depth = 0;

  constructor(texts: ReadonlyMap<string, string>, faults: Fault[]) {
    this.#texts = texts;
    this.faults = faults;
  }

  report(code: FaultCode, message: string, place: Place, more: { fix?: string; severity?: Severity } = {}): void {
    // A pattern that is used twice is read twice; its mistakes are told once.
    const key = `${code} ${formatPlace(place)} ${message}`;
    if (this.#told.has(key) || this.#isFull(more.severity ?? "error")) return;
    this.#told.add(key);
    this.faults.push(fault(code, message, { place, text: this.#texts.get(place.file), ...more }));
  }

  /** Warnings never crowd out an error: a part that was left out in silence would let anything match. */
  #isFull(severity: Severity): boolean {
    if (this.faults.length < MAX_FAULTS) return false;
    return severity !== "error" || this.faults.filter((one) => one.severity === "error").length >= MAX_FAULTS;
  }

  /** Counts parts of patterns; false, and reported once, when patterns of patterns have grown beyond any use. */
  mayGrow(place: Place, parts = 1): boolean {
    const wasSmall = this.#parts < MAX_PARTS;
    this.#parts += parts;
    if (this.#parts < MAX_PARTS) return true;
    if (wasSmall) this.report("WM_SCENARIO_YAML_LIMIT", `patterns expand to more than ${MAX_PARTS} parts`, place);
    return false;
  }

  /** Reads something inside a pattern; undefined, and reported once, where patterns lead into each other too deep. */
  within<T>(place: Place, read: () => T | undefined): T | undefined {
    if (this.#depth >= MAX_DEPTH) {
      // Nothing more is expanded: whatever else leads there is as deep.
      if (this.#parts < MAX_PARTS) {
        this.report("WM_SCENARIO_YAML_LIMIT", `patterns lead more than ${MAX_DEPTH} levels deep`, place);
      }
      this.#parts = MAX_PARTS;
      return undefined;
    }
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }

  /** The path written in a node; undefined, and reported, when it is none. */
  path(node: YamlNode | undefined): FieldPath | undefined {
    const text = textOf(node);
    return node === undefined || text === undefined ? undefined : this.pathIn(text, node.place);
  }

  pathIn(text: string, place: Place): FieldPath | undefined {
    const parsed = parsePath(text);
    if (!parsed.ok) {
      const at = { ...place, column: place.column + parsed.at, length: 1 };
      this.report("WM_SCENARIO_PATH", `"${text}" is no field path: ${parsed.why}`, at);
      return undefined;
    }
    const wrong = parsed.path.kind === "jsonpath" ? checkJsonPath(text) : undefined;
    if (wrong === undefined) return parsed.path;
    const at = { ...place, column: place.column + wrong.at, length: 1 };
    this.report("WM_SCENARIO_JSONPATH", `"${text}" is no RFC 9535 JSONPath: ${wrong.why}`, at, { fix: JSONPATH_FIX });
    return undefined;
  }

  paths(node: YamlNode | undefined): FieldPath[] | undefined {
    if (node === undefined) return undefined;
    const nodes = node.kind === "list" ? node.items : [node];
    return nodes.flatMap((item) => this.path(item) ?? []);
  }

  captures(node: YamlNode | undefined): CaptureBinding[] {
    if (node?.kind !== "map") return [];
    return node.entries.flatMap(({ key, keyPlace, value }): CaptureBinding[] => {
      if (!isVariableName(key)) {
        const fix = "Names are letters, digits and _, beginning with a letter or _.";
        this.report("WM_SCENARIO_VARIABLE", `"${key}" cannot be the name of a variable`, keyPlace, { fix });
      }
      const path = this.path(value);
      return path === undefined ? [] : [{ name: key, path, place: keyPlace }];
    });
  }
}

/** Beyond what is shown; how many there are beyond this is not counted. */
const MAX_FAULTS = 1000;
/** What the patterns of a file may grow to once names are put in: a name costs nothing to write twice. */
const MAX_PARTS = 20_000;
/** Levels of patterns in patterns, named ones counted; the file itself has 100 at most. */
const MAX_DEPTH = 200;
const JSONPATH_FIX = "Use RFC 9535 JSONPath; script expressions and function calls on values are never evaluated.";

export function textOf(node: YamlNode | undefined): string | undefined {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

export function numberOf(node: YamlNode | undefined): number | undefined {
  return node?.kind === "scalar" && typeof node.value === "number" ? node.value : undefined;
}

export function isTrue(map: YamlMap, key: string): boolean {
  const node = entryOf(map, key)?.value;
  return node?.kind === "scalar" && node.value === true;
}

/** Milliseconds; wrong durations were reported by the schema. */
export function durationOf(map: YamlMap, key: string): number | undefined {
  const text = textOf(entryOf(map, key)?.value);
  return text === undefined ? undefined : parseDuration(text);
}

export function valueAt(map: YamlMap, key: string): YamlNode | undefined {
  return entryOf(map, key)?.value;
}

/** Entries of a map, none when it is no map. */
export function entriesOf(node: YamlNode | undefined): readonly YamlEntry[] {
  return node?.kind === "map" ? node.entries : [];
}

/** `{ key: value }`, or nothing when there is no value: for optional fields. */
export function given<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}
