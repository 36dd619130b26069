import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import type { DecodedEvent } from "./decoder.ts";
import { unfoldMembers } from "./json-text.ts";
import { lifted } from "./lifted.ts";
import { first, given, idAt, listAt, member, objectAt, textAt, without } from "./member.ts";
import { hexIds } from "./otlp-ids.ts";
import { plainAttributes, plainValue, wholeNumber } from "./otlp-values.ts";

/** What stands around a list of spans, logs or metrics, once per request: their resource and instrumentation scope. */
export interface Surroundings {
  readonly context: JsonObject;
  readonly resource: JsonObject;
}

/** Where odd things are noted that do not keep an event from being read. */
export type Notes = Set<string>;

const NO_NUMBER: ReadonlySet<string> = new Set(["", "0"]);

/** A span, and after it each of its span events with the span's ids. */
export function spanEvents(span: JsonObject, around: Surroundings, notes: Notes): DecodedEvent[] {
  const { ids } = idsOf(span, notes);
  const { data, kept } = attributesOf(span, notes);
  const session = sessionOf(data, around, ids);
  const links = listAt(span, "links").map((link) => linkOf(link, notes));
  const own = without(span, "name", "startTimeUnixNano", "events", "links", ...KEYS_LIFTED);
  const whole = lifted({
    name: textAt(span, "name") ?? null,
    time: timeAt(span, "startTimeUnixNano"),
    data,
    rest: { signal: "span", ...ids, ...own, ...kept, ...(links.length === 0 ? {} : { links }), ...around.context },
    session,
    id: spanKey(ids),
  });
  const events = listAt(span, "events").map((event, index) =>
    spanEvent(event, { span, ids, around, session, index }, notes),
  );
  return [whole, ...events];
}

interface Parent {
  readonly span: JsonObject;
  readonly ids: JsonObject;
  readonly around: Surroundings;
  readonly session: string | undefined;
  readonly index: number;
}

function spanEvent(event: JsonValue, { span, ids, around, session, index }: Parent, notes: Notes): DecodedEvent {
  if (!isObject(event)) return noObject(event, "span event");
  const { data, kept } = attributesOf(event, notes);
  const key = spanKey(ids);
  return lifted({
    name: textAt(event, "name") ?? null,
    time: timeAt(event, "timeUnixNano"),
    data,
    rest: {
      signal: "span_event",
      ...without(ids, "parentSpanId"),
      ...given("spanName", textAt(span, "name")),
      ...without(event, "name", "timeUnixNano", "attributes"),
      ...kept,
      ...around.context,
    },
    session,
    id: key === undefined ? undefined : `${key}/${index}`,
  });
}

/** A log record; its name is `eventName`, the attribute `event.name`, or a body that is text. */
export function logEvent(log: JsonObject, around: Surroundings, notes: Notes): DecodedEvent {
  const { ids } = idsOf(log, notes);
  const { data, kept } = attributesOf(log, notes);
  const body = Object.hasOwn(log, "body") ? plainValue(log["body"]) : undefined;
  const named = first(textAt(log, "eventName"), textAt(data, "event.name"));
  const bodyName = named === undefined && typeof body === "string" && body !== "" ? body : undefined;
  const timeKey = timeAt(log, "timeUnixNano") === undefined ? "observedTimeUnixNano" : "timeUnixNano";
  return lifted({
    name: named ?? bodyName ?? null,
    time: timeAt(log, timeKey),
    data: textAt(log, "eventName") === undefined && named !== undefined ? without(data, "event.name") : data,
    rest: {
      signal: "log",
      ...ids,
      ...without(log, "eventName", timeKey, "body", ...KEYS_LIFTED),
      ...(body === undefined || body === null || bodyName !== undefined ? {} : { body }),
      ...kept,
      ...around.context,
    },
    session: sessionOf(data, around, ids),
  });
}

const KINDS = ["sum", "gauge", "histogram", "exponentialHistogram", "summary"] as const;

