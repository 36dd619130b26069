/**
 * SQLite text ends at a NUL for its own functions, and better-sqlite3 turns a lone surrogate into U+FFFD, so that two
 * different names could become one. Such characters are stored as `\uXXXX`, and a backslash that could be taken for the
 * beginning of one as `\u005c`: what comes back is what went in, always.
 */
const UNSAFE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\\(?=u[0-9a-fA-F]{4})/g;
const ESCAPE = /\\u([0-9a-fA-F]{4})/g;

/** The text as it is stored. */
export function encodeText(text: string): string {
  return text.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The text as it was, from what `encodeText` made of it. */
export function decodeText(stored: string): string {
  return stored.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
