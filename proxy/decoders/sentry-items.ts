import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import type { DecodedEvent } from "./decoder.ts";
import { lifted } from "./lifted.ts";
import { first, given, listAt, member, objectAt, textAt, without } from "./member.ts";

/** What an item's payload does not say itself. */
export interface ItemPlace {
  readonly type: string;
  /** The envelope's header. */
  readonly envelope: JsonObject;
}

/** The events of one item's payload: one, or as many as its list has (spans, logs, metrics; a transaction's spans). */
export function itemEvents(payload: JsonObject, place: ItemPlace): DecodedEvent[] {
  const items = payload["items"];
  if (Array.isArray(items) && place.type !== "event" && place.type !== "transaction") {
    return items.map((item: JsonValue) => (isObject(item) ? listedEvent(item, place) : noObject(item, place.type)));
  }
  if (place.type === "transaction" || payload["type"] === "transaction") return transactionEvents(payload, place);
  if (place.type === "span") return [spanEvent(payload, place)];
  return [plainEvent(payload, place)];
}

/** A span, log or metric of SDK 9 and later, whose attributes are written `{value, type}`. */
function listedEvent(item: JsonObject, place: ItemPlace): DecodedEvent {
  const nameKey = textAt(item, "name") === undefined ? "body" : "name";
  const timeKey = Object.hasOwn(item, "start_timestamp") ? "start_timestamp" : "timestamp";
  const { values, details } = unwrapped(objectAt(item, "attributes"));
  return lifted({
    name: textAt(item, nameKey) ?? place.type,
    time: member(item, timeKey),
    data: values,
    rest: { ...without(item, textAt(item, nameKey) === undefined ? "" : nameKey, timeKey, "attributes"), ...details },
    session: first(textAt(item, "trace_id"), traceOf(place)),
    id: spanId(item),
  });
}

function transactionEvents(payload: JsonObject, place: ItemPlace): DecodedEvent[] {
  const trace = objectAt(payload, "contexts", "trace");
  const contexts = { ...objectAt(payload, "contexts"), trace: without(trace, "data") };
  const hasTrace = Object.keys(trace).length > 0;
  const spans = listAt(payload, "spans").filter(isObject);
  const areAllLifted = spans.length === listAt(payload, "spans").length;
  const whole = lifted({
    name: textAt(payload, "transaction") ?? place.type,
    time: first(member(payload, "start_timestamp"), member(payload, "timestamp")),
    data: { ...objectAt(payload, "extra"), ...objectAt(trace, "data") },
    rest: {
      ...without(
        payload,
        "transaction",
        "extra",
        Object.hasOwn(payload, "start_timestamp") ? "start_timestamp" : "timestamp",
        ...(areAllLifted ? ["spans"] : []),
      ),
      ...(hasTrace ? { contexts } : {}),
    },
    session: first(textAt(trace, "trace_id"), traceOf(place)),
    id: first(textAt(payload, "event_id")),
  });
  return [whole, ...(areAllLifted ? spans : []).map((span) => spanEvent(span, place))];
}

/** A span inside a transaction, or an item of its own in SDK 8. */
function spanEvent(span: JsonObject, place: ItemPlace): DecodedEvent {
  const nameKey = first(...["description", "name", "op"].filter((key) => textAt(span, key) !== undefined));
  return lifted({
    name: nameKey === undefined ? "span" : (textAt(span, nameKey) ?? "span"),
    time: member(span, "start_timestamp"),
    data: objectAt(span, "data"),
    rest: without(span, nameKey ?? "", "start_timestamp", "data"),
    session: first(textAt(span, "trace_id"), traceOf(place)),
    id: spanId(span),
  });
}

/** Events, sessions, check-ins, feedback and whatever comes: what has no name of its own is named by its type. */
function plainEvent(payload: JsonObject, place: ItemPlace): DecodedEvent {
  const { name, rest } = nameOf(payload, place.type);
  return lifted({
    name,
    time: member(payload, "timestamp"),
    data: isObject(payload["extra"]) ? payload["extra"] : undefined,
    rest: without(rest, "timestamp", isObject(payload["extra"]) ? "extra" : ""),
    session: first(textAt(payload, "sid"), textAt(payload, "contexts", "trace", "trace_id"), traceOf(place)),
    id: place.type === "event" ? textAt(payload, "event_id") : undefined,
  });
}

/** `message`, else `logentry`, else the last exception: SDK 11 repeats a message as an exception's value. */
function nameOf(payload: JsonObject, type: string): { name: string; rest: JsonObject } {
  if (type === "check_in") {
    return { name: textAt(payload, "monitor_slug") ?? type, rest: without(payload, "monitor_slug") };
  }
  const message = textAt(payload, "message");
  if (message !== undefined) return { name: message, rest: without(payload, "message") };
  const composed = first(
    textAt(payload, "message", "formatted"),
    textAt(payload, "message", "message"),
    textAt(payload, "logentry", "formatted"),
    textAt(payload, "logentry", "message"),
    exceptionName(listAt(payload, "exception", "values").at(-1) ?? listAt(payload, "exception").at(-1)),
    textAt(payload, "contexts", "feedback", "message"),
  );
  return { name: composed ?? type, rest: payload };
}

function exceptionName(exception: JsonValue | undefined): string | undefined {
  const parts = [textAt(exception, "type"), textAt(exception, "value")].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(": ");
}

/** Attributes without their wrapping; what a wrapper says beside value and type (a unit) goes to `attribute_details`. */
function unwrapped(attributes: JsonObject): { values: JsonObject; details: JsonObject } {
  const values: [string, JsonValue][] = [];
  const details: [string, JsonValue][] = [];
  for (const [key, wrapped] of Object.entries(attributes)) {
    const isWrapped = isObject(wrapped) && Object.hasOwn(wrapped, "value");
    values.push([key, isWrapped ? (wrapped["value"] ?? null) : wrapped]);
    const others = isWrapped ? without(wrapped, "value", "type") : {};
    if (Object.keys(others).length > 0) details.push([key, others]);
  }
  return { values: Object.fromEntries(values), details: given("attribute_details", Object.fromEntries(details)) };
}

function traceOf({ envelope }: ItemPlace): string | undefined {
  return textAt(envelope, "trace", "trace_id");
}

function spanId(span: JsonObject): string | undefined {
  const [trace, id] = [textAt(span, "trace_id"), textAt(span, "span_id")];
  const isSpan = Object.hasOwn(span, "start_timestamp");
  return isSpan && trace !== undefined && id !== undefined ? `${trace}/${id}` : undefined;
}

function noObject(item: JsonValue, type: string): DecodedEvent {
  return { name: null, fields: { body: item }, undecoded: `a listed ${type} is no object` };
}