/** One event for each data point of a metric, with what the metric says of all of them; one alone when it has none. */
export function metricEvents(metric: JsonObject, around: Surroundings, notes: Notes): DecodedEvent[] {
  const kind = KINDS.find((key) => isObject(metric[key]));
  const held = objectAt(metric, kind ?? "");
  const points = listAt(held, "dataPoints");
  const shared = {
    signal: "metric",
    ...given("kind", kind),
    ...without(metric, "name", kind ?? "", "metadata"),
    ...given("metadata", plainAttributes(listAt(metric, "metadata")).values),
    ...without(held, "dataPoints"),
  };
  const name = textAt(metric, "name") ?? null;
  const place = { name, shared, around };
  return (points.length === 0 ? [{}] : points).map((point) => pointEvent(point, place, notes));
}

interface MetricPlace {
  readonly name: string | null;
  readonly shared: JsonObject;
  readonly around: Surroundings;
}

function pointEvent(point: JsonValue, { name, shared, around }: MetricPlace, notes: Notes): DecodedEvent {
  if (!isObject(point)) return noObject(point, "data point");
  const { data, kept } = attributesOf(point, notes);
  const value = first(member(point, "asDouble"), wholeNumber(member(point, "asInt") ?? null) ?? undefined);
  const exemplars = listAt(point, "exemplars").map((exemplar) => exemplarOf(exemplar, notes));
  return lifted({
    name,
    time: timeAt(point, "timeUnixNano"),
    data,
    rest: {
      ...shared,
      ...given("value", value),
      ...without(point, "timeUnixNano", "asDouble", "asInt", "attributes", "exemplars"),
      ...(exemplars.length === 0 ? {} : { exemplars }),
      ...kept,
      ...around.context,
    },
    session: sessionOf(data, around, {}),
  });
}

/** Attributes that the GenAI conventions define as JSON written into a text. */
const JSON_ATTRIBUTES: ReadonlySet<string> = new Set([
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.tool.definitions",
  "gen_ai.tool.call.arguments",
  "gen_ai.tool.call.result",
]);

const KEYS_LIFTED = ["traceId", "spanId", "parentSpanId", "attributes"] as const;

function idsOf(owner: JsonObject, notes: Notes): { ids: JsonObject } {
  const { ids, wasBase64 } = hexIds(owner);
  if (wasBase64) notes.add("trace or span ids in base64, written here in hex");
  return { ids };
}

/** The attributes as `data`; a list with repeated keys is kept as well, since its last values alone would lose some. */
function attributesOf(owner: JsonObject, notes: Notes): { data: JsonObject; kept: JsonObject } {
  const list = listAt(owner, "attributes");
  const { values, repeated } = plainAttributes(list);
  if (repeated) notes.add("repeated attribute keys");
  return { data: unfoldMembers(values, JSON_ATTRIBUTES), kept: repeated ? { attributes: list } : {} };
}

function linkOf(link: JsonValue, notes: Notes): JsonValue {
  if (!isObject(link)) return link;
  const { ids } = idsOf(link, notes);
  return { ...ids, ...without(link, ...KEYS_LIFTED), ...given("attributes", attributesOf(link, notes).data) };
}

function exemplarOf(exemplar: JsonValue, notes: Notes): JsonValue {
  if (!isObject(exemplar)) return exemplar;
  const attributes = plainAttributes(listAt(exemplar, "filteredAttributes")).values;
  const { ids } = idsOf(exemplar, notes);
  return { ...ids, ...without(exemplar, ...KEYS_LIFTED, "filteredAttributes"), ...given("attributes", attributes) };
}

/** Nanoseconds since the epoch, as text or number; zero means unknown. */
function timeAt(owner: JsonObject, key: string): JsonValue | undefined {
  const text = idAt(owner, key);
  return text === undefined || NO_NUMBER.has(text) ? undefined : text;
}

function spanKey(ids: JsonObject): string | undefined {
  const [trace, span] = [textAt(ids, "traceId"), textAt(ids, "spanId")];
  return trace === undefined || span === undefined ? undefined : `${trace}/${span}`;
}

/** `session.id`, the conversation, the process, the trace: the first that is given. */
function sessionOf(data: JsonObject, { resource }: Surroundings, ids: JsonObject): string | undefined {
  return first(
    idAt(data, "session.id"),
    idAt(data, "gen_ai.conversation.id"),
    idAt(resource, "session.id"),
    idAt(resource, "service.instance.id"),
    textAt(ids, "traceId"),
  );
}

function noObject(value: JsonValue, what: string): DecodedEvent {
  return { name: null, fields: { body: value }, undecoded: `a ${what} is no object` };
}
