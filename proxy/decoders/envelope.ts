import { type JsonObject, stringifyJson } from "../record/json.ts";
import type { Decoded, DecodedEvent } from "./decoder.ts";

/** A wrapper larger than this stands beside the first event only. */
const MAX_REPEATED_CHARS = 16_384;

/**
 * Puts what a request says once for all its events beside each of them, as `envelope`; a large one beside the first only,
 * with a note. An event with an `envelope` of its own gets `envelope_request`.
 */
export function withEnvelope(events: readonly DecodedEvent[], envelope: JsonObject): Decoded {
  if (Object.keys(envelope).length === 0) return { events };
  const isLarge = events.length > 1 && stringifyJson(envelope).length > MAX_REPEATED_CHARS;
  const wrapped = events.map((event, index) => (isLarge && index > 0 ? event : within(event, envelope)));
  return isLarge ? { events: wrapped, note: "large envelope, kept with the first event only" } : { events: wrapped };
}

function within(event: DecodedEvent, envelope: JsonObject): DecodedEvent {
  const key = Object.hasOwn(event.fields, "envelope") ? "envelope_request" : "envelope";
  if (Object.hasOwn(event.fields, key)) return event;
  return { ...event, fields: { ...event.fields, [key]: envelope } };
}
