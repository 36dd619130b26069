import { isObject, type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import { textFromBase64 } from "./base64-text.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { withEnvelope } from "./envelope.ts";
import { isoTime } from "./event-time.ts";
import { formFields, pathOf, queryOf } from "./form.ts";
import { eachObject, jsonBody } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, member, objectAt, textAt, without } from "./member.ts";
import { once } from "./once.ts";

const PATH = /\/(?:batch|e|i\/v\d+\/e|capture|engage|track)\/?$/;
const NO_EVENTS = /\/(?:decide|flags|array\/[^?]*|s|api\/surveys|api\/web_experiments|static\/[^?]*)\/?$/;
const HOST = /(?:^|\.)(?:i\.)?posthog\.com$/;

/**
 * PostHog: JSON, gzip, or a form's `data=<base64>`, at `/batch/`, `/e/`, `/i/v0/e/` and `/capture/`, behind any host. Feature
 * flags, surveys and recordings hold no events.
 */
export const posthog: Decoder = {
  name: "posthog",
  hosts: ["*.i.posthog.com", "app.posthog.com"],
  score(exchange: DecodableExchange): number {
    const path = pathOf(exchange.target);
    if (NO_EVENTS.test(path)) return HOST.test(exchange.host) ? 1 : isOwnRequest(exchange) ? 0.9 : 0;
    if (!PATH.test(path)) return 0;
    const payload = payloadOf(exchange);
    return payload !== undefined && isPostHog(payload, path) ? 1 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    if (!PATH.test(pathOf(exchange.target))) return { events: [] };
    const payload = payloadOf(exchange);
    if (payload === undefined) throw new SyntaxError("no events in the body");
    if (Array.isArray(payload))
      return { events: eachObject(payload, (item) => itemEvent(item, exchange)), complete: true };
    const { batch } = payload as JsonObject;
    if (!Array.isArray(batch)) return { events: [itemEvent(payload as JsonObject, exchange)], complete: true };
    const events = eachObject(batch as readonly JsonValue[], (item) => itemEvent(item, exchange));
    return { ...withEnvelope(events, without(payload as JsonObject, "batch")), complete: true };
  },
  sinkAnswer({ target }: DecodableExchange) {
    const path = pathOf(target);
    const isForFlags = /\/(?:flags|decide)\/?$/.test(path);
    const other = /\/array\/[^?]*\/config$/.test(path) ? '{"hasFeatureFlags":false}' : '{"status":1}';
    return {
      status: 200,
      contentType: "application/json",
      body: isForFlags ? '{"featureFlags":{},"flags":{}}' : other,
    };
  },
};

/** A request for flags, or a recording, which PostHog sends beside its events, also to a first-party proxy. */
function isOwnRequest(exchange: DecodableExchange): boolean {
  const payload = payloadOf(exchange);
  const item = Array.isArray(payload) ? (payload[0] as JsonValue | undefined) : payload;
  const isPostHogs = isObject(item) && hasKey(item);
  return isPostHogs && (Object.hasOwn(item, "distinct_id") || textAt(item, "event") === "$snapshot");
}

/** The JSON of the body, also out of a form's `data`, in base64 or plain. */
const payloadOf = once((exchange): JsonObject | readonly JsonValue[] | undefined => {
  const { text, target } = exchange;
  const direct = jsonBody(exchange) ?? fromForm(text) ?? fromForm(queryOf(target)) ?? parsedBase64(text);
  return isObject(direct) || Array.isArray(direct) ? direct : undefined;
});

function fromForm(text: string): JsonValue | undefined {
  if (!/(?:^|&)data=/.test(text)) return undefined;
  const { data } = formFields(text);
  if (typeof data !== "string") return undefined;
  return /^\s*[[{]/.test(data) ? parsedText(data) : parsedBase64(data);
}

function parsedBase64(text: string): JsonValue | undefined {
  const decoded = textFromBase64(text);
  return decoded !== undefined && /^\s*[[{]/.test(decoded) ? parsedText(decoded) : undefined;
}

function parsedText(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined; // no JSON: then it is none of PostHog's bodies
  }
}

/** Mixpanel shares `/track` and `/engage`; there an event must carry what only PostHog writes. */
function isPostHog(payload: JsonObject | readonly JsonValue[], path: string): boolean {
  if (isObject(payload) && Array.isArray(payload["batch"])) return hasKey(payload);
  const item = Array.isArray(payload) ? (payload[0] as JsonValue | undefined) : (payload as JsonObject);
  if (!isObject(item) || textAt(item, "event") === undefined) return false;
  const marked = ["uuid", "timestamp", "offset"].some((key) => Object.hasOwn(item, key));
  const fromPostHog = Object.hasOwn(objectAt(item, "properties"), "$lib") || marked;
  if (/\/(?:engage|track)\/?$/.test(path)) {
    return fromPostHog && !Object.hasOwn(objectAt(item, "properties"), "mp_lib");
  }
  return hasKey(item) || fromPostHog;
}

function hasKey(owner: JsonObject): boolean {
  return [textAt(owner, "api_key"), textAt(owner, "token"), textAt(owner, "properties", "token")].some(
    (key) => key !== undefined,
  );
}

function itemEvent(item: JsonObject, exchange: DecodableExchange): DecodedEvent {
  const properties = objectAt(item, "properties");
  const { time, key } = timeOf(item, exchange.arrivedAt);
  return lifted({
    name: textAt(item, "event") ?? null,
    time,
    data: properties,
    rest: without(item, "event", "properties", key ?? ""),
    session: first(textAt(properties, "$session_id"), textAt(item, "$session_id")),
    id: first(textAt(item, "uuid"), textAt(properties, "$insert_id")),
  });
}

/** `timestamp`; else what old versions wrote: `$time`, or `offset`, the milliseconds that passed before sending. */
function timeOf(item: JsonObject, arrivedAt: number): { time?: JsonValue; key?: string } {
  const stamp = member(item, "timestamp");
  if (isoTime(stamp) !== undefined && stamp !== undefined) return { time: stamp, key: "timestamp" };
  const old = member(item, "properties", "$time");
  if (isoTime(old) !== undefined && old !== undefined) return { time: old };
  const { offset } = item;
  if (typeof offset === "number" && Math.abs(offset) < arrivedAt) return { time: Math.round(arrivedAt - offset) };
  return {};
}
