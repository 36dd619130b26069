import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { withEnvelope } from "./envelope.ts";
import { jsonBody, requireJson } from "./json-body.ts";
import { isName, liftEvent } from "./lift.ts";
import { without } from "./member.ts";

/** Keys under which a request wraps its list of events. The last three only when the object is not itself an event. */
const LISTS = ["events", "batch"] as const;
const LISTS_OF_NO_EVENT = ["data", "records", "items"] as const;
const EVENT_NAMES = ["name", "event", "eventName", "event_name"] as const;

/**
 * Any JSON body: one object, an array of objects, or an object that wraps such an array. What the wrapper says beside its
 * list is kept under `envelope`.
 */
export const json: Decoder = {
  name: "json",
  isGeneric: true,
  hosts: [],
  score(exchange: DecodableExchange): number {
    const { text, truncated } = exchange;
    if (truncated && jsonBody(exchange) !== undefined) return 0.3;
    const trimmed = text.trim();
    const isEnclosed =
      (trimmed.startsWith("{") && trimmed.endsWith("}")) || (trimmed.startsWith("[") && trimmed.endsWith("]"));
    return isEnclosed ? 0.3 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    const value = requireJson(exchange);
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
  return withEnvelope(list.map(liftEvent), without(value, key));
}
