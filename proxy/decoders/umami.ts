import { isObject, type JsonObject } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { pathOf } from "./form.ts";
import { eachObject, jsonBody, requireJson } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, member, objectAt, textAt, without } from "./member.ts";

const PATH = /\/api\/(?:send|collect|batch)\/?$/;

/** Umami: `{type, payload: {website, name, data, …}}`; an event without a name is a page view. */
export const umami: Decoder = {
  name: "umami",
  hosts: ["cloud.umami.is", "api-gateway.umami.dev", "gateway.umami.is"],
  score(exchange: DecodableExchange): number {
    if (!PATH.test(pathOf(exchange.target))) return 0;
    const body = jsonBody(exchange);
    const one = Array.isArray(body) ? body[0] : body;
    return textAt(one, "type") !== undefined && member(one, "payload", "website") !== undefined ? 1 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    const body = requireJson(exchange);
    return { events: eachObject(Array.isArray(body) ? body : [body], sendEvent), complete: true };
  },
  sinkAnswer: () => ({ status: 200, contentType: "application/json", body: '{"cache":"","beep":"boop"}' }),
};

function sendEvent(send: JsonObject): DecodedEvent {
  const payload = objectAt(send, "payload");
  const type = textAt(send, "type") ?? "event";
  const name = first(textAt(payload, "name"), textAt(payload, "event_name"));
  const nameKey = textAt(payload, "name") === undefined ? "event_name" : "name";
  const data = member(payload, "data") ?? member(payload, "event_data");
  const dataKey = member(payload, "data") === undefined ? "event_data" : "data";
  return lifted({
    name: name ?? (type === "event" || type === "pageview" ? "pageview" : type),
    time: member(payload, "timestamp"),
    data: isObject(data) ? data : undefined,
    rest: {
      ...without(send, "payload"),
      ...without(payload, name === undefined ? "" : nameKey, "timestamp", isObject(data) ? dataKey : "", "type"),
    },
  });
}
