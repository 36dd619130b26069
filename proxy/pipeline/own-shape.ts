import type { DecodedEvent } from "../decoders/decoder.ts";
import { type JsonObject, type JsonValue, stringifyJson } from "../record/json.ts";
import { type RedactPath, redactAt } from "./redact-path.ts";
import { isSecretKey, REDACTED, redactText } from "./secrets.ts";

/** A record's text up to the brace that closes it, and how many values were redacted in it. */
export interface OpenText {
  readonly open: string;
  readonly redacted: number;
}

/**
 * The record of an event that keeps its own shape, cut from the text it was parsed from, its secrets taken out: byte for
 * byte what `redact` and `stringifyJson` make of it, in a third of their time. Undefined where that is not certain.
 *
 * It is certain when the text is as long as what would be written. White space, members that a later one of the same name
 * replaces, escapes and digits that need not be there make it longer. All that makes it shorter, or another text of that
 * length, is looked for: exponents, `\u` escapes, digits beyond the fifteenth, keys that ECMA-262 sorts.
 */
export function ownText(
  { ownShape, name, time }: DecodedEvent,
  redactPaths: readonly RedactPath[],
): OpenText | undefined {
  if (ownShape === undefined) return undefined;
  const { text, value } = ownShape;
  if (!isInOrder(value, name, time) || isUnusual(text)) return undefined;
  for (const path of redactPaths) if (redactAt(value, path).count > 0) return undefined;
  const walk: Walk = { text, at: 0, depth: 0, backslash: 0, secrets: [], longNumbers: [] };
  const isSure = passObject(walk, value, "") && walk.at === text.length && walk.longNumbers.every(standsIn, text);
  return isSure ? withoutSecrets(walk) : undefined;
}

/** A record has its name first, then its time. */
function isInOrder(value: JsonObject, name: string | null, time: string | undefined): boolean {
  if (value["name"] !== name || value["time"] !== time) return false;
  let place = 0;
  for (const key in value) {
    if (place === 0 ? key !== "name" : key !== "time") return false;
    if (time === undefined || place === 1) return true;
    place++;
  }
  return false;
}

/** Also true of texts in which `\\u` stands behind another backslash; they are too few to matter. */
function isUnusual(text: string): boolean {
  const backslash = text.indexOf("\\");
  if (backslash >= 0 && text.includes("\\u", backslash)) return true;
  return SURROGATE.test(text) && LONE_SURROGATE.test(text);
}

const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** On the way through a value, in the order in which it would be written. */
interface Walk {
  readonly text: string;
  /** Where in the text the next part stands, if it is what would be written. */
  at: number;
  depth: number;
  /** The first backslash from there on. */
  backslash: number;
  /** Where each secret begins and ends. */
  readonly secrets: number[];
  readonly longNumbers: PlacedNumber[];
}

interface PlacedNumber {
  readonly at: number;
  readonly digits: string;
}

const MAX_DEPTH = 100;

/** Goes past an object; false when it may stand otherwise in the text, or when more than secrets' names have to be redacted. */
function passObject(walk: Walk, object: JsonObject, parent: string): boolean {
  if (++walk.depth > MAX_DEPTH) return false;
  const begin = walk.at;
  for (const key in object) {
    if (isOddKey(key)) return false;
    const value = object[key] ?? null;
    walk.at++; // the brace or comma before it
    passText(walk, key);
    walk.at++; // the colon
    if (!(isSecretKey(key, parent) ? passSecret(walk, value) : passValue(walk, value, key))) return false;
  }
  walk.at += walk.at === begin ? 2 : 1;
  walk.depth--;
  return true;
}

function passList(walk: Walk, list: readonly JsonValue[], key: string): boolean {
  if (++walk.depth > MAX_DEPTH) return false;
  const begin = walk.at;
  for (const value of list) {
    walk.at++;
    if (!passValue(walk, value, key)) return false;
  }
  walk.at += walk.at === begin ? 2 : 1;
  walk.depth--;
  return true;
}

function passValue(walk: Walk, value: JsonValue, key: string): boolean {
  if (typeof value === "string") {
    passText(walk, value);
    return key !== "body_base64" && redactText(value).count === 0;
  }
  if (typeof value === "number") return passNumber(walk, value);
  if (typeof value === "bigint") return false;
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? passList(walk, value, key) : passObject(walk, value as JsonObject, key);
  }
  walk.at += value === false ? 5 : 4;
  return true;
}

/** What is redacted under a secret's name, when it is a text; whatever else could be stands for itself. */
function passSecret(walk: Walk, value: JsonValue): boolean {
  if (typeof value !== "string") return (value === null || typeof value === "boolean") && passValue(walk, value, "");
  const begin = walk.at;
  passText(walk, value);
  if (value !== "" && value !== REDACTED) walk.secrets.push(begin + 1, walk.at - 1);
  return true;
}

/** Only a text with a backslash inside can be longer than what it says. */
function passText(walk: Walk, text: string): void {
  const end = walk.at + text.length + 2;
  if (walk.backslash < walk.at) {
    const next = walk.text.indexOf("\\", walk.at);
    walk.backslash = next < 0 ? Number.POSITIVE_INFINITY : next;
  }
  walk.at = walk.backslash < end ? walk.at + stringifyJson(text).length : end;
}

function passNumber(walk: Walk, value: number): boolean {
  const digits = String(value);
  if (!PLAIN.test(digits) || (mayBeShorter(value) && EXPONENT.test(walk.text))) return false;
  if (digits.length > SURE_DIGITS) walk.longNumbers.push({ at: walk.at, digits });
  walk.at += digits.length;
  return true;
}

const PLAIN = /^-?[0-9.]+$/;
/** Of two numbers with so many digits each is another double (DBL_DIG of C). */
const SURE_DIGITS = 15;
const EXPONENT = /[:,[\s]-?[0-9.]+e/i;

/** 100 is no longer than 1e2, 0.01 no longer than 1e-2. */
function mayBeShorter(value: number): boolean {
  return Number.isInteger(value) ? value % 100 === 0 && value !== 0 : value < 0.1 && value > -0.1;
}

function standsIn(this: string, { at, digits }: PlacedNumber): boolean {
  return this.startsWith(digits, at);
}

/** Integers come before all other keys, wherever they stood; `$capture` is waymark's own. */
function isOddKey(key: string): boolean {
  const first = key.charCodeAt(0);
  return first === DOLLAR ? key.startsWith("$capture") : first >= ZERO && first <= NINE;
}

const DOLLAR = 0x24;
const ZERO = 0x30;
const NINE = 0x39;

function withoutSecrets({ text, secrets }: Walk): OpenText {
  let open = "";
  let kept = 0;
  for (let index = 0; index < secrets.length; index += 2) {
    open += text.slice(kept, secrets[index]) + REDACTED;
    kept = secrets[index + 1] ?? kept;
  }
  return { open: open + text.slice(kept, -1), redacted: secrets.length / 2 };
}
