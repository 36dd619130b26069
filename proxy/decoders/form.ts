import type { JsonObject } from "../record/json.ts";

/** The query of a request target, without its `?`; empty when there is none. */
export function queryOf(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? "" : target.slice(mark + 1).replace(/#.*$/s, "");
}

/** The path of a request target, without its query; also of an absolute-form target. */
export function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "") || "/";
}

/**
 * A query or form (`application/x-www-form-urlencoded`) as an object of texts; a name that stands more than once gets a list.
 * Sequences that are no percent-encoding stay as they are.
 */
export function formFields(text: string): JsonObject {
  const fields = new Map<string, string | string[]>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = unescapeForm(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : unescapeForm(pair.slice(equals + 1));
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(fields);
}

/** Undoes form encoding of one name or value: `+` is a space, `%XX` a byte of UTF-8. */
export function unescapeForm(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return unescapePercent(spaced);
}

/** Undoes percent-encoding; bytes that are no UTF-8 become replacement characters, a lone `%` stays. */
export function unescapePercent(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"));
  }
}
