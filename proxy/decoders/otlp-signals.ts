import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import type { DecodedEvent } from "./decoder.ts";
import { unfoldMembers } from "./json-text.ts";
import { begun, type Fields, finished } from "./lifted.ts";
import { addGiven, addMembers, idOf, listOf, objectAt, textOf } from "./member.ts";
import { hexIds } from "./otlp-ids.ts";
import { type Form, wholeNumber } from "./otlp-values.ts";

/** What stands around a list of spans, logs or metrics, once per request: their resource and instrumentation scope. */
export interface Surroundings {
  readonly context: JsonObject;
  /** What the resource names as session. */
  readonly session: string | undefined;
  readonly form: Form;
}

/** Where odd things are noted that do not keep an event from being read. */
export type Notes = Set<string>;

const NO_NUMBER: ReadonlySet<string> = new Set(["", "0"]);

const IDS_AND_ATTRIBUTES = ["traceId", "spanId", "parentSpanId", "attributes"] as const;
/** What is lifted out of each, or written anew; everything else stays as it came. */
const LIFTED = {
  span: new Set([...IDS_AND_ATTRIBUTES, "name", "startTimeUnixNano", "events", "links"]),
  spanEvent: new Set(["name", "timeUnixNano", "attributes"]),
  log: new Set([...IDS_AND_ATTRIBUTES, "eventName", "body", "timeUnixNano"]),
  observedLog: new Set([...IDS_AND_ATTRIBUTES, "eventName", "body", "observedTimeUnixNano"]),
  point: new Set(["timeUnixNano", "asDouble", "asInt", "attributes", "exemplars"]),
  link: new Set(IDS_AND_ATTRIBUTES),
  exemplar: new Set([...IDS_AND_ATTRIBUTES, "filteredAttributes"]),
} as const satisfies Readonly<Record<string, ReadonlySet<string>>>;
const PARENT: ReadonlySet<string> = new Set(["parentSpanId"]);
const EVENT_NAME: ReadonlySet<string> = new Set(["event.name"]);
const POINTS: ReadonlySet<string> = new Set(["dataPoints"]);

/** A span, and after it each of its span events with the span's ids. */
export function spanEvents(span: JsonObject, around: Surroundings, notes: Notes): DecodedEvent[] {
  const ids = idsOf(span, notes);
  const { data, list } = attributesOf(span, around.form, notes);
  const session = sessionOf(data, around, ids);
  const id = spanKey(ids);
  const fields = begun(data);
  fields["signal"] = "span";
  addMembers(fields, ids);
  addMembers(fields, span, LIFTED.span);
  if (list !== undefined) fields["attributes"] = list;
  addList(
    fields,
    "links",
    listOf(span["links"]).map((link) => linkOf(link, around.form, notes)),
  );
  addMembers(fields, around.context);
  const name = textOf(span["name"]);
  const events = [finished({ name: name ?? null, time: timeAt(span, "startTimeUnixNano"), data, fields, session, id })];
  listOf(span["events"]).forEach((event, index) => {
    events.push(spanEvent(event, { name, ids, around, session, id: id && `${id}/${index}` }, notes));
  });
  return events;
}

interface Parent {
  readonly name: string | undefined;
  readonly ids: JsonObject;
  readonly around: Surroundings;
  readonly session: string | undefined;
  readonly id: string | undefined;
}

function spanEvent(event: JsonValue, { name, ids, around, session, id }: Parent, notes: Notes): DecodedEvent {
  if (!isObject(event)) return noObject(event, "span event");
  const { data, list } = attributesOf(event, around.form, notes);
  const fields = begun(data);
  fields["signal"] = "span_event";
  addMembers(fields, ids, PARENT);
  addGiven(fields, "spanName", name);
  addMembers(fields, event, LIFTED.spanEvent);
  if (list !== undefined) fields["attributes"] = list;
  addMembers(fields, around.context);
  return finished({
    name: textOf(event["name"]) ?? null,
    time: timeAt(event, "timeUnixNano"),
    data,
    fields,
    session,
    id,
  });
}

/** A log record; its name is `eventName`, the attribute `event.name`, or a body that is text. */
export function logEvent(log: JsonObject, around: Surroundings, notes: Notes): DecodedEvent {
  const ids = idsOf(log, notes);
  const { data, list } = attributesOf(log, around.form, notes);
  const body = Object.hasOwn(log, "body") ? around.form.value(log["body"]) : undefined;
  const eventName = textOf(log["eventName"]);
  const named = eventName ?? textOf(data["event.name"]);
  const bodyName = named === undefined && typeof body === "string" && body !== "" ? body : undefined;
  const ownTime = timeAt(log, "timeUnixNano");
  const properties = eventName === undefined && named !== undefined ? withoutEventName(data) : data;
  const fields = begun(properties);
  fields["signal"] = "log";
  addMembers(fields, ids);
  addMembers(fields, log, ownTime === undefined ? LIFTED.observedLog : LIFTED.log);
  if (body !== undefined && body !== null && bodyName === undefined) fields["body"] = body;
  if (list !== undefined) fields["attributes"] = list;
  addMembers(fields, around.context);
  return finished({
    name: named ?? bodyName ?? null,
    time: ownTime ?? timeAt(log, "observedTimeUnixNano"),
    data: properties,
    fields,
    session: sessionOf(data, around, ids),
  });
}

