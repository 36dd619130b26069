import { isObject, type JsonValue, parseJson } from "../../proxy/record/json.ts";

/** Longest text that is read as a value; a longer one stays text. */
const MOST_CHARACTERS = 65_536;
const MOST_DEPTH = 64;

/**
 * The value that a text spells, when it is a whole list or map in JSON or as Python writes it (`{'a': True}`, `[1, None]`,
 * `('x',)`); otherwise the value itself. Values inside lists and maps are read the same way. Total; never throws.
 */
export function readSpelled(value: JsonValue, depth = 0): JsonValue {
  if (depth > MOST_DEPTH) return value;
  if (typeof value === "string") {
    const read = valueIn(value);
    return read === undefined ? value : readSpelled(read, depth + 1);
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => readSpelled(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, readSpelled(inner, depth + 1)]));
}

/** The list or map a text holds; undefined when it holds something else. */
export function valueIn(text: string): JsonValue | undefined {
  if (text.length < 2 || text.length > MOST_CHARACTERS) return undefined;
  const trimmed = text.trim();
  const closing = { "{": "}", "[": "]", "(": ")" }[trimmed[0] ?? ""];
  if (closing === undefined || trimmed.at(-1) !== closing) return undefined;
  try {
    return parseJson(trimmed);
  } catch {
    return new PythonReader(trimmed).whole();
  }
}

/**
 * A text that two scalars share exactly when they spell one value: 5, 5.0 and "5" are one, true, "true" and "True" are
 * one; "05" and "5" are not.
 */
export function spelledKey(value: null | boolean | number | bigint | string): string {
  if (typeof value === "number" || typeof value === "bigint") return `n${value}`;
  if (typeof value === "boolean") return value ? "t" : "f";
  if (value === null) return "z";
  if (/^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,10})?$/.test(value)) return `n${Number(value)}`;
  return value === "true" || value === "True" ? "t" : value === "false" || value === "False" ? "f" : `"${value}`;
}

/** Reads a Python literal of lists, tuples, maps, texts, numbers, True, False and None (Python reference, section 6.2). */
class PythonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): JsonValue | undefined {
    const value = this.#value(0);
    this.#space();
    return this.#at === this.#text.length ? value : undefined;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #take(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #value(depth: number): JsonValue | undefined {
    this.#space();
    if (depth > MOST_DEPTH) return undefined;
    const first = this.#text[this.#at] ?? "";
    if (first === "{") return this.#map(depth);
    if (first === "[" || first === "(") return this.#list(first === "[" ? "]" : ")", depth);
    if (first === "'" || first === '"') return this.#quoted(first);
    return this.#word();
  }

  #list(end: string, depth: number): JsonValue | undefined {
    this.#at++;
    const items: JsonValue[] = [];
    while (!this.#take(end)) {
      const item = this.#value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      if (!this.#take(",")) return this.#take(end) ? items : undefined;
    }
    return items;
  }

  #map(depth: number): JsonValue | undefined {
    this.#at++;
    const entries: [string, JsonValue][] = [];
    while (!this.#take("}")) {
      const key = this.#value(depth + 1);
      const value = this.#take(":") ? this.#value(depth + 1) : undefined;
      if (value === undefined || key === undefined || typeof key === "object") return undefined;
      entries.push([String(key), value]);
      if (!this.#take(",")) return this.#take("}") ? Object.fromEntries(entries) : undefined;
    }
    return Object.fromEntries(entries);
  }

  #quoted(quote: string): string | undefined {
    let text = "";
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? "";
      if (character === quote) {
        this.#at++;
        return text;
      }
      if (character === "\\") {
        const escaped = this.#text[++this.#at] ?? "";
        text += { n: "\n", t: "\t", r: "\r" }[escaped] ?? escaped;
      } else text += character;
    }
    return undefined;
  }

  #word(): JsonValue | undefined {
    const [word = ""] = /^[-+.\w]+/.exec(this.#text.slice(this.#at, this.#at + 64)) ?? [];
    this.#at += word.length;
    const known: Readonly<Record<string, JsonValue>> = { True: true, False: false, None: null };
    if (Object.hasOwn(known, word)) return known[word];
    return /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(word) ? Number(word) : undefined;
  }
}
