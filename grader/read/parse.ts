import { constants, isUtf8 } from "node:buffer";
import { isObject, type JsonObject, type JsonValue, OverlongInteger, parseJson } from "../../proxy/record/json.ts";
import { kindOf } from "../../proxy/record/record.ts";

/** What one line turned out to be. `value` of an event, control or undecoded line is its JSON object. */
export type ParsedLine =
  | { readonly kind: "blank" }
  | { readonly kind: "event"; readonly value: JsonObject }
  | { readonly kind: "control"; readonly value: JsonObject }
  | { readonly kind: "undecoded"; readonly value: JsonObject }
  /** `whole` when the line is valid JSON all the same, such as `null` or `[]`: nothing is missing from it. */
  | { readonly kind: "bad"; readonly why: string; readonly whole: boolean };

/** Deepest nesting an event may have; deeper ones are bad lines, so that no later step can run out of stack. */
export const MAX_DEPTH = 1000;

/**
 * An event whose line is longer than this is large: it gets no look for the explanation of a near miss unless its name
 * fits, so that a reader need not make objects of megabytes that can match nothing.
 */
export const LARGE_BYTES = 1 << 20;

const largeEvents = new WeakSet<JsonObject>();

/** True of an event that `parseLine` read from a line of more than LARGE_BYTES bytes. */
export function isLargeEvent(event: JsonObject): boolean {
  return largeEvents.has(event);
}

const BLANK: ParsedLine = { kind: "blank" };

/**
 * Reads one line (without its LF) of a log. Total: every sequence of bytes gives an answer, none throws.
 * Blank means nothing but spaces, tabs and CR. Integers beyond 2^53 keep their digits (`bigint`);
 * a line with one of more than MOST_DIGITS digits is bad.
 */
export function parseLine(bytes: Buffer, start: number, end: number): ParsedLine {
  const first = firstInk(bytes, start, end);
  if (first === end) return BLANK;
  if (end - first > constants.MAX_STRING_LENGTH) return bad("longer than a text can be");
  const text = bytes.toString("utf8", first, end);
  // U+FFFD is what the decoder writes for bytes that are no UTF-8, and also a character a log may hold.
  if (text.includes("\ufffd") && !isUtf8(bytes.subarray(first, end))) return bad("not valid UTF-8");
  const parsed = classify(text, () => hasLongInteger(bytes, first, end));
  if (end - start > LARGE_BYTES && parsed.kind === "event") largeEvents.add(parsed.value);
  return parsed;
}

/** As `parseLine`, for a line that is already text. */
export function parseText(text: string): ParsedLine {
  if (/^[ \t\r]*$/.test(text)) return BLANK;
  return classify(text, () => true);
}

function classify(text: string, mayHoldLongIntegers: () => boolean): ParsedLine {
  const value = readValue(text, mayHoldLongIntegers);
  if (typeof value === "string") return bad(value);
  const kind = kindOf(value.json);
  if (kind === "other" || !isObject(value.json)) return { kind: "bad", why: notAnObject(value.json), whole: true };
  if (kind === "event" && isTruncated(value.json)) return { kind: "undecoded", value: value.json };
  return { kind, value: value.json };
}

/**
 * The value, or why there is none. JSON.parse alone is 1.3 times as fast as parseJson, and right without long integers; the
 * error that it throws takes longer than parsing a line, so what shows at both ends is not asked.
 */
function readValue(text: string, mayHoldLongIntegers: () => boolean): { readonly json: JsonValue } | string {
  if (isNoJson(text)) return whyNot(text, undefined);
  try {
    const json = mayHoldLongIntegers() ? parseJson(text) : (JSON.parse(text) as JsonValue);
    return isTooDeep(text, json) ? `nested deeper than ${MAX_DEPTH} levels` : { json };
  } catch (error) {
    if (error instanceof OverlongInteger) return error.message;
    return error instanceof RangeError ? `nested deeper than ${MAX_DEPTH} levels` : whyNot(text, error);
  }
}

/** Signs that an object, a list or a text can end with. */
const ENDS = new Set([...'}]"'].map((sign) => sign.charCodeAt(0)));
/** Signs that other JSON can begin with: numbers, true, false, null. */
const SCALARS = new Set([..."-0123456789tfn"].map((sign) => sign.charCodeAt(0)));

/** True only of texts that cannot be JSON, by their first and their last sign, and not of all of them. */
function isNoJson(text: string): boolean {
  const [first, last] = [text.charCodeAt(0), text.charCodeAt(text.length - 1)];
  return first > 32 && last > 32 && last < 127 && !ENDS.has(last) && !SCALARS.has(first);
}

function bad(why: string): ParsedLine {
  return { kind: "bad", why, whole: false };
}

function notAnObject(value: JsonValue): string {
  const what = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
  return `not an object but ${what}`;
}

/** A body that was cut gives no event, even where its beginning could be read (DESIGN.md section 4, "Gaps"). */
function isTruncated(event: JsonObject): boolean {
  const meta = event["$capture"];
  return isObject(meta) && meta["truncated"] === true;
}

function whyNot(text: string, error: unknown): string {
  if (text.includes("\0")) return "not JSON: holds NUL bytes";
  if (!/[}\]"]\s*$/.test(text)) return "not JSON: cut before its end, or followed by something else";
  const detail = error instanceof Error ? error.message.replace(/\s+/g, " ").slice(0, 120) : "";
  return `not JSON: ${detail}`;
}

function firstInk(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at];
    if (byte !== 32 && byte !== 9 && byte !== 13) break;
    at++;
  }
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

/**
 * True when a number of sixteen digits or more may stand here: the fewest that can spell an integer a double cannot
 * hold. Such a row of digits covers one of every sixteenth byte, so only those are looked at first (a regular
 * expression took eight times as long), and each row is walked once: after its end, the next sixteen could begin two
 * bytes on. Digits that go on from a letter, a quote or a point are no integer.
 */
function hasLongInteger(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start + 15; at < end; at += 16) {
    if (!isDigit(bytes[at])) continue;
    let from = at;
    let to = at;
    while (from > start && isDigit(bytes[from - 1])) from--;
    while (to + 1 < end && isDigit(bytes[to + 1])) to++;
    if (to - from >= 15 && mayBeginNumber(bytes[from - 1])) return true;
    at = to;
  }
  return false;
}

/** The bytes a JSON number can stand behind: `:`, `,`, `[`, white space, its minus sign, or the start of the text. */
function mayBeginNumber(before: number | undefined): boolean {
  return before === undefined || before <= 32 || before === 58 || before === 44 || before === 91 || before === 45;
}

/** Exact, but only texts with more than MAX_DEPTH opening brackets are walked. */
function isTooDeep(text: string, value: JsonValue): boolean {
  if (text.length <= 2 * MAX_DEPTH || !hasManyBrackets(text)) return false;
  return reaches(value, MAX_DEPTH + 1);
}

/** True when something stands that many levels below the value. */
function reaches(value: JsonValue, levels: number): boolean {
  if (levels === 0) return true;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) if (reaches(item, levels - 1)) return true;
    return false;
  }
  for (const key of Object.keys(value)) {
    if (reaches((value as JsonObject)[key] ?? null, levels - 1)) return true;
  }
  return false;
}

function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at !== -1 && count <= MAX_DEPTH; at = text.indexOf(bracket, at + 1)) count++;
  }
  return count > MAX_DEPTH;
}