function withoutEventName(data: JsonObject): JsonObject {
  const rest: Fields = {};
  addMembers(rest, data, EVENT_NAME);
  return rest;
}

const KINDS = ["sum", "gauge", "histogram", "exponentialHistogram", "summary"] as const;
/** What a metric of each kind says of itself beside its points. */
const METRIC = new Map(KINDS.map((kind) => [kind, new Set(["name", "metadata", kind])]));
const NO_KIND: ReadonlySet<string> = new Set(["name", "metadata"]);

/** One event for each data point of a metric, with what the metric says of all of them; one alone when it has none. */
export function metricEvents(metric: JsonObject, around: Surroundings, notes: Notes): DecodedEvent[] {
  const kind = KINDS.find((key) => isObject(metric[key]));
  const held = kind === undefined ? {} : objectAt(metric, kind);
  const points = listOf(held["dataPoints"]);
  const shared: Fields = { signal: "metric" };
  addGiven(shared, "kind", kind);
  addMembers(shared, metric, (kind && METRIC.get(kind)) ?? NO_KIND);
  addGiven(shared, "metadata", around.form.attributes(metric["metadata"]).values);
  addMembers(shared, held, POINTS);
  const place = { name: textOf(metric["name"]) ?? null, shared, around };
  return (points.length === 0 ? [{}] : points).map((point) => pointEvent(point, place, notes));
}

interface MetricPlace {
  readonly name: string | null;
  readonly shared: JsonObject;
  readonly around: Surroundings;
}

function pointEvent(point: JsonValue, { name, shared, around }: MetricPlace, notes: Notes): DecodedEvent {
  if (!isObject(point)) return noObject(point, "data point");
  const { data, list } = attributesOf(point, around.form, notes);
  const fields = begun(data);
  addMembers(fields, shared);
  addGiven(fields, "value", pointValue(point));
  addMembers(fields, point, LIFTED.point);
  addList(
    fields,
    "exemplars",
    listOf(point["exemplars"]).map((exemplar) => exemplarOf(exemplar, around.form, notes)),
  );
  if (list !== undefined) fields["attributes"] = list;
  addMembers(fields, around.context);
  return finished({ name, time: timeAt(point, "timeUnixNano"), data, fields, session: sessionOf(data, around, {}) });
}

function pointValue(point: JsonObject): JsonValue | undefined {
  const double = point["asDouble"];
  return double === undefined ? (wholeNumber(point["asInt"] ?? null) ?? undefined) : double;
}

function addList(fields: Fields, key: string, list: readonly JsonValue[]): void {
  if (list.length > 0) fields[key] = list;
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

function idsOf(owner: JsonObject, notes: Notes): JsonObject {
  const { ids, wasBase64 } = hexIds(owner);
  if (wasBase64) notes.add("trace or span ids in base64, written here in hex");
  return ids;
}

interface Attributes {
  readonly data: JsonObject;
  /** The attributes as they came, when their last values alone would lose some. */
  readonly list?: JsonValue | undefined;
}

/** The attributes as `data`; a list with repeated keys is kept as well. */
function attributesOf(owner: JsonObject, form: Form, notes: Notes): Attributes {
  const given = owner["attributes"];
  const { values, repeated } = form.attributes(given);
  if (repeated) notes.add("repeated attribute keys");
  return { data: unfoldMembers(values, JSON_ATTRIBUTES), list: repeated ? given : undefined };
}

function linkOf(link: JsonValue, form: Form, notes: Notes): JsonValue {
  if (!isObject(link)) return link;
  const fields: Fields = {};
  addMembers(fields, idsOf(link, notes));
  addMembers(fields, link, LIFTED.link);
  addGiven(fields, "attributes", attributesOf(link, form, notes).data);
  return fields;
}

function exemplarOf(exemplar: JsonValue, form: Form, notes: Notes): JsonValue {
  if (!isObject(exemplar)) return exemplar;
  const fields: Fields = {};
  addMembers(fields, idsOf(exemplar, notes));
  addMembers(fields, exemplar, LIFTED.exemplar);
  addGiven(fields, "attributes", form.attributes(exemplar["filteredAttributes"]).values);
  return fields;
}

/** Nanoseconds since the epoch, as text or number; zero means unknown. */
function timeAt(owner: JsonObject, key: string): JsonValue | undefined {
  const text = idOf(owner[key]);
  return text === undefined || NO_NUMBER.has(text) ? undefined : text;
}

function spanKey(ids: JsonObject): string | undefined {
  const [trace, span] = [textOf(ids["traceId"]), textOf(ids["spanId"])];
  return trace === undefined || span === undefined ? undefined : `${trace}/${span}`;
}

/** `session.id`, the conversation, the process, the trace: the first that is given. */
function sessionOf(data: JsonObject, { session }: Surroundings, ids: JsonObject): string | undefined {
  return idOf(data["session.id"]) ?? idOf(data["gen_ai.conversation.id"]) ?? session ?? textOf(ids["traceId"]);
}

function noObject(value: JsonValue, what: string): DecodedEvent {
  return { name: null, fields: { body: value }, undecoded: `a ${what} is no object` };
}
