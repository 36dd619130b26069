import { isObject, type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { withEnvelope } from "./envelope.ts";
import { formFields, pathOf } from "./form.ts";
import { eachObject, objectBody, requireObject } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { idAt, listAt, objectAt, textAt, without } from "./member.ts";

const PATH = /\/(?:2\/httpapi|batch|httpapi)\/?$/;
const NO_EVENT_HOSTS = /^(?:sr-client-cfg|api-sr|flag\.lab|api\.lab)(?:\.eu)?\.amplitude\.com$/;

/** Amplitude's HTTP API v2 and batch API, and the form of its first JavaScript SDK. Session replay and flags hold no events. */
export const amplitude: Decoder = {
  name: "amplitude",
  hosts: ["api.amplitude.com", "api2.amplitude.com", "api.eu.amplitude.com"],
  score(exchange: DecodableExchange): number {
    if (NO_EVENT_HOSTS.test(exchange.host)) return 1;
    if (oldForm(exchange) !== undefined) return 0.9;
    const body = objectBody(exchange);
    if (body === undefined || !Array.isArray(body["events"]) || textAt(body, "api_key") === undefined) return 0;
    if (PATH.test(pathOf(exchange.target))) return 1;
    return textAt(listAt(body, "events")[0], "event_type") === undefined ? 0 : 0.8;
  },
  decode(exchange: DecodableExchange): Decoded {
    if (NO_EVENT_HOSTS.test(exchange.host)) return { events: [] };
    const form = oldForm(exchange);
    const body = form ?? requireObject(exchange);
    const events = eachObject(listAt(body, "events"), itemEvent);
    return { ...withEnvelope(events, without(body, "events")), ...(form === undefined ? { complete: true } : {}) };
  },
  sinkAnswer({ body, arrivedAt }: DecodableExchange, eventCount: number) {
    const answer = {
      code: 200,
      events_ingested: eventCount,
      payload_size_bytes: body.length,
      server_upload_time: arrivedAt,
    };
    return { status: 200, contentType: "application/json", body: JSON.stringify(answer) };
  },
};

/** `client=<key>&e=<JSON list>&v=2`, as sent before HTTP API v2. */
function oldForm({ text }: DecodableExchange): JsonObject | undefined {
  if (!/(?:^|&)e=/.test(text) || !/(?:^|&)client=/.test(text)) return undefined;
  const { e, client, ...others } = formFields(text);
  const events = typeof e === "string" ? parsedList(e) : undefined;
  return events === undefined ? undefined : { api_key: client ?? null, ...others, events };
}

function parsedList(text: string): readonly JsonValue[] | undefined {
  try {
    const value = parseJson(text);
    return Array.isArray(value) && value.every(isObject) ? value : undefined;
  } catch {
    return undefined; // another form that happens to use the same names
  }
}

function itemEvent(item: JsonObject): DecodedEvent {
  const timeKey = Object.hasOwn(item, "time") ? "time" : "timestamp";
  const session = idAt(item, "session_id");
  return lifted({
    name: textAt(item, "event_type") ?? null,
    time: item[timeKey],
    data: objectAt(item, "event_properties"),
    rest: without(item, "event_type", timeKey, isObject(item["event_properties"]) ? "event_properties" : ""),
    session: session === "-1" ? undefined : session,
    id: idAt(item, "insert_id"),
  });
}
