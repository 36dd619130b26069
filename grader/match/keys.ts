import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { type Bindings, type PathAccess, valueKey } from "../operators/where.ts";

/** The key of the values at several paths together; undefined when the event lacks one of them. */
export function combinedKey(paths: readonly PathAccess[], event: JsonObject): string | undefined {
  let key = "";
  for (const path of paths) {
    const value = path.get(event);
    if (value === undefined) return undefined;
    const part = valueKey(value);
    if (paths.length === 1) return part;
    key += `${part.length}:${part}`;
  }
  return key;
}

/** A value to remember from an event. */
export interface Capture {
  readonly name: string;
  readonly path: PathAccess;
}

/** The bindings with the captures of this event added; undefined when the event lacks one of the fields. */
export function capture(captures: readonly Capture[], event: JsonObject, bindings: Bindings): Bindings | undefined {
  if (captures.length === 0) return bindings;
  const grown = new Map<string, JsonValue>(bindings);
  for (const { name, path } of captures) {
    const value = path.get(event);
    if (value === undefined) return undefined;
    grown.set(name, value);
  }
  return grown;
}

/** The key of all bindings together: equal exactly when the same names have equal values. */
export function bindingsKey(bindings: Bindings): string {
  if (bindings.size === 0) return "";
  return [...bindings.keys()]
    .sort()
    .map((name) => {
      const key = valueKey(bindings.get(name) ?? null);
      return `${name}=${key.length}:${key}`;
    })
    .join("");
}
