import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import type { Decoded, DecodedEvent } from "./decoder.ts";
import { given, listAt, objectAt, textAt, without } from "./member.ts";
import { logEvent, metricEvents, type Notes, type Surroundings, spanEvents } from "./otlp-signals.ts";
import { plainAttributes } from "./otlp-values.ts";

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

/** The events of an OTLP export request (traces, logs or metrics) in the shape of its JSON encoding. */
export function requestEvents(request: JsonObject): Decoded {
  const notes: Notes = new Set();
  const events: DecodedEvent[] = [];
  for (const signal of SIGNALS) {
    for (const resource of listAt(request, signal.resources)) {
      for (const key of signal.scopes) {
        for (const scope of listAt(resource, key))
          readScope(scope, surroundings(resource, scope), { signal, notes, events });
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
function surroundings(resource: JsonValue, scope: JsonValue): Surroundings {
  const resourceAttributes = plainAttributes(listAt(resource, "resource", "attributes")).values;
  const scopeKey =
    isObject(scope) && Object.hasOwn(scope, "instrumentationLibrary") ? "instrumentationLibrary" : "scope";
  const scopeFields = objectAt(scope, scopeKey);
  return {
    resource: resourceAttributes,
    context: {
      ...given("resource", resourceAttributes),
      ...given("resourceInfo", {
        ...withoutZero(without(objectAt(resource, "resource"), "attributes")),
        ...given("schemaUrl", textAt(resource, "schemaUrl")),
      }),
      ...given("scope", {
        ...without(scopeFields, "attributes"),
        ...given("attributes", plainAttributes(listAt(scopeFields, "attributes")).values),
        ...given("schemaUrl", textAt(scope, "schemaUrl")),
      }),
    },
  };
}

/** A count of nothing dropped says nothing. */
function withoutZero(resource: JsonObject): JsonObject {
  return resource["droppedAttributesCount"] === 0 ? without(resource, "droppedAttributesCount") : resource;
}

function noObject(item: JsonValue): DecodedEvent {
  return { name: null, fields: { body: item }, undecoded: "not an object where a span, log record or metric belongs" };
}
