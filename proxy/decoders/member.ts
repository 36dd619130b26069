import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";

/** The value at a path of own keys; undefined when there is none. */
export function member(value: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  let here = value;
  for (const key of path) {
    if (!isObject(here) || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here;
}

/** The object at a path; an empty one when something else, or nothing, stands there. */
export function objectAt(value: JsonValue | undefined, ...path: string[]): JsonObject {
  const found = member(value, ...path);
  return isObject(found) ? found : {};
}

/** The list at a path; an empty one when something else, or nothing, stands there. */
export function listAt(value: JsonValue | undefined, ...path: string[]): readonly JsonValue[] {
  return listOf(member(value, ...path));
}

/** The text at a path, when one stands there that is not empty. */
export function textAt(value: JsonValue | undefined, ...path: string[]): string | undefined {
  return textOf(member(value, ...path));
}

/** The text or number at a path, as text: for ids that some versions of an SDK write as numbers. */
export function idAt(value: JsonValue | undefined, ...path: string[]): string | undefined {
  return idOf(member(value, ...path));
}

/** The value, when it is a list; else an empty one. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : NO_ITEMS;
}

const NO_ITEMS: readonly JsonValue[] = [];

/** The value, when it is a text that is not empty. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value as text, when it is a text that is not empty or a number. */
export function idOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return textOf(value);
}

/** A copy of an object without some of its keys. Keys such as `__proto__` stay plain keys. */
export function without(object: JsonObject, ...keys: string[]): JsonObject {
  // not a spread with deletions: V8 makes dictionaries of those, which all that follows reads slowly
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(object)) if (!keys.includes(key)) setOwn(copy, key, object[key] ?? null);
  return copy;
}

/** Adds the members of an object to another, those but with certain keys; one that is there already is replaced. */
export function addMembers(to: Record<string, JsonValue>, from: JsonObject, leftOut?: ReadonlySet<string>): void {
  for (const key of Object.keys(from)) if (leftOut?.has(key) !== true) setOwn(to, key, from[key] ?? null);
}

/** Adds a member, unless it has no value or is an empty object. */
export function addGiven(to: Record<string, JsonValue>, key: string, value: JsonValue | undefined): void {
  if (value === undefined || (isObject(value) && !isNonEmpty(value))) return;
  setOwn(to, key, value);
}

/** `{ [key]: value }`, or nothing when the value is undefined or an empty object. */
export function given(key: string, value: JsonValue | undefined): JsonObject {
  if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return {};
  return { [key]: value };
}

/** The first defined value. */
export function first<T>(...candidates: readonly (T | undefined)[]): T | undefined {
  for (const candidate of candidates) if (candidate !== undefined) return candidate;
  return undefined;
}

/** True for an object with at least one member. */
export function isNonEmpty(object: JsonObject): boolean {
  for (const _ in object) return true;
  return false;
}

/** Sets an own member, whatever its key: `__proto__` as well stays a plain key. */
export function setOwn<T extends JsonValue>(object: Record<string, T>, key: string, value: T): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
