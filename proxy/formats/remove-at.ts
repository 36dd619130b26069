import { without } from "../decoders/member.ts";
import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import { EVERY, type Step } from "./json-path.ts";

/** The keys of a path that names one member by names alone; undefined for every other path. */
export function keysOf(steps: readonly Step[]): readonly string[] | undefined {
  const keys = steps.map(({ deep, to }) => (deep || to === EVERY || typeof to === "number" ? undefined : to));
  return keys.length > 0 && keys.every((key) => key !== undefined) ? (keys as string[]) : undefined;
}

/** A copy of an object without the member at a path of keys, and without the objects that held nothing else. */
export function removeAt(object: JsonObject, [key, ...rest]: readonly string[]): JsonObject {
  if (key === undefined || !Object.hasOwn(object, key)) return object;
  if (rest.length === 0) return without(object, key);
  const inner: JsonValue = object[key] ?? null;
  if (!isObject(inner)) return object;
  const left = removeAt(inner, rest);
  if (left === inner) return object;
  if (Object.keys(left).length === 0) return without(object, key);
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, name === key ? left : value]));
}
