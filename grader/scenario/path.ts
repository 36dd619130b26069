import type { FieldPath, PathSegment } from "./ast.ts";

export type ParsedPath =
  | { readonly ok: true; readonly path: FieldPath }
  | { readonly ok: false; readonly why: string /** Index of the character that is wrong. */; readonly at: number };

/**
 * Reads a path (LANGUAGE.md section 3.1): keys joined by dots, `[0]`, `[-1]`, `[*]`, and `['any key']` or `["any key"]`
 * with `\` before a quote or backslash. A text that starts with `$.`, `$[` or is `$` is JSONPath and is kept as it
 * stands; its syntax is checked where it is compiled. `a-b`, `a b`, `$odd` and letters of any script need no quotes.
 */
export function parsePath(text: string): ParsedPath {
  if (/^\$(?=[.[]|$)/.test(text)) return { ok: true, path: { kind: "jsonpath", text } };
  if (text === "") return { ok: false, why: "the path is empty", at: 0 };
  if (text.length > MAX_LENGTH) return { ok: false, why: `the path is longer than ${MAX_LENGTH} characters`, at: 0 };
  const segments: PathSegment[] = [];
  let at = 0;
  while (at < text.length) {
    const read = text[at] === "[" ? readBracket(text, at) : readKey(text, at, segments.length > 0);
    if ("why" in read) return { ok: false, ...read };
    segments.push(read.segment);
    at = read.end;
  }
  if (segments.length > MAX_SEGMENTS) return { ok: false, why: `the path has more than ${MAX_SEGMENTS} parts`, at: 0 };
  return { ok: true, path: { kind: "dotted", text, segments } };
}

const MAX_LENGTH = 2000;
const MAX_SEGMENTS = 64;

type Read = { readonly segment: PathSegment; readonly end: number } | { readonly why: string; readonly at: number };

function readKey(text: string, start: number, needsDot: boolean): Read {
  if (needsDot && text[start] !== ".")
    return { why: `expected "." or "[" before "${text.slice(start, start + 10)}"`, at: start };
  const from = needsDot ? start + 1 : start;
  let end = from;
  while (end < text.length && text[end] !== "." && text[end] !== "[") {
    if (text[end] === "]") return { why: '"]" without "["', at: end };
    end += 1;
  }
  if (end === from) return { why: "a key is missing here", at: from };
  return { segment: { kind: "key", key: text.slice(from, end), exact: false }, end };
}

function readBracket(text: string, start: number): Read {
  const quote = text[start + 1];
  if (quote === "'" || quote === '"') return readQuoted(text, start, quote);
  const close = text.indexOf("]", start);
  if (close < 0) return { why: '"[" is never closed', at: start };
  const inside = text.slice(start + 1, close);
  if (inside === "*") return { segment: { kind: "each" }, end: close + 1 };
  if (/^(0|-?[1-9]\d{0,8})$/.test(inside)) return { segment: { kind: "index", index: Number(inside) }, end: close + 1 };
  return { why: `"[${inside}]" is no index: write [0], [-1], [*], or a key in quotes ['${inside}']`, at: start };
}

function readQuoted(text: string, start: number, quote: string): Read {
  let key = "";
  for (let at = start + 2; at < text.length; at++) {
    if (text[at] === quote) {
      if (text[at + 1] !== "]") return { why: `"]" is missing behind the quoted key`, at: at + 1 };
      return { segment: { kind: "key", key, exact: true }, end: at + 2 };
    }
    if (text[at] === "\\" && at + 1 < text.length) at += 1;
    key += text[at];
  }
  return { why: "the quoted key is never closed", at: start + 1 };
}

/** A key of a field test, split at its pipes: those inside brackets belong to the path. */
export function splitModifiers(key: string): { readonly path: string; readonly modifiers: readonly string[] } {
  const parts = [""];
  let depth = 0;
  for (const [token] of key.matchAll(TOKEN)) {
    if (token === "[") depth += 1;
    if (token === "]") depth = Math.max(0, depth - 1);
    if (token === "|" && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  const [path = "", ...modifiers] = parts;
  return { path, modifiers };
}

/** Brackets, pipes, quoted text that ends before the next bracket, and runs of anything else. */
const TOKEN = /(?<=[[(,=\s])'(?:\\.|[^'\\])*'|(?<=[[(,=\s])"(?:\\.|[^"\\])*"|[[\]|]|[^[\]|'"]+|['"]/gsu;

/** Writes a path so that `parsePath` reads the same segments from it. */
export function formatPath(segments: readonly PathSegment[]): string {
  const written = segments.map((segment) => {
    if (segment.kind === "index") return `[${segment.index}]`;
    if (segment.kind === "each") return "[*]";
    if (segment.exact) return `['${segment.key.replace(/['\\]/g, "\\$&")}']`;
    return `.${segment.key}`;
  });
  return written.join("").replace(/^\./, "");
}
