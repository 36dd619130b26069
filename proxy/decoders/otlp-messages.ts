import { anyValueField, attributesField } from "./otlp-any-value.ts";
import { type Field, type FieldKind, type Message, message } from "./protobuf.ts";

// The messages of opentelemetry-proto (v1), with the names of their JSON encoding. Numbers as in
// https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto

const one = (name: string, kind: FieldKind | Message): Field => ({ name, kind });
const many = (name: string, kind: FieldKind | Message): Field => ({ name, kind, repeated: true });

const resource: Message = message(() => ({
  1: attributesField(),
  2: one("droppedAttributesCount", "uint"),
}));
const scope: Message = message(() => ({
  1: one("name", "string"),
  2: one("version", "string"),
  3: attributesField(),
  4: one("droppedAttributesCount", "uint"),
}));

/** Resource, scope and item lists have the same numbers in all three signals; only their names differ. */
function request(names: { resources: string; scopes: string; items: string }, item: Message): Message {
  const scoped: Message = message(() => ({
    1: one("scope", scope),
    2: many(names.items, item),
    3: one("schemaUrl", "string"),
  }));
  const perResource: Message = message(() => ({
    1: one("resource", resource),
    2: many(names.scopes, scoped),
    3: one("schemaUrl", "string"),
  }));
  return message(() => ({ 1: many(names.resources, perResource) }));
}

const spanEvent: Message = message(() => ({
  1: one("timeUnixNano", "fixed64"),
  2: one("name", "string"),
  3: attributesField(),
  4: one("droppedAttributesCount", "uint"),
}));
const link: Message = message(() => ({
  1: one("traceId", "hex"),
  2: one("spanId", "hex"),
  3: one("traceState", "string"),
  4: attributesField(),
  5: one("droppedAttributesCount", "uint"),
  6: one("flags", "fixed32"),
}));
const status: Message = message(() => ({ 2: one("message", "string"), 3: one("code", "uint") }));
const span: Message = message(() => ({
  1: one("traceId", "hex"),
  2: one("spanId", "hex"),
  3: one("traceState", "string"),
  4: one("parentSpanId", "hex"),
  5: one("name", "string"),
  6: one("kind", "uint"),
  7: one("startTimeUnixNano", "fixed64"),
  8: one("endTimeUnixNano", "fixed64"),
  9: attributesField(),
  10: one("droppedAttributesCount", "uint"),
  11: many("events", spanEvent),
  12: one("droppedEventsCount", "uint"),
  13: many("links", link),
  14: one("droppedLinksCount", "uint"),
  15: one("status", status),
  16: one("flags", "fixed32"),
}));

const logRecord: Message = message(() => ({
  1: one("timeUnixNano", "fixed64"),
  2: one("severityNumber", "uint"),
  3: one("severityText", "string"),
  5: anyValueField("body"),
  6: attributesField(),
  7: one("droppedAttributesCount", "uint"),
  8: one("flags", "fixed32"),
  9: one("traceId", "hex"),
  10: one("spanId", "hex"),
  11: one("observedTimeUnixNano", "fixed64"),
  12: one("eventName", "string"),
}));

const exemplar: Message = message(() => ({
  2: one("timeUnixNano", "fixed64"),
  3: one("asDouble", "double"),
  4: one("spanId", "hex"),
  5: one("traceId", "hex"),
  6: one("asInt", "sfixed64"),
  7: attributesField("filteredAttributes"),
}));
const times = { 2: one("startTimeUnixNano", "fixed64"), 3: one("timeUnixNano", "fixed64") } as const;
const numberPoint: Message = message(() => ({
  ...times,
  4: one("asDouble", "double"),
  5: many("exemplars", exemplar),
  6: one("asInt", "sfixed64"),
  7: attributesField(),
  8: one("flags", "uint"),
}));
const histogramPoint: Message = message(() => ({
  ...times,
  4: one("count", "fixed64"),
  5: one("sum", "double"),
  6: many("bucketCounts", "fixed64"),
  7: many("explicitBounds", "double"),
  8: many("exemplars", exemplar),
  9: attributesField(),
  10: one("flags", "uint"),
  11: one("min", "double"),
  12: one("max", "double"),
}));
const buckets: Message = message(() => ({ 1: one("offset", "sint"), 2: many("bucketCounts", "uint") }));
const exponentialPoint: Message = message(() => ({
  ...times,
  1: attributesField(),
  4: one("count", "fixed64"),
  5: one("sum", "double"),
  6: one("scale", "sint"),
  7: one("zeroCount", "fixed64"),
  8: one("positive", buckets),
  9: one("negative", buckets),
  10: one("flags", "uint"),
  11: many("exemplars", exemplar),
  12: one("min", "double"),
  13: one("max", "double"),
  14: one("zeroThreshold", "double"),
}));
const quantile: Message = message(() => ({ 1: one("quantile", "double"), 2: one("value", "double") }));
const summaryPoint: Message = message(() => ({
  ...times,
  4: one("count", "fixed64"),
  5: one("sum", "double"),
  6: many("quantileValues", quantile),
  7: attributesField(),
  8: one("flags", "uint"),
}));

function points(point: Message, isSum = false): Message {
  return message(() => ({
    1: many("dataPoints", point),
    2: one("aggregationTemporality", "uint"),
    ...(isSum ? { 3: one("isMonotonic", "bool") } : {}),
  }));
}

const metric: Message = message(() => ({
  1: one("name", "string"),
  2: one("description", "string"),
  3: one("unit", "string"),
  5: one("gauge", points(numberPoint)),
  7: one("sum", points(numberPoint, true)),
  9: one("histogram", points(histogramPoint)),
  10: one("exponentialHistogram", points(exponentialPoint)),
  11: one("summary", points(summaryPoint)),
  12: attributesField("metadata"),
}));

/** The three export requests. */
export const EXPORT_REQUESTS = {
  traces: request({ resources: "resourceSpans", scopes: "scopeSpans", items: "spans" }, span),
  logs: request({ resources: "resourceLogs", scopes: "scopeLogs", items: "logRecords" }, logRecord),
  metrics: request({ resources: "resourceMetrics", scopes: "scopeMetrics", items: "metrics" }, metric),
} as const satisfies Readonly<Record<string, Message>>;
