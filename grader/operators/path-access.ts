import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import type { FieldPath, PathSegment } from "../scenario/ast.ts";
import { compileJsonPath } from "./jsonpath.ts";

/** Reads the values at a path; made once per path, used once per event. Total over any JSON value. */
export interface PathAccess {
  /** False when the path can name several values at once (`[*]`, JSONPath). */
  readonly single: boolean;
  /** The value, or the first of several; undefined when there is none. null is a value. */
  get(root: JsonValue): JsonValue | undefined;
  /** Every value, in document order. */
  all(root: JsonValue): readonly JsonValue[];
}

/**
 * Compiles a path to its accessor. The lone word `event` is the event's name, wherever the scenario's `events.name` has
 * it. JSONPath must have been checked before (`parseJsonPath`); one that is no JSONPath names nothing.
 */
export function compilePath(path: FieldPath, eventName?: FieldPath): PathAccess {
  if (isEventShorthand(path) && eventName !== undefined) return compilePath(eventName);
  if (path.kind === "jsonpath") return compileJsonPath(path.text);
  return path.segments.some(({ kind }) => kind === "each") ? several(path.segments) : one(path.segments);
}

/** True for the path that is only the word `event`, not quoted. */
export function isEventShorthand(path: FieldPath): boolean {
  const [first] = path.kind === "dotted" && path.segments.length === 1 ? path.segments : [];
  return first?.kind === "key" && first.key === "event" && !first.exact;
}

/** The accessor of a path that names at most one place. */
export function one(segments: readonly PathSegment[]): PathAccess {
  const get = compileGet(segments);
  return {
    single: true,
    get,
    all(root: JsonValue): readonly JsonValue[] {
      const value = get(root);
      return value === undefined ? [] : [value];
    },
  };
}

function several(segments: readonly PathSegment[]): PathAccess {
  const all = (root: JsonValue): readonly JsonValue[] => {
    const found: JsonValue[] = [];
    collect(root, segments, 0, found);
    return found;
  };
  return { single: false, all, get: (root) => all(root)[0] };
}

type Get = (root: JsonValue) => JsonValue | undefined;

/** The shapes nearly all paths have get straight code; keys that JavaScript objects inherit never do. */
function compileGet(segments: readonly PathSegment[]): Get {
  const keys = segments.map(plainKey);
  const [a, b, c] = keys;
  if (keys.some((key) => key === undefined) || a === undefined) return (root) => resolve(root, segments, 0);
  if (keys.length === 1) return (root) => child(root, a);
  if (b === undefined) return (root) => resolve(root, segments, 0);
  if (keys.length === 2) return (root) => child(child(root, a), b) ?? resolve(root, segments, 0);
  if (c === undefined || keys.length > 3) return (root) => resolve(root, segments, 0);
  return (root) => child(child(child(root, a), b), c) ?? resolve(root, segments, 0);
}

/** The key, when reading it needs no care: no index, nothing that every JavaScript object or list inherits. */
function plainKey(segment: PathSegment): string | undefined {
  if (segment.kind !== "key" || segment.key in Object.prototype || segment.key in Array.prototype) return undefined;
  return segment.key === "" || /^-?\d/.test(segment.key) ? undefined : segment.key;
}

function child(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return typeof value === "object" && value !== null ? (value as JsonObject)[key] : undefined;
}

/** Nesting first; where it does not lead through, keys that contain dots, shortest first (LANGUAGE.md section 3.1). */
function resolve(value: JsonValue, segments: readonly PathSegment[], index: number): JsonValue | undefined {
  const segment = segments[index];
  if (segment === undefined) return value;
  if (segment.kind === "index") return further(element(value, segment.index), segments, index + 1);
  if (segment.kind === "each") return undefined;
  let key = segment.key;
  for (let next = index + 1; ; next++) {
    const found = further(member(value, key, segment.exact), segments, next);
    if (found !== undefined) return found;
    const joined = segments[next];
    if (segment.exact || joined?.kind !== "key" || joined.exact) return undefined;
    key += `.${joined.key}`;
  }
}

function further(value: JsonValue | undefined, segments: readonly PathSegment[], index: number): JsonValue | undefined {
  return value === undefined ? undefined : resolve(value, segments, index);
}

/** Like `resolve`, for paths with `[*]`: the first reading of the keys that leads to any value counts. */
function collect(value: JsonValue, segments: readonly PathSegment[], index: number, found: JsonValue[]): void {
  const segment = segments[index];
  if (segment === undefined) found.push(value);
  else if (segment.kind === "each") {
    if (Array.isArray(value))
      for (const item of value as readonly JsonValue[]) collect(item, segments, index + 1, found);
  } else if (segment.kind === "index") {
    const item = element(value, segment.index);
    if (item !== undefined) collect(item, segments, index + 1, found);
  } else collectKey(value, segments, index, found);
}

function collectKey(value: JsonValue, segments: readonly PathSegment[], index: number, found: JsonValue[]): void {
  const segment = segments[index];
  if (segment?.kind !== "key") return;
  const before = found.length;
  let key = segment.key;
  for (let next = index + 1; ; next++) {
    const inner = member(value, key, segment.exact);
    if (inner !== undefined) collect(inner, segments, next, found);
    const joined = segments[next];
    if (found.length > before || segment.exact || joined?.kind !== "key" || joined.exact) return;
    key += `.${joined.key}`;
  }
}

/** An own member of an object; on a list, a number written with a dot (`items.0`) is an index. */
export function member(value: JsonValue, key: string, exact: boolean): JsonValue | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return !exact && /^-?\d+$/.test(key) ? element(value, Number(key)) : undefined;
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
}

/** An element of a list; a negative index counts from the end. */
export function element(value: JsonValue, index: number): JsonValue | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]).at(index) : undefined;
}
