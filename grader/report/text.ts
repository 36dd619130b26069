import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";

/**
 * Text from telemetry, files or agents made safe for a terminal: control characters (ESC among them), line breaks,
 * bidirectional marks and other invisible characters become visible escapes such as `\u001b`, and lone surrogates too.
 */
export function asText(value: string): string {
  return value.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}

/** A JSON value on one line, cut to `limit` characters, safe for a terminal. */
export function showValue(value: JsonValue | undefined, limit = 80): string {
  if (value === undefined) return "absent";
  const text = asText(stringifyJson(value));
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

/** `9.9 s`, `420 ms`, `3 min 5 s`. */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 100_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** `1,842`: thousands apart, the same in every locale. */
export function showCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 event`, `2 events`; a word with another plural names it: `plural(2, "body", "bodies")`. */
export function plural(count: number, word: string, many = `${word}s`): string {
  return `${showCount(count)} ${count === 1 ? word : many}`;
}
