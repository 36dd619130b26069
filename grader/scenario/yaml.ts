import { isAlias, isMap, isScalar, type Node, parseDocument, type YAMLError } from "yaml";
import { type Fault, type FaultCode, fault } from "../../proxy/record/fault.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import type { Place } from "../../proxy/record/place.ts";
import { placesIn, visiblePlace } from "./yaml-place.ts";
import { YamlConverter } from "./yaml-tree.ts";

/** A YAML value with its place. Aliases are followed; maps keep the order of the file. */
export type YamlNode = YamlMap | YamlList | YamlScalar;

export interface YamlMap {
  readonly kind: "map";
  readonly place: Place;
  readonly entries: readonly YamlEntry[];
}

export interface YamlEntry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly value: YamlNode;
}

export interface YamlList {
  readonly kind: "list";
  readonly place: Place;
  readonly items: readonly YamlNode[];
}

export interface YamlScalar {
  readonly kind: "scalar";
  readonly place: Place;
  readonly value: null | boolean | number | string;
}

export interface ParsedYaml {
  /** Undefined when the text is empty or cannot be read at all. */
  readonly root: YamlNode | undefined;
  readonly faults: readonly Fault[];
}

/** More than any scenario needs; parsing this much takes well under a second. */
const MAX_CHARACTERS = 200_000;
/** Nobody reads more at once, and showing the line of each costs time. */
const MAX_FAULTS = 50;
/** Brackets in a row that no scenario has; the parser recurses into each. */
const DEEP = /(?:[[{]\s*){100}/;

/**
 * Parses YAML 1.2 (core schema) into a tree with places. Reports syntax errors and everything that is not what it looks
 * like (LANGUAGE.md section 10) as faults; never throws, whatever the text. Keys that stand twice are found here and not
 * by the parser, whose check takes time in the square of the number of keys.
 */
export function parseYaml(text: string, file: string): ParsedYaml {
  if (text.length > MAX_CHARACTERS) {
    const message = `the file has ${text.length} characters; at most ${MAX_CHARACTERS} are read`;
    return limit(message, { file, line: 1, column: 1 }, text);
  }
  const placeOf = placesIn(text, file);
  const deep = DEEP.exec(text)?.index;
  if (deep !== undefined) return limit("the file is nested deeper than 100 levels", placeOf(deep, deep + 1), text);
  try {
    return parseDocumentOf(text, placeOf);
  } catch (cause) {
    // The parser recurses; a text that is nested beyond the stack ends here, whatever the parser makes of it.
    const message = `the file cannot be parsed: ${cause instanceof Error ? cause.message : String(cause)}`;
    return limit(message, placeOf(0, 1), text);
  }
}

function limit(message: string, place: Place, text: string): ParsedYaml {
  return { root: undefined, faults: [fault("WM_SCENARIO_YAML_LIMIT", message, { place, text })] };
}

function parseDocumentOf(text: string, placeOf: (from: number, to: number) => Place): ParsedYaml {
  const faults: Fault[] = [];
  const report = (
    code: FaultCode,
    message: string,
    details: { place: Place; fix?: string; severity?: "warning" | "hint" },
  ): void => {
    if (faults.length < MAX_FAULTS) faults.push(fault(code, message, { ...details, text }));
  };
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    strict: true,
    uniqueKeys: false,
    prettyErrors: false,
    keepSourceTokens: false,
  });
  const seen = new Set<number>(); // what follows from a mistake is told at the same place
  for (const problem of document.errors) {
    const span = visiblePlace(problem.pos, document.contents, text);
    if (!seen.has(span[0])) reportError(problem, placeOf(...span), report);
    seen.add(span[0]);
  }
  for (const problem of document.warnings) {
    if (problem.code !== "TAG_RESOLVE_FAILED") reportError(problem, placeOf(...problem.pos), report);
  }
  if (document.errors.length > 0) return { root: undefined, faults };
  const contents: Node | null = document.contents;
  if (contents === null || isEmptyRoot(contents)) return { root: undefined, faults };
  const converter = new YamlConverter({ report, placeOf });
  return { root: converter.convert(contents), faults };
}

function isEmptyRoot(node: Node): boolean {
  return isScalar(node) && node.value === null && !isMap(node) && !isAlias(node);
}

type Report = (code: FaultCode, message: string, details: { place: Place; fix?: string }) => void;

/** The parser's message, and in words of the trap what to do about it. */
function reportError(problem: YAMLError, place: Place, report: Report): void {
  const isSecond = problem.code === "MULTIPLE_DOCS";
  const message = isSecond ? "a second document begins here" : (problem.message.split("\n", 1)[0] ?? "");
  if (problem.code === "RESOURCE_EXHAUSTION") report("WM_SCENARIO_YAML_LIMIT", message, { place });
  else
    report("WM_SCENARIO_YAML", message.charAt(0).toLowerCase() + message.slice(1), { place, fix: adviceFor(problem) });
}

function adviceFor({ code, message }: YAMLError): string {
  switch (code) {
    case "BAD_DQ_ESCAPE":
      return "Backslashes are escapes in double quotes: write regular expressions in single quotes.";
    case "TAB_AS_INDENT":
      return "Indent with spaces.";
    case "MULTIPLE_DOCS":
      return "One file holds one scenario: keep one here, and write the other into a file of its own.";
    case "MISSING_CHAR":
      return "Close the quote or bracket; a value that contains : or [ or { has to be quoted as a whole.";
    case "BAD_INDENT":
    case "MULTILINE_IMPLICIT_KEY":
      return "Check the indentation; a value that contains : or [ or { has to be quoted.";
    default:
      return /flow|implicit|token|plain value|nested mappings|alias|directive|collection/i.test(message)
        ? "Quote the value: a value that starts with one of * @ % ! & [ { or contains a colon and a space needs quotes; variables are $name, in braces only inside quotes."
        : "Mend the place shown; values with special characters need quotes.";
  }
}

/** The tree as plain values. `skip` leaves out map entries by key. */
export function toPlain(node: YamlNode, skip: (key: string) => boolean = () => false): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map((item) => toPlain(item, skip));
  const kept = node.entries.filter(({ key }) => !skip(key));
  return Object.fromEntries(kept.map(({ key, value }) => [key, toPlain(value, skip)]));
}

/** `event|glob:` and the like beside `where:`, which are field tests and no keys of a schema. */
export function isEventModifier(key: string): boolean {
  return key.startsWith("event|");
}

/** The node at a path of keys and indexes, or the deepest one on the way that is there. */
export function nodeAt(root: YamlNode, path: readonly PropertyKey[]): YamlNode {
  let node = root;
  for (const step of path) {
    const next = node.kind === "list" ? node.items[Number(step)] : entryOf(node, String(step))?.value;
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

/** The entry of a map with that key; undefined when absent or when the node is no map. */
export function entryOf(node: YamlNode | undefined, key: string): YamlEntry | undefined {
  return node?.kind === "map" ? node.entries.find((entry) => entry.key === key) : undefined;
}
