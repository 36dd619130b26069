import { isObject, type JsonValue } from "../record/json.ts";
import { finderOf } from "../record/json-path/find.ts";
import { isSingular, type ParsedQuery, type Query, type Segment, type Selector } from "../record/json-path/query.ts";
import { parseJsonPath } from "../record/json-path/reader.ts";

/** Reads a JSONPath of a format file: RFC 9535 with filters, slices and functions; a name behind a dot may hold dashes. */
export function parsePath(text: string): ParsedQuery {
  return parseJsonPath(text, { dashes: true });
}

/** Reads the values at a path, in document order. */
export interface PathReader {
  readonly segments: readonly Segment[];
  /** Names at most one place. */
  readonly isSingle: boolean;
  first(root: JsonValue): JsonValue | undefined;
  all(root: JsonValue): readonly JsonValue[];
}

/** Compiles a path that `parsePath` accepts; one that it does not names nothing. */
export function compilePath(text: string): PathReader {
  const parsed = parsePath(text);
  if (!parsed.ok) return { segments: [], isSingle: true, first: () => undefined, all: () => [] };
  const { query } = parsed;
  const { segments } = query;
  if (!isSingular(query)) {
    const all = severalOf(query);
    return { segments, isSingle: false, all, first: (root) => all(root)[0] };
  }
  const first = (root: JsonValue): JsonValue | undefined => valueAt(root, segments);
  return {
    segments,
    isSingle: true,
    first,
    all(root) {
      const value = first(root);
      return value === undefined ? [] : [value];
    },
  };
}

/** The value at a path of names and indexes; undefined when there is none. */
export function valueAt(root: JsonValue, segments: readonly Segment[]): JsonValue | undefined {
  return segments.reduce((value: JsonValue | undefined, { selectors: [to] }) => child(value, to), root);
}

function child(value: JsonValue | undefined, to: Selector | undefined): JsonValue | undefined {
  if (to?.kind === "index") return Array.isArray(value) ? (value as readonly JsonValue[]).at(to.index) : undefined;
  if (to?.kind !== "name" || !isObject(value) || !Object.hasOwn(value, to.name)) return undefined;
  return value[to.name];
}

/** Where the last step alone names several they are a list's items, without further ado. */
function severalOf(query: Query): (root: JsonValue) => readonly JsonValue[] {
  const before = query.segments.slice(0, -1);
  const last = query.segments.at(-1);
  const isList = last?.kind === "child" && last.selectors.length === 1 && last.selectors[0]?.kind === "wildcard";
  if (!isList || !isSingular({ root: "$", segments: before })) return finderOf(query);
  return (root) => {
    const holder = valueAt(root, before);
    if (Array.isArray(holder)) return holder as readonly JsonValue[];
    return isObject(holder) ? Object.values(holder) : [];
  };
}
