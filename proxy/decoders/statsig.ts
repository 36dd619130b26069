import { isObject, type JsonObject, parseJson } from "../record/json.ts";
import { textFromBase64 } from "./base64-text.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder, SinkContent } from "./decoder.ts";
import { withEnvelope } from "./envelope.ts";
import { pathOf } from "./form.ts";
import { eachObject, objectBody } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, listAt, member, objectAt, textAt, without } from "./member.ts";

const PATH = /\/v1\/(?:log_event|log_event_beacon|rgstr|sdk_exception)\/?$/;
const NO_EVENTS = /\/v\d\/(?:initialize|download_config_specs(?:\/[^/]*)?|get_id_lists|get_config|check_gate)\/?$/;
const HOST = /(?:^|\.)(?:statsigapi\.net|prodregistryv2\.org|featureassets\.org|assetsconfigcdn\.org|statsigcdn\.com)$/;

/**
 * Statsig's event log. The web SDK may write the body in base64, also backwards (`se=1`). Requests for configuration
 * hold no events.
 */
export const statsig: Decoder = {
  name: "statsig",
  hosts: ["statsigapi.net", "*.statsigapi.net", "prodregistryv2.org", "featureassets.org", "api.statsigcdn.com"],
  score(exchange: DecodableExchange): number {
    const path = pathOf(exchange.target);
    if (NO_EVENTS.test(path)) return HOST.test(exchange.host) || hasKey(exchange) ? 1 : 0;
    if (!PATH.test(path)) return 0;
    const body = bodyOf(exchange);
    if (body === undefined) return 0;
    const isStatsig =
      Object.hasOwn(body, "statsigMetadata") || textAt(listAt(body, "events")[0], "eventName") !== undefined;
    return isStatsig ? 1 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    if (NO_EVENTS.test(pathOf(exchange.target))) return { events: [] };
    const body = bodyOf(exchange);
    if (body === undefined) throw new SyntaxError("no JSON object in the body");
    const session = sessionOf(objectAt(body, "statsigMetadata"));
    const events = eachObject(listAt(body, "events"), (event) => loggedEvent(event, session));
    return { ...withEnvelope(events, without(body, "events")), complete: true };
  },
  sinkAnswer(exchange: DecodableExchange): SinkContent {
    const path = pathOf(exchange.target);
    if (!NO_EVENTS.test(path)) return { status: 202, contentType: "application/json", body: '{"success":true}' };
    const body = path.includes("get_id_lists") ? "{}" : path.includes("initialize") ? NO_VALUES : NO_SPECS;
    return { status: 200, contentType: "application/json", body };
  },
};

/** A configuration without gates or experiments: of a client each is a map by name, of a server a list. */
const NO_VALUES = '{"has_updates":true,"time":1,"feature_gates":{},"dynamic_configs":{},"layer_configs":{}}';
const NO_SPECS = '{"has_updates":true,"time":1,"feature_gates":[],"dynamic_configs":[],"layer_configs":[]}';

/** Any host serves Statsig's SDKs when told so; their key then gives them away. */
function hasKey({ headers, target }: DecodableExchange): boolean {
  return headers.some(([name]) => name.toLowerCase().startsWith("statsig-")) || /[?&]k=client-/.test(target);
}

function bodyOf(exchange: DecodableExchange): JsonObject | undefined {
  const direct = objectBody(exchange);
  if (direct !== undefined || exchange.text.length === 0) return direct;
  const text = exchange.text.trim();
  const candidates = [text, [...text].reverse().join("")].map(textFromBase64);
  return parsed(candidates.find((candidate) => candidate !== undefined && /^\s*\{/.test(candidate)));
}

function parsed(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    return first([parseJson(text)].find(isObject));
  } catch {
    return undefined; // no JSON: then it is no body of Statsig
  }
}

function loggedEvent(event: JsonObject, session: string | undefined): DecodedEvent {
  return lifted({
    name: textAt(event, "eventName") ?? null,
    time: member(event, "time"),
    data: objectAt(event, "metadata"),
    rest: without(event, "eventName", "time", isObject(event["metadata"]) ? "metadata" : ""),
    session: first(session, sessionOf(objectAt(event, "statsigMetadata"))),
  });
}

function sessionOf(metadata: JsonObject): string | undefined {
  return first(textAt(metadata, "sessionID"), textAt(metadata, "sessionId"));
}
