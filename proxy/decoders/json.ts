import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { isName, liftEvent } from "./lift.ts";

/** Keys under which a request wraps its list of events. The last three only when the object is not itself an event. */
const LISTS = ["events", "batch"] as const;
const LISTS_OF_NO_EVENT = ["data", "records", "items"] as const;
const EVENT_NAMES = ["name", "event", "eventName", "event_name"] as const;

/** A wrapper larger than this stands beside the first event only. */
const MAX_REPEATED_WRAPPER = 16_384;

/**
 * Any JSON body: one object, an array of objects, or an object that wraps such an array. What the wrapper says beside its
 * list is kept under `envelope`.
 */
export const json: Decoder = {
  name: "json",
  hosts: [],
  score({ text }: DecodableExchange): number {
    const trimmed = text.trim();
    const isEnclosed =
      (trimmed.startsWith("{") && trimmed.endsWith("}")) || (trimmed.startsWith("[") && trimmed.endsWith("]"));
    return isEnclosed ? 0.3 : 0;
  },
  decode({ text }: DecodableExchange): Decoded {
    const value = parseJson(text);
    if (Array.isArray(value)) return { events: listEvents(value), complete: true };
    if (!isObject(value)) throw new SyntaxError("a single JSON value that is no object");
    const wrapped = wrappedList(value);
    return { ...(wrapped === undefined ? { events: [liftEvent(value)] } : unwrap(value, wrapped)), complete: true };
  },
};

function listEvents(list: readonly JsonValue[]): DecodedEvent[] {
  if (!list.some(isObject) && list.length > 0) throw new SyntaxError("a list without a single object");
  return list.map((item) =>
    isObject(item) ? liftEvent(item) : { name: null, fields: { body: item }, undecoded: "not an event object" },
  );
}

interface WrappedList {
  readonly key: string;
  readonly list: readonly JsonObject[];
}

function wrappedList(value: JsonObject): WrappedList | undefined {
  const isEvent = EVENT_NAMES.some((key) => isName(value[key]));
  for (const key of isEvent ? LISTS : [...LISTS, ...LISTS_OF_NO_EVENT]) {
    const list = value[key];
    const mayBeEmpty = (LISTS as readonly string[]).includes(key);
    if (Array.isArray(list) && (mayBeEmpty || list.length > 0) && list.every(isObject)) return { key, list };
  }
  return undefined;
}

function unwrap(value: JsonObject, { key, list }: WrappedList): Decoded {
  const envelope = Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  if (Object.keys(envelope).length === 0) return { events: list.map(liftEvent) };
  const isLarge = list.length > 1 && stringifyJson(envelope).length > MAX_REPEATED_WRAPPER;
  const events = list.map(liftEvent).map((event, index) => (isLarge && index > 0 ? event : within(event, envelope)));
  return isLarge ? { events, note: "large envelope, kept with the first event only" } : { events };
}

function within(event: DecodedEvent, envelope: JsonObject): DecodedEvent {
  const key = Object.hasOwn(event.fields, "envelope") ? "envelope_request" : "envelope";
  if (Object.hasOwn(event.fields, key)) return event;
  return { ...event, fields: { ...event.fields, [key]: envelope } };
}
