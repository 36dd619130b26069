import { isUtf8 } from "node:buffer";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { withEnvelope } from "./envelope.ts";
import { textAt, without } from "./member.ts";
import { bodyFields } from "./raw.ts";
import { type EnvelopeItem, looksLikeEnvelope, splitEnvelope } from "./sentry-envelope.ts";
import { itemEvents } from "./sentry-items.ts";

const ENVELOPE_PATH = /\/api\/[^/?]+\/envelope\/?(?:\?|$)/;
const STORE_PATH = /\/api\/[^/?]+\/store\/?(?:\?|$)/;

/**
 * Sentry envelopes at `/api/<project>/envelope/`, or behind a tunnel at any path when the body has their shape; and single
 * events at `/store/`. One record per item, and per member of the items that carry lists (spans, logs, metrics). What the
 * envelope's header says stands in `envelope`, what the item's header says beside its length in `item`.
 */
export const sentry: Decoder = {
  name: "sentry",
  hosts: ["*.ingest.sentry.io", "*.ingest.*.sentry.io"],
  score({ target, text }: DecodableExchange): number {
    if (ENVELOPE_PATH.test(target)) return text.startsWith("{") ? 1 : 0;
    if (STORE_PATH.test(target)) return text.startsWith("{") ? 0.9 : 0;
    return looksLikeEnvelope(text) ? 0.9 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    if (STORE_PATH.test(exchange.target)) return { events: storeEvents(exchange.text), complete: true };
    const { header, items, bad } = splitEnvelope(exchange.body);
    const events = items.flatMap((item) => eventsOf(item, header));
    if (bad !== undefined) events.push(broken(bad, "no item header"));
    const notes = items.flatMap(({ note }) => note ?? []);
    const decoded = withEnvelope(events, header);
    return { ...decoded, ...(notes.length === 0 ? {} : { note: [decoded.note ?? [], notes].flat().join("; ") }) };
  },
  sinkAnswer({ text }: DecodableExchange) {
    const id = /^[^\n]{0,4000}?"event_id"\s*:\s*"(?<id>[0-9a-f-]{32,36})"/.exec(text)?.groups?.["id"] ?? "";
    return { status: 200, contentType: "application/json", body: JSON.stringify({ id }) };
  },
};

function storeEvents(text: string): DecodedEvent[] {
  const value = parseJson(text);
  if (!isObject(value)) throw new SyntaxError("a stored event is no JSON object");
  return itemEvents(value, { type: "event", envelope: {} });
}

function eventsOf({ header, payload, isShort }: EnvelopeItem, envelope: JsonObject): DecodedEvent[] {
  const type = textAt(header, "type") ?? "item";
  const trace = textAt(envelope, "trace", "trace_id");
  const traced = (event: DecodedEvent): DecodedEvent =>
    within(header, trace === undefined ? event : { session: trace, ...event });
  if (isShort) return [traced(broken(payload, "the item ends before its declared length"))];
  if (type === "attachment" || payload.length === 0) return [traced(blob(type, header, payload))];
  const value = jsonIn(payload);
  if (!isObject(value)) return [traced(notJson(type, header, payload))];
  return itemEvents(value, { type, envelope }).map((event) => within(header, event));
}

/** The item's header stays beside its event; `length` only frames it. */
function within(header: JsonObject, event: DecodedEvent): DecodedEvent {
  const key = Object.hasOwn(event.fields, "item") ? "item_header" : "item";
  return { ...event, fields: { ...event.fields, [key]: without(header, "length") } };
}

function blob(type: string, header: JsonObject, payload: Uint8Array): DecodedEvent {
  const file = textAt(header, "filename");
  const fields = { ...bodyFields(payload), body_bytes: payload.length };
  return { name: file === undefined ? type : `${type}:${file}`, fields };
}

const BINARY_ITEMS: ReadonlySet<string> = new Set(["replay_recording", "replay_video", "profile_chunk", "statsd"]);

/** Recordings and the like are binary or lists by design; any other item must be a JSON object. */
function notJson(type: string, header: JsonObject, payload: Uint8Array): DecodedEvent {
  return BINARY_ITEMS.has(type) ? blob(type, header, payload) : broken(payload, `the payload of a ${type} is no JSON`);
}

function broken(bytes: Uint8Array, why: string): DecodedEvent {
  return { name: null, fields: bodyFields(bytes), undecoded: why };
}

function jsonIn(bytes: Uint8Array): JsonValue | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
  } catch {
    return undefined; // the caller records the payload as one that is no JSON
  }
}
