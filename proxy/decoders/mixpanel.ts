import { isObject, type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import { textFromBase64 } from "./base64-text.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { formFields, pathOf, queryOf, unescapePercent } from "./form.ts";
import { eachObject, jsonBody, jsonItems } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, idAt, member, objectAt, textAt, without } from "./member.ts";
import { once } from "./once.ts";

const PATH = /\/(?:track|import|engage|groups|t|e)\/?$/;
const NO_EVENTS = /\/(?:record|decide|flags)\/?$/;
const HOST = /(?:^|\.)mixpanel\.com$/;

/** Operators of a profile update, which has no event name: the operator names it. */
const OPERATORS = ["$set", "$set_once", "$add", "$append", "$union", "$remove", "$unset", "$delete"] as const;

/**
 * Mixpanel: base64 or plain JSON in `data` of a query or form, or a JSON body, at `/track`, `/import`, `/engage` and
 * `/groups`. Session recordings, flags and `/decide` on its hosts hold no events.
 */
export const mixpanel: Decoder = {
  name: "mixpanel",
  hosts: ["api.mixpanel.com", "api-js.mixpanel.com", "api-eu.mixpanel.com", "api-in.mixpanel.com"],
  score(exchange: DecodableExchange): number {
    const path = pathOf(exchange.target);
    if (HOST.test(exchange.host) && NO_EVENTS.test(path)) return 1;
    if (!PATH.test(path)) return 0;
    const item = firstItem(exchange);
    if (item === undefined) return 0;
    return isMixpanel(item) || (HOST.test(exchange.host) && isEvent(item)) ? 0.95 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    if (NO_EVENTS.test(pathOf(exchange.target))) return { events: [] };
    const payload = dataOf(exchange);
    if (payload === undefined) return jsonItems(exchange, itemEvent);
    return { events: eachObject(Array.isArray(payload) ? payload : [payload], itemEvent), complete: true };
  },
  sinkAnswer({ target, text }: DecodableExchange) {
    const isVerbose = /(?:^|[?&])verbose=1(?:&|$)/.test(target) || /(?:^|&)verbose=1(?:&|$)/.test(text.slice(-200));
    if (isVerbose) return { status: 200, contentType: "application/json", body: '{"status":1,"error":null}' };
    return { status: 200, contentType: "text/plain", body: "1" };
  },
};

function firstItem(exchange: DecodableExchange): JsonObject | undefined {
  const payload = dataOf(exchange) ?? jsonBody(exchange) ?? firstLine(exchange.text);
  const item = Array.isArray(payload) ? (payload[0] as JsonValue | undefined) : payload;
  return isObject(item) ? item : undefined;
}

/** At Mixpanel's own hosts enough: its browser library sends no properties at all for an event that has one called `length`. */
function isEvent(item: JsonObject): boolean {
  return textAt(item, "event") !== undefined && isObject(item["properties"]);
}

function isMixpanel(item: JsonObject): boolean {
  if (Object.hasOwn(item, "$token")) return true;
  if (!isEvent(item)) return false;
  const properties = objectAt(item, "properties");
  return ["token", "mp_lib", "$insert_id", "distinct_id"].some((key) => Object.hasOwn(properties, key));
}

/** What stands under `data` in the form or the query; undefined when there is none. */
const dataOf = once(({ text, target }): JsonValue | undefined => {
  const form = /^[^{[\n]{0,2000}?(?:^|&)data=(?<data>[^&]*)/.exec(text)?.groups?.["data"];
  if (form !== undefined) return dataValue(form);
  const { data } = formFields(queryOf(target));
  return typeof data === "string" ? dataValue(data) : undefined;
});

/** A raw `+` of unescaped base64 must not become a space, so only percent-encoding is undone before base64 is tried. */
function dataValue(escaped: string): JsonValue | undefined {
  const plain = unescapePercent(escaped);
  const text = /^\s*[[{]/.test(plain) ? unescapePercent(escaped.replaceAll("+", " ")) : textFromBase64(plain);
  return text === undefined ? undefined : parsed(text);
}

function firstLine(text: string): JsonValue | undefined {
  return text.startsWith("{")
    ? parsed(text.slice(0, text.indexOf("\n") < 0 ? undefined : text.indexOf("\n")))
    : undefined;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined; // not JSON: then it is none of Mixpanel's bodies
  }
}

function itemEvent(item: JsonObject): DecodedEvent {
  const name = textAt(item, "event");
  if (name === undefined) return profileEvent(item);
  const properties = objectAt(item, "properties");
  return lifted({
    name,
    time: first(member(properties, "time"), member(item, "time")),
    data: without(properties, "time"),
    rest: without(item, "event", "properties", Object.hasOwn(properties, "time") ? "" : "time"),
    session: first(idAt(properties, "distinct_id"), idAt(properties, "$device_id")),
    id: idAt(properties, "$insert_id"),
  });
}

function profileEvent(item: JsonObject): DecodedEvent {
  const operator = OPERATORS.find((key) => Object.hasOwn(item, key));
  const value = operator === undefined ? undefined : item[operator];
  const isData = operator !== undefined && isObject(value);
  return lifted({
    name: operator ?? null,
    time: undefined,
    data: isData ? value : undefined,
    rest: isData ? without(item, operator) : item,
  });
}
