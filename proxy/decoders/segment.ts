import { headerOf } from "../record/exchange.ts";
import type { JsonObject } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder, SinkContent } from "./decoder.ts";
import { withEnvelope } from "./envelope.ts";
import { pathOf } from "./form.ts";
import { eachObject, objectBody, requireObject } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, idAt, listAt, member, objectAt, textAt, without } from "./member.ts";
import { once } from "./once.ts";

const PATH = /\/v1\/(?:batch|b|t|p|i|g|a|s|import|track|page|screen|identify|group|alias|merge)\/?$/;
/** What a page asks for before it sends anything: where to, and whether at all. */
const SETTINGS = /\/v1\/projects\/([^/]+)\/settings\/?$/;
const SOURCE_CONFIG = /\/sourceConfig\/?$/i;
const TYPES: ReadonlySet<string> = new Set(["track", "page", "screen", "identify", "group", "alias", "merge"]);

/** Segment's HTTP tracking API, which its Node and web libraries and many others speak: one event or a batch. */
export const segment: Decoder = {
  name: "segment",
  hosts: ["api.segment.io", "api.segment.com", "*.segmentapis.com"],
  score: (exchange: DecodableExchange): number => (isAsking(exchange, SETTINGS) ? 1 : scoreAs(exchange, false)),
  decode: decodeCalls,
  sinkAnswer(exchange: DecodableExchange): SinkContent {
    const isForSettings = isAsking(exchange, SETTINGS);
    return json(isForSettings ? settingsFor(SETTINGS.exec(pathOf(exchange.target))?.[1]) : { success: true });
  },
};

/** RudderStack, which speaks Segment's API and is told from it by its host, its library or `originalTimestamp`. */
export const rudderstack: Decoder = {
  name: "rudderstack",
  hosts: ["*.dataplane.rudderstack.com", "api.rudderstack.com"],
  score: (exchange: DecodableExchange): number => (isAsking(exchange, SOURCE_CONFIG) ? 1 : scoreAs(exchange, true)),
  decode: decodeCalls,
  sinkAnswer: (exchange: DecodableExchange): SinkContent =>
    isAsking(exchange, SOURCE_CONFIG)
      ? json(sourceFor(new URLSearchParams(exchange.target.split("?")[1] ?? "").get("writeKey")))
      : { status: 200, contentType: "text/plain", body: "OK" },
};

const json = (value: JsonObject): SinkContent => ({
  status: 200,
  contentType: "application/json",
  body: JSON.stringify(value),
});

function isAsking({ method, target }: Pick<DecodableExchange, "method" | "target">, path: RegExp): boolean {
  return method === "GET" && path.test(pathOf(target));
}

/** The settings of a source with no destination but Segment itself. */
function settingsFor(writeKey: string | undefined): JsonObject {
  return { integrations: { "Segment.io": { apiKey: writeKey ?? "", addBundledMetadata: true } } };
}

/** The same of RudderStack's control plane: a source that is on, with no destination beside the data plane. */
function sourceFor(writeKey: string | null): JsonObject {
  const named = { id: "waymark", name: "waymark", writeKey: writeKey ?? "", workspaceId: "waymark" };
  return { source: { ...named, enabled: true, config: {}, connections: [], destinations: [] } };
}

function scoreAs(exchange: DecodableExchange, wantsRudder: boolean): number {
  const score = shapeScore(exchange);
  return score > 0 && isRudder(exchange) === wantsRudder ? score : 0;
}

/** Both of them ask. */
const shapeScore = once((exchange): number => {
  if (isMetrics(exchange)) return 1;
  if (!PATH.test(pathOf(exchange.target))) return 0;
  const body = objectBody(exchange);
  if (body === undefined) return 0;
  const call = member(body, "batch") === undefined ? body : listAt(body, "batch")[0];
  if (call === undefined) return Object.hasOwn(body, "writeKey") || Object.hasOwn(body, "sentAt") ? 1 : 0;
  const type = textAt(call, "type");
  const isCall = type === undefined ? textAt(call, "event") !== undefined : TYPES.has(type);
  const isSegment = ["messageId", "anonymousId", "userId", "writeKey"].some((key) => member(call, key) !== undefined);
  return isCall && isSegment ? 1 : 0;
});

/** Counts that the SDK keeps of itself: no events. */
function isMetrics(exchange: DecodableExchange): boolean {
  return /\/v1\/m\/?$/.test(pathOf(exchange.target)) && Array.isArray(objectBody(exchange)?.["series"]);
}

function isRudder({ host, headers, text }: DecodableExchange): boolean {
  if (/rudder/i.test(host) || /rudder/i.test(headerOf(headers, "user-agent") ?? "")) return true;
  return text.includes('"originalTimestamp"') || /"name"\s*:\s*"[^"]{0,40}rudder/i.test(text);
}

function decodeCalls(exchange: DecodableExchange): Decoded {
  if (isMetrics(exchange) || isAsking(exchange, SETTINGS) || isAsking(exchange, SOURCE_CONFIG)) return { events: [] };
  const body = requireObject(exchange);
  const { batch } = body;
  if (!Array.isArray(batch)) return { events: [callEvent(body, exchange)], complete: true };
  const events = eachObject(batch, (call) => callEvent(call, exchange));
  return { ...withEnvelope(events, without(body, "batch")), complete: true };
}

/** A call by its type; the endpoints that take one event each may leave the type to their path. */
function callEvent(call: JsonObject, { target }: DecodableExchange): DecodedEvent {
  const type = textAt(call, "type") ?? typeOfPath(target);
  const nameKey = type === "track" ? "event" : type === "page" || type === "screen" ? "name" : undefined;
  const name = nameKey === undefined ? undefined : textAt(call, nameKey);
  const timeKey = member(call, "timestamp") === undefined ? "originalTimestamp" : "timestamp";
  const dataKey = member(call, "properties") === undefined ? "traits" : "properties";
  return lifted({
    name: name ?? type ?? textAt(call, "event") ?? null,
    time: member(call, timeKey),
    data: objectAt(call, dataKey),
    rest: without(call, name === undefined ? "" : (nameKey ?? ""), timeKey, dataKey),
    session: first(idAt(call, "context", "sessionId"), idAt(call, "anonymousId")),
    id: textAt(call, "messageId"),
  });
}

const BY_LETTER: Readonly<Record<string, string>> = {
  t: "track",
  p: "page",
  i: "identify",
  g: "group",
  a: "alias",
  s: "screen",
};

function typeOfPath(target: string): string | undefined {
  const last = pathOf(target).replace(/\/$/, "").split("/").at(-1) ?? "";
  return TYPES.has(last) ? last : BY_LETTER[last];
}
