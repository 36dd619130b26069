import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../record/json.ts";

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

/** Unfolds the texts that stand directly in an object; with `keys`, only under these. */
export function unfoldMembers(object: JsonObject, keys?: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key,
      keys === undefined || keys.has(key) ? unfoldText(value) : value,
    ]),
  );
}
