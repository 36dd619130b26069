import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { type Bindings, type PathAccess, valueKey } from "../operators/where.ts";

/** Longest key that is remembered as it is. */
const LONGEST_KEY = 256;

/**
 * `valueKey` for remembering many values: of bounded size, whatever the value. Long keys are kept as their SHA-256 (FIPS
 * 180-4), so that different values share one only by a collision, of which none is known. No other key begins with `#`.
 */
export function rememberedKey(value: JsonValue): string {
  const key = valueKey(value);
  if (key.length <= LONGEST_KEY) return key;
  // UTF-16, because UTF-8 has one spelling for all unpaired surrogates
  return `#${createHash("sha256").update(key, "utf16le").digest("base64")}`;
}

/** The key of the values at several paths together; undefined when the event lacks one of them. */
export function combinedKey(paths: readonly PathAccess[], event: JsonObject): string | undefined {
  let key = "";
  for (const path of paths) {
    const value = path.get(event);
    if (value === undefined) return undefined;
    const part = rememberedKey(value);
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

/**
 * The key of all bindings together: equal when, and short of a SHA-256 collision only when, the same names have equal
 * values.
 */
export function bindingsKey(bindings: Bindings): string {
  if (bindings.size === 0) return "";
  return [...bindings.keys()]
    .sort()
    .map((name) => {
      const key = rememberedKey(bindings.get(name) ?? null);
      return `${name}=${key.length}:${key}`;
    })
    .join("");
}
