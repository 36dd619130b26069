import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import type { Decoded, DecodedEvent } from "./decoder.ts";
import { addGiven, addMembers, idOf, listAt, member, objectAt, textAt } from "./member.ts";
import { logEvent, metricEvents, type Notes, type Surroundings, spanEvents } from "./otlp-signals.ts";
import type { Form } from "./otlp-values.ts";

type Read = (item: JsonObject, around: Surroundings, notes: Notes) => DecodedEvent | DecodedEvent[];

/** The names of the three signals' lists, from the outside in. */
const SIGNALS: readonly { resources: string; scopes: readonly string[]; items: string; read: Read }[] = [
  {
    resources: "resourceSpans",
    scopes: ["scopeSpans", "instrumentationLibrarySpans"],
    items: "spans",
    read: spanEvents,
  },
  {
    resources: "resourceLogs",
    scopes: ["scopeLogs", "instrumentationLibraryLogs"],
    items: "logRecords",
    read: logEvent,
  },
  {
    resources: "resourceMetrics",
    scopes: ["scopeMetrics", "instrumentationLibraryMetrics"],
    items: "metrics",
    read: metricEvents,
  },
];

/** The events of an OTLP export request (traces, logs or metrics) in the shape of its JSON encoding, its values in a form. */
export function requestEvents(request: JsonObject, form: Form): Decoded {
  const notes: Notes = new Set();
  const events: DecodedEvent[] = [];
  for (const signal of SIGNALS) {
    for (const resource of listAt(request, signal.resources)) {
      for (const key of signal.scopes) {
        for (const scope of listAt(resource, key))
          readScope(scope, surroundings(resource, scope, form), { signal, notes, events });
      }
    }
  }
  return { events, ...(notes.size === 0 ? {} : { note: [...notes].join("; ") }) };
}

interface Reading {
  readonly signal: (typeof SIGNALS)[number];
  readonly notes: Notes;
  readonly events: DecodedEvent[];
}

function readScope(scope: JsonValue, around: Surroundings, { signal, notes, events }: Reading): void {
  for (const item of listAt(scope, signal.items)) {
    const read = isObject(item) ? signal.read(item, around, notes) : noObject(item);
    if (Array.isArray(read)) for (const event of read as readonly DecodedEvent[]) events.push(event);
    else events.push(read as DecodedEvent);
  }
}

/** Resource and scope with plain attributes, as they stand beside each event. */
function surroundings(resource: JsonValue, scope: JsonValue, form: Form): Surroundings {
  const owner = objectAt(resource, "resource");
  const attributes = form.attributes(member(owner, "attributes")).values;
  const context: Record<string, JsonValue> = {};
  addGiven(context, "resource", attributes);
  addGiven(context, "resourceInfo", resourceInfo(owner, textAt(resource, "schemaUrl")));
  addGiven(context, "scope", scopeInfo(scope, form));
  const session = idOf(attributes["session.id"]) ?? idOf(attributes["service.instance.id"]);
  return { context, session, form };
}

const ATTRIBUTES: ReadonlySet<string> = new Set(["attributes"]);
const ATTRIBUTES_AND_COUNT: ReadonlySet<string> = new Set(["attributes", "droppedAttributesCount"]);

function resourceInfo(resource: JsonObject, schemaUrl: string | undefined): JsonObject {
  const info: Record<string, JsonValue> = {};
  // a count of nothing dropped says nothing
  addMembers(info, resource, resource["droppedAttributesCount"] === 0 ? ATTRIBUTES_AND_COUNT : ATTRIBUTES);
  addGiven(info, "schemaUrl", schemaUrl);
  return info;
}

function scopeInfo(scope: JsonValue, form: Form): JsonObject {
  const isOld = isObject(scope) && Object.hasOwn(scope, "instrumentationLibrary");
  const fields = objectAt(scope, isOld ? "instrumentationLibrary" : "scope");
  const info: Record<string, JsonValue> = {};
  addMembers(info, fields, ATTRIBUTES);
  addGiven(info, "attributes", form.attributes(member(fields, "attributes")).values);
  addGiven(info, "schemaUrl", textAt(scope, "schemaUrl"));
  return info;
}

function noObject(item: JsonValue): DecodedEvent {
  return { name: null, fields: { body: item }, undecoded: "not an object where a span, log record or metric belongs" };
}
