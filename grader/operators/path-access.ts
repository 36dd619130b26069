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
  const readings = readingsOf(segments);
  const all = (root: JsonValue): readonly JsonValue[] => {
    const found: JsonValue[] = [];
    collect(root, readings, 0, found);
    return found;
  };
  return { single: false, all, get: (root) => all(root)[0] };
}

type Get = (root: JsonValue) => JsonValue | undefined;

/** The shapes nearly all paths have get straight code; keys that JavaScript objects inherit never do. */
function compileGet(segments: readonly PathSegment[]): Get {
  const [a, b, c] = segments.map(plainKey);
  const readings = readingsOf(segments);
  const slow: Get = (root) => resolve(root, readings, 0);
  if (a === undefined || segments.length > 3) return slow;
  if (segments.length === 1) return (root) => child(root, a);
  if (b === undefined) return slow;
  if (segments.length === 2) return (root) => child(child(root, a), b) ?? slow(root);
  return c === undefined ? slow : (root) => child(child(child(root, a), b), c) ?? slow(root);
}

/** The key, when reading it needs no care: no index, nothing that every JavaScript object or list inherits. */
function plainKey(segment: PathSegment): string | undefined {
  if (segment.kind !== "key" || segment.key in Object.prototype || segment.key in Array.prototype) return undefined;
  return segment.key === "" || /^-?\d/.test(segment.key) ? undefined : segment.key;
}

function child(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return typeof value === "object" && value !== null ? (value as JsonObject)[key] : undefined;
}

/** A segment with the keys it can be read as: alone, then joined by dots with those behind it, shortest first. */
interface Reading {
  readonly segment: PathSegment;
  readonly keys: readonly string[];
}

function readingsOf(segments: readonly PathSegment[]): readonly Reading[] {
  return segments.map((segment, index) => {
    if (segment.kind !== "key") return { segment, keys: [] };
    const keys = [segment.key];
    for (const joined of segment.exact ? [] : segments.slice(index + 1)) {
      if (joined.kind !== "key" || joined.exact) break;
      keys.push(`${keys.at(-1)}.${joined.key}`);
    }
    return { segment, keys };
  });
}

/** Nesting first; where it does not lead through, keys that contain dots, shortest first (LANGUAGE.md section 3.1). */
function resolve(value: JsonValue, readings: readonly Reading[], index: number): JsonValue | undefined {
  const reading = readings[index];
  if (reading === undefined) return value;
  const { segment, keys } = reading;
  if (segment.kind === "index") {
    const item = element(value, segment.index);
    return item === undefined ? undefined : resolve(item, readings, index + 1);
  }
  let next = index;
  for (const key of keys) {
    next += 1;
    const inner = member(value, key, segment.kind === "key" && segment.exact);
    const found = inner === undefined ? undefined : resolve(inner, readings, next);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Like `resolve`, for paths with `[*]`: the first reading of the keys that leads to any value counts. */
function collect(value: JsonValue, readings: readonly Reading[], index: number, found: JsonValue[]): void {
  const reading = readings[index];
  if (reading === undefined) found.push(value);
  else if (reading.segment.kind === "each") {
    if (!Array.isArray(value)) return;
    for (const item of value as readonly JsonValue[]) collect(item, readings, index + 1, found);
  } else if (reading.segment.kind === "index") {
    const item = element(value, reading.segment.index);
    if (item !== undefined) collect(item, readings, index + 1, found);
  } else collectKeys(value, readings, index, found);
}

function collectKeys(value: JsonValue, readings: readonly Reading[], index: number, found: JsonValue[]): void {
  const { segment, keys } = readings[index] ?? { segment: undefined, keys: [] };
  const before = found.length;
  let next = index;
  for (const key of keys) {
    next += 1;
    const inner = member(value, key, segment?.kind === "key" && segment.exact);
    if (inner !== undefined) collect(inner, readings, next, found);
    if (found.length > before) return;
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
