import { isObject, type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import { type BodyLine, bodyLines, brokenLine } from "./body-lines.ts";
import { parseCutJson } from "./cut-json.ts";
import type { DecodableExchange, Decoded, DecodedEvent } from "./decoder.ts";
import { once } from "./once.ts";

type Parsed =
  | { readonly ok: true; readonly value: JsonValue; readonly isCut?: true }
  | { readonly ok: false; readonly cause: unknown };

const parseBody = once(({ text, truncated }): Parsed => (truncated ? parseCut(text) : parseText(text)));

function parseText(text: string): Parsed {
  try {
    return { ok: true, value: parseJson(text) };
  } catch (cause) {
    return { ok: false, cause };
  }
}

/** Of a body whose end is missing, the events that are whole. */
function parseCut(text: string): Parsed {
  const whole = parseText(text);
  const value = whole.ok ? undefined : parseCutJson(text);
  return value === undefined ? whole : { ok: true, value, isCut: true };
}

/** True when the body was cut inside its list of events, so that those behind the cut are missing. */
export function isCutInside(exchange: DecodableExchange): boolean {
  const result = parseBody.known(exchange);
  return result?.ok === true && result.isCut === true;
}

/** The body as one JSON value; undefined when it is none. For `score`, which must not throw. */
export function jsonBody(exchange: DecodableExchange): JsonValue | undefined {
  const { text, truncated } = exchange;
  if (text.length === 0 || !/^\s*[[{]/.test(text) || (!truncated && hasObjectPerLine(text))) return undefined;
  const result = parseBody(exchange);
  return result.ok ? result.value : undefined;
}

/** Two objects with a line break and nothing else between them are never one JSON value; to parse them would cost an error. */
function hasObjectPerLine(text: string): boolean {
  const end = text.indexOf("\n");
  if (end < 0) return false;
  const last = text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 2 : end - 1;
  return text.charCodeAt(last) === CLOSING_BRACE && text.charCodeAt(end + 1) === OPENING_BRACE;
}

const CARRIAGE_RETURN = 0x0d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The body as a JSON object; undefined when it is none. */
export function objectBody(exchange: DecodableExchange): JsonObject | undefined {
  const value = jsonBody(exchange);
  return isObject(value) ? value : undefined;
}

/** The body as one JSON value. Throws the parser's `SyntaxError` when it is none. */
export function requireJson(exchange: DecodableExchange): JsonValue {
  const result = parseBody(exchange);
  if (!result.ok) throw result.cause;
  return result.value;
}

/** The body as a JSON object. Throws `SyntaxError` when it is none. */
export function requireObject(exchange: DecodableExchange): JsonObject {
  const value = requireJson(exchange);
  if (!isObject(value)) throw new SyntaxError("the body is no JSON object");
  return value;
}

/** Reads each item of a list; one that is no object becomes an undecoded event, the others count. */
export function eachObject(
  items: readonly JsonValue[],
  read: (item: JsonObject) => DecodedEvent | readonly DecodedEvent[],
): DecodedEvent[] {
  const events: DecodedEvent[] = [];
  for (const item of items) {
    const found = isObject(item) ? read(item) : notAnEvent(item);
    if (Array.isArray(found)) for (const event of found as readonly DecodedEvent[]) events.push(event);
    else events.push(found as DecodedEvent);
  }
  return events;
}

/** The event that stands for a list item that is no object. */
export function notAnEvent(item: JsonValue): DecodedEvent {
  return { name: null, fields: { body: item }, undecoded: "not an event object" };
}

/** Reads a body that is a JSON array, one object, or NDJSON, whichever it is; a line that cannot be read stands alone. */
export function jsonItems(
  exchange: DecodableExchange,
  read: (item: JsonObject) => DecodedEvent | readonly DecodedEvent[],
): Decoded {
  const whole = jsonBody(exchange);
  if (whole !== undefined) {
    const events = eachObject(Array.isArray(whole) ? (whole as readonly JsonValue[]) : [whole], read);
    return Array.isArray(whole) ? { events, complete: true } : { events };
  }
  if (/^\s*\[/.test(exchange.text)) requireJson(exchange);
  return { events: bodyLines(exchange).flatMap((line) => lineEvents(line, read)) };
}

function lineEvents(
  line: BodyLine,
  read: (item: JsonObject) => DecodedEvent | readonly DecodedEvent[],
): readonly DecodedEvent[] {
  const result = parseText(line.text);
  if (result.ok) return eachObject([result.value], read);
  const { cause } = result;
  return [brokenLine(line, `line is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`)];
}
