import { parse as parseLossless, stringify as stringifyLossless } from "lossless-json";

/** A JSON value as waymark holds it: integers beyond 2^53 are `bigint`, every other number is `number`. */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject;
/** A JSON object; keys keep the order in which they stood, except that integer-like keys come first (ECMA-262). */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * Sixteen digits in a row are the fewest that can spell an integer beyond 2^53 (9007199254740993). Those that begin inside
 * a text or behind a decimal point do not count.
 */
const LONG_NUMBER = /(?:^|[[:,\s-])(?<digits>[0-9]{16,})/g;

/**
 * Most digits an integer may have. Reading and comparing longer ones takes ever longer, and to round them would make
 * different numbers equal, so a text that holds one is refused as a whole.
 */
export const MOST_DIGITS = 4000;

/** The text is JSON, but holds an integer of more than MOST_DIGITS digits. */
export class OverlongInteger extends SyntaxError {
  override readonly name = "OverlongInteger";

  constructor() {
    super(`holds an integer of more than ${MOST_DIGITS} digits`);
  }
}

/**
 * Parses one JSON text (RFC 8259). Integers that a double cannot hold come back as `bigint`, so that two ids which
 * differ only in their last digit stay different; only texts that hold such a number pay for that.
 * Throws `SyntaxError` on anything that is not exactly one JSON value, `OverlongInteger` (one of them) on an integer of
 * more than MOST_DIGITS digits, `RangeError` when it is nested too deep.
 */
export function parseJson(text: string): JsonValue {
  const value: unknown = JSON.parse(text);
  if (!hasUnsafeInteger(text)) return value as JsonValue;
  return parseLossless(text, undefined, {
    parseNumber: exactNumber,
    onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue,
  }) as JsonValue;
}

/** What parses the parts of a text as `parseJson` does; the text is looked through for such numbers once for all parts. */
export function partsParser(text: string): (part: string) => JsonValue {
  return hasLongRun(text) ? parseJson : parseSafe;
}

function parseSafe(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

/** Writes a value as one line of JSON; a `bigint` is written with all its digits. Never emits a line break. */
export function stringifyJson(value: JsonValue | undefined): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause; // JSON.stringify refuses bigint; lossless-json writes it
    return stringifyLossless(value) ?? "null";
  }
}

/** True for a value that has named fields: an object, not an array and not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** May also be true of a text that only looks like such a number; then the careful parser finds none. */
function hasUnsafeInteger(text: string): boolean {
  if (!hasLongRun(text)) return false;
  for (const { groups } of text.matchAll(LONG_NUMBER)) {
    if (!Number.isSafeInteger(Number(groups?.["digits"]))) return true;
  }
  return false;
}

const FEWEST = 16;

/** Sixteen digits in a row cover each sixteenth place of a text, so that a tenth of the time of a regular expression does. */
function hasLongRun(text: string): boolean {
  for (let at = FEWEST - 1; at < text.length; at += FEWEST) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    let to = at + 1;
    while (from > 0 && isDigit(text.charCodeAt(from - 1))) from--;
    while (isDigit(text.charCodeAt(to))) to++;
    if (to - from >= FEWEST) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function exactNumber(digits: string): number | bigint {
  const value = Number(digits);
  if (Number.isSafeInteger(value) || !/^-?[0-9]+$/.test(digits)) return value;
  if (digits.length - (digits.startsWith("-") ? 1 : 0) > MOST_DIGITS) throw new OverlongInteger();
  return BigInt(digits);
}
