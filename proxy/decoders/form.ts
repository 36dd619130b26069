import type { JsonObject } from "../record/json.ts";
import { setOwn } from "./member.ts";

/** The query of a request target, without its `?`; empty when there is none. */
export function queryOf(target: string): string {
  const mark = target.indexOf("?");
  if (mark < 0) return "";
  const hash = target.indexOf("#", mark);
  return target.slice(mark + 1, hash < 0 ? undefined : hash);
}

/** Every decoder asks for the path of the same target, one after the other. */
let last = { target: "/", path: "/" };

/** The path of a request target, without its query; also of an absolute-form target. */
export function pathOf(target: string): string {
  if (last.target !== target) last = { target, path: pathIn(target) };
  return last.path;
}

function pathIn(target: string): string {
  const path = target.startsWith("/") ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const end = path.search(/[?#]/);
  return (end < 0 ? path : path.slice(0, end)) || "/";
}

/**
 * A query or form (`application/x-www-form-urlencoded`) as an object of texts; a name that stands more than once gets a list.
 * Sequences that are no percent-encoding stay as they are.
 */
export function formFields(text: string): JsonObject {
  const fields: Record<string, string | string[]> = {};
  for (let from = 0; from < text.length; ) {
    const and = text.indexOf("&", from);
    const end = and < 0 ? text.length : and;
    if (end > from) addField(fields, text, { from, end });
    from = end + 1;
  }
  return fields;
}

function addField(
  fields: Record<string, string | string[]>,
  text: string,
  { from, end }: { readonly from: number; readonly end: number },
): void {
  const at = text.indexOf("=", from);
  const hasValue = at >= 0 && at < end;
  const name = unescapeForm(text.slice(from, hasValue ? at : end));
  const value = hasValue ? unescapeForm(text.slice(at + 1, end)) : "";
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (before === undefined) setOwn(fields, name, value);
  else if (Array.isArray(before)) before.push(value);
  else setOwn(fields, name, [before, value]);
}

/** Undoes form encoding of one name or value: `+` is a space, `%XX` a byte of UTF-8. */
export function unescapeForm(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return unescapePercent(spaced);
}

/** Undoes percent-encoding; bytes that are no UTF-8 become replacement characters, a lone `%` stays. */
export function unescapePercent(text: string): string {
  const first = text.indexOf("%");
  if (first < 0) return text;
  try {
    // base64 has its only escapes at the end
    return text.slice(0, first) + decodeURIComponent(text.slice(first));
  } catch {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"));
  }
}
