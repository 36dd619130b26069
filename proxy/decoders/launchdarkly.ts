import { headerOf } from "../record/exchange.ts";
import { isObject, type JsonObject } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder, SinkContent } from "./decoder.ts";
import { pathOf } from "./form.ts";
import { eachObject, jsonBody, requireJson } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, member, textAt, without } from "./member.ts";

const PATH = /(?:\/bulk|\/events\/bulk\/[^/]+|\/mobile(?:\/events(?:\/bulk)?)?)\/?$/;
const DIAGNOSTIC = /\/(?:diagnostic|events\/diagnostic\/[^/]+)\/?$/;
const HOST = /(?:^|\.)launchdarkly\.(?:com|us)$/;
/** Flags: streamed to servers and pages, or fetched. */
const STREAM = /^\/(?:all|flags|meval(?:\/[^/]+)?|eval(?:\/[^/]+){1,2})$/;
const FLAGS = /^\/(?:sdk\/(?:latest-|evalx\/|goals\/)|msdk\/)/;
const NO_FLAGS = '{"flags":{},"segments":{}}';
const KINDS: ReadonlySet<string> = new Set([
  "custom",
  "identify",
  "index",
  "feature",
  "debug",
  "summary",
  "click",
  "pageview",
  "alias",
  "migration_op",
]);

/**
 * LaunchDarkly's analytics events: a JSON array whose items have a `kind`. Custom events are named by their key, all others by
 * their kind; a `summary` counts evaluations and has no time. Diagnostics of the SDK itself hold no events.
 */
export const launchDarkly: Decoder = {
  name: "launchdarkly",
  hosts: ["events.launchdarkly.com", "mobile.launchdarkly.com", "events.launchdarkly.us", "events.eu.launchdarkly.com"],
  score(exchange: DecodableExchange): number {
    const path = pathOf(exchange.target);
    if (DIAGNOSTIC.test(path)) return isDiagnostic(exchange) ? 1 : 0;
    if (isForFlags(exchange)) return 1;
    const hasSchema = headerOf(exchange.headers, "x-launchdarkly-event-schema") !== undefined;
    if (!PATH.test(path) && !hasSchema) return 0;
    const body = jsonBody(exchange);
    if (!Array.isArray(body)) return 0;
    return body.every((item) => KINDS.has(textAt(item, "kind") ?? "")) && (body.length > 0 || hasSchema) ? 1 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    if (DIAGNOSTIC.test(pathOf(exchange.target)) || isForFlags(exchange)) return { events: [] };
    const body = requireJson(exchange);
    if (!Array.isArray(body)) throw new SyntaxError("expected a list of events");
    return { events: eachObject(body, kindEvent), complete: true };
  },
  sinkAnswer(exchange: DecodableExchange): SinkContent {
    if (!isForFlags(exchange)) return { status: 202, contentType: "text/plain", body: "" };
    const path = pathOf(exchange.target);
    const isServer = path === "/all" || path.includes("latest-");
    if (!STREAM.test(path)) return { status: 200, contentType: "application/json", body: isServer ? NO_FLAGS : "{}" };
    const put = isServer ? `{"path":"/","data":${NO_FLAGS}}` : "{}";
    return { status: 200, contentType: "text/event-stream", body: `event: put\ndata: ${put}\n\n`, stays: true };
  },
};

/** Asked for at LaunchDarkly's own hosts (`stream.`, `sdk.`, `app.`, `clientstream.`), which hold no events. */
function isForFlags({ host, target }: DecodableExchange): boolean {
  const path = pathOf(target);
  return HOST.test(host) && (STREAM.test(path) || FLAGS.test(path));
}

function isDiagnostic(exchange: DecodableExchange): boolean {
  const body = jsonBody(exchange);
  return (textAt(body, "kind") ?? "").startsWith("diagnostic");
}

function kindEvent(event: JsonObject): DecodedEvent {
  const kind = textAt(event, "kind") ?? null;
  const isNamed = kind === "custom" || kind === "click" || kind === "pageview";
  const name = isNamed ? first(textAt(event, "key")) : undefined;
  const { data } = event;
  return lifted({
    name: name ?? kind,
    time: member(event, "creationDate"),
    data: isObject(data) ? data : undefined,
    rest: without(event, name === undefined ? "" : "key", "creationDate", isObject(data) ? "data" : ""),
  });
}
