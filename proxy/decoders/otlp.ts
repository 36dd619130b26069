import type { DecodableExchange, Decoded, Decoder } from "./decoder.ts";
import { requireObject } from "./json-body.ts";
import { requestEvents } from "./otlp-requests.ts";
import { WRITTEN_OUT } from "./otlp-values.ts";

const HTTP_PATH = /\/v1\/(?:traces|logs|metrics)\/?(?:\?|$)/;
const JSON_SHAPE = /^\s*\{\s*"resource(?:Spans|Logs|Metrics)"\s*:/;
const JSON_MEMBER = /"resource(?:Spans|Logs|Metrics)"\s*:/;

/**
 * OpenTelemetry traces, logs and metrics over OTLP/HTTP with JSON. A span's events are records of their own that carry the
 * span's ids; a metric is one record per data point. Attributes become plain values, resource and scope stand beside
 * each event.
 */
export const otlp: Decoder = {
  name: "otlp",
  hosts: [],
  score({ target, text }: DecodableExchange): number {
    if (JSON_SHAPE.test(text.slice(0, 200))) return HTTP_PATH.test(target) ? 1 : 0.8;
    if (!HTTP_PATH.test(target)) return 0;
    return /^\s*\{\s*\}\s*$/.test(text) || (/^\s*\{/.test(text) && JSON_MEMBER.test(text)) ? 0.9 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    return { ...requestEvents(requireObject(exchange), WRITTEN_OUT), complete: true };
  },
  sinkAnswer() {
    return { status: 200, contentType: "application/json", body: '{"partialSuccess":{}}' };
  },
};
