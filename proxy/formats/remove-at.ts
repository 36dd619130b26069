import { without } from "../decoders/member.ts";
import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import { isSingular, type Segment } from "../record/json-path/query.ts";

/** The keys of a path that names one member by names alone; undefined for every other path. */
export function keysOf(segments: readonly Segment[]): readonly string[] | undefined {
  if (segments.length === 0 || !isSingular({ root: "$", segments })) return undefined;
  const keys = segments.flatMap(({ selectors: [to] }) => (to?.kind === "name" ? [to.name] : []));
  return keys.length === segments.length ? keys : undefined;
}

/** A copy of an object with something else at a path of keys that is there. */
export function replaceAt(object: JsonObject, [key, ...rest]: readonly string[], by: JsonValue): JsonObject {
  if (key === undefined) return object;
  const inner: JsonValue = object[key] ?? null;
  const put = rest.length === 0 || !isObject(inner) ? by : replaceAt(inner, rest, by);
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, name === key ? put : value]));
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
