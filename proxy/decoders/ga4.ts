import type { JsonObject, JsonValue } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { withEnvelope } from "./envelope.ts";
import { formFields, pathOf, queryOf } from "./form.ts";
import { eachObject, objectBody, requireObject } from "./json-body.ts";
import { begun, type Fields, finished, lifted } from "./lifted.ts";
import { addGiven, first, idAt, listAt, member, objectAt, setOwn, textAt, without } from "./member.ts";
import { wholeNumber } from "./otlp-values.ts";

const COLLECT_PATH = /\/g\/collect\/?$/;
const PROTOCOL_PATH = /\/mp\/collect\/?$/;

/**
 * Google Analytics 4 as gtag.js sends it: one event in the query, or shared parameters in the query and one event per line
 * of the body. `ep.` and `epn.` parameters are the properties. It carries no event time.
 */
export const ga4: Decoder = {
  name: "ga4",
  hosts: ["www.google-analytics.com", "*.google-analytics.com", "analytics.google.com"],
  score({ target, text }: DecodableExchange): number {
    const query = queryOf(target);
    if (!/(?:^|&)v=2(?:&|$)/.test(query) || !/(?:^|&)tid=/.test(query)) return 0;
    const hasEvent = /(?:^|&)en=/.test(query) || /(?:^|[&\n])en=/.test(text);
    return hasEvent ? (COLLECT_PATH.test(pathOf(target)) ? 1 : 0.8) : 0;
  },
  decode({ target, text }: DecodableExchange): Decoded {
    const shared = formFields(queryOf(target));
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
    return { events: (lines.length === 0 ? [""] : lines).map((line) => hitEvent(shared, formFields(line))) };
  },
  sinkAnswer: () => ({ status: 204, contentType: "text/plain", body: "" }),
};

/** The Measurement Protocol of Google Analytics 4: `{client_id, timestamp_micros, events: [{name, params}]}`. */
export const ga4MeasurementProtocol: Decoder = {
  name: "ga4-mp",
  hosts: [],
  score(exchange: DecodableExchange): number {
    const isPath = PROTOCOL_PATH.test(pathOf(exchange.target));
    if (!isPath) return 0;
    const body = objectBody(exchange);
    if (body === undefined || !Array.isArray(body["events"])) return 0;
    return ["client_id", "app_instance_id", "user_id"].some((key) => Object.hasOwn(body, key)) ? 1 : 0.9;
  },
  decode(exchange: DecodableExchange): Decoded {
    const body = requireObject(exchange);
    const sharedTime = member(body, "timestamp_micros");
    const events = eachObject(listAt(body, "events"), (event) => protocolEvent(event, sharedTime));
    return { ...withEnvelope(events, without(body, "events", "timestamp_micros")), complete: true };
  },
  sinkAnswer: () => ({ status: 204, contentType: "text/plain", body: "" }),
};

/** Where a parameter goes, by its prefix; all others stand for themselves. */
const PREFIXES = [
  { prefix: "ep.", part: "data", isNumber: false },
  { prefix: "epn.", part: "data", isNumber: true },
  { prefix: "up.", part: "user", isNumber: false },
  { prefix: "upn.", part: "user", isNumber: true },
] as const;

/** An event under construction: its properties, the user's, and all other parameters. */
interface Hit {
  readonly data: Fields;
  readonly user: Fields;
  readonly others: [key: string, value: JsonValue][];
}

/** What a line says counts before what the query says for all lines. */
function hitEvent(shared: JsonObject, own: JsonObject): DecodedEvent {
  const hit: Hit = { data: {}, user: {}, others: [] };
  for (const key of Object.keys(shared)) place(hit, key, (Object.hasOwn(own, key) ? own : shared)[key] ?? null);
  for (const key of Object.keys(own)) if (!Object.hasOwn(shared, key)) place(hit, key, own[key] ?? null);
  const fields = begun(hit.data);
  for (const { 0: key, 1: value } of hit.others) if (key !== "en") setOwn(fields, key, value);
  addGiven(fields, "user_properties", hit.user);
  const from = (key: string): JsonObject => (Object.hasOwn(own, key) ? own : shared);
  return finished({
    name: textAt(from("en"), "en") ?? null,
    data: hit.data,
    fields,
    session: idAt(from("sid"), "sid"),
  });
}

function place({ data, user, others }: Hit, key: string, value: JsonValue): void {
  const isPrefixed = key.startsWith("e") || key.startsWith("u");
  const known = isPrefixed ? PREFIXES.find(({ prefix }) => key.startsWith(prefix)) : undefined;
  if (known === undefined) others.push([key, value]);
  else
    setOwn(
      known.part === "data" ? data : user,
      key.slice(known.prefix.length),
      known.isNumber ? numberOf(value) : value,
    );
}

/** A number that was written as text; a text that spells none stays one. */
function numberOf(value: JsonValue): JsonValue {
  if (typeof value !== "string") return value;
  const whole = wholeNumber(value);
  if (whole !== value) return whole;
  const number = Number(value);
  return value.trim() !== "" && Number.isFinite(number) ? number : value;
}

function protocolEvent(event: JsonObject, sharedTime: JsonValue | undefined): DecodedEvent {
  const own = member(event, "timestamp_micros");
  const params = objectAt(event, "params");
  return lifted({
    name: textAt(event, "name") ?? null,
    time: first(own, sharedTime),
    data: params,
    rest: without(event, "name", "params", own === undefined ? "" : "timestamp_micros"),
    session: idAt(params, "session_id"),
  });
}
