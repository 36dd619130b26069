import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../record/json.ts";
import { setOwn } from "./member.ts";

const ENCLOSED = /^(?:\{[\s\S]*\}|\[[\s\S]*\])$/;

/**
 * A text that is a JSON object or array, in the exact form that JSON.stringify writes, as the value it holds: writing the
 * value again gives the same text, so nothing is lost. Any other value as it stands.
 */
export function unfoldText(value: JsonValue): JsonValue {
  if (typeof value !== "string" || !ENCLOSED.test(value)) return value;
  try {
    const held = parseJson(value);
    return stringifyJson(held) === value ? held : value;
  } catch {
    return value; // text that only looks like JSON is text
  }
}

/** Unfolds the texts that stand directly in an object; with `keys`, only under these. The same object when none was. */
export function unfoldMembers(object: JsonObject, keys?: ReadonlySet<string>): JsonObject {
  let changed: Record<string, JsonValue> | undefined;
  for (const key of Object.keys(object)) {
    if (keys !== undefined && !keys.has(key)) continue;
    const value = object[key] ?? null;
    const held = unfoldText(value);
    if (held === value) continue;
    changed ??= { ...object };
    setOwn(changed, key, held);
  }
  return changed ?? object;
}
