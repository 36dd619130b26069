import { isObject, type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { formFields, pathOf, queryOf } from "./form.ts";
import { jsonBody, jsonItems } from "./json-body.ts";
import { lifted } from "./lifted.ts";
import { first, idAt, isNonEmpty, member, objectAt, setOwn, textAt, without } from "./member.ts";

const PATH = /\/api\/v2\/(?<track>rum|logs|spans|replay|profile|exposures|debugger)\/?$/;
const BINARY: ReadonlySet<string> = new Set(["replay", "profile"]);

/**
 * Datadog browser RUM and logs: NDJSON at `/api/v2/rum` and `/api/v2/logs`, or at any URL that has this path in
 * `ddforward`. Session replay and profiles hold no events. A `view` is sent again as it changes: `_dd.document_version`.
 */
export const datadog: Decoder = {
  name: "datadog",
  hosts: [
    "browser-intake-datadoghq.com",
    "browser-intake-*-datadoghq.com",
    "browser-intake-datadoghq.eu",
    "browser-intake-ddog-gov.com",
    "*.browser-intake-*datadoghq.com",
    "*.browser-intake-datadoghq.eu",
  ],
  score(exchange: DecodableExchange): number {
    const { target, text } = exchange;
    const track = trackOf(target);
    if (track !== undefined && BINARY.has(track)) return 1;
    if (track === undefined && !text.slice(0, 8192).includes('"_dd"')) return 0;
    const head = firstObject(exchange);
    if (head === undefined) return 0;
    const isDatadog = Object.hasOwn(head, "date") && (isObject(head["_dd"]) || Object.hasOwn(head, "ddtags"));
    if (track !== undefined) return isDatadog || Object.hasOwn(head, "date") || Object.hasOwn(head, "message") ? 1 : 0;
    return isDatadog && isObject(head["_dd"]) && isObject(head["session"]) ? 0.8 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    const track = trackOf(exchange.target);
    if (track !== undefined && BINARY.has(track)) return { events: [] };
    return jsonItems(exchange, itemEvent);
  },
  sinkAnswer({ target }: DecodableExchange) {
    const id = /dd-request-id(?:=|%3D)(?<id>[0-9a-f-]{36})/i.exec(target)?.groups?.["id"] ?? "";
    return { status: 202, contentType: "application/json", body: JSON.stringify({ request_id: id }) };
  },
};

function trackOf(target: string): string | undefined {
  const direct = PATH.exec(pathOf(target))?.groups?.["track"];
  if (direct !== undefined) return direct;
  if (!target.includes("ddforward")) return undefined;
  const { ddforward } = formFields(queryOf(target));
  return typeof ddforward === "string" ? PATH.exec(pathOf(ddforward))?.groups?.["track"] : undefined;
}

/** The first event; of NDJSON only its line is parsed, and of a very long one only its words are looked at. */
function firstObject(exchange: DecodableExchange): JsonObject | undefined {
  const { text } = exchange;
  if (/^\s*\[/.test(text)) {
    const body = jsonBody(exchange);
    return Array.isArray(body) ? body.find(isObject) : undefined;
  }
  const line = /^\s*(?<line>\{[^\n]*)/.exec(text.slice(0, 262_144))?.groups?.["line"];
  if (line === undefined) return undefined;
  try {
    const value = parseJson(line);
    return isObject(value) ? value : undefined;
  } catch {
    return /"date"\s*:/.test(line) && /"_dd"\s*:/.test(line) ? { date: 0, _dd: {} } : undefined;
  }
}

function itemEvent(item: JsonObject): DecodedEvent {
  const type = textAt(item, "type");
  return type === undefined || type === "log" ? logEvent(item) : rumEvent(item, type);
}

function logEvent(item: JsonObject): DecodedEvent {
  return lifted({
    name: textAt(item, "message") ?? "log",
    time: member(item, "date"),
    rest: without(item, "date", textAt(item, "message") === undefined ? "" : "message"),
    session: first(textAt(item, "session", "id"), textAt(item, "session_id")),
  });
}

/** The part of an event that its name is lifted from, by type. */
const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  action: [
    ["action", "target", "name"],
    ["action", "name"],
  ],
  error: [["error", "message"]],
  view: [["view", "name"]],
  resource: [["resource", "url"]],
  vital: [["vital", "name"]],
  long_task: [["long_task", "entry_type"]],
};

function rumEvent(item: JsonObject, type: string): DecodedEvent {
  const path = NAMES[type]?.find((candidate) => textAt(item, ...candidate) !== undefined);
  const name = path === undefined ? type : (textAt(item, ...path) ?? type);
  const isLifted = path !== undefined && path[0] !== "view";
  return lifted({
    name,
    time: member(item, "date"),
    data: objectAt(item, "context"),
    rest: withoutPath(without(item, "date", isObject(item["context"]) ? "context" : ""), isLifted ? path : []),
    session: first(textAt(item, "session", "id"), textAt(item, "session_id")),
    id: idOf(item, type),
  });
}

/** An update of a view is an event of its own, told apart by its version. */
function idOf(item: JsonObject, type: string): string | undefined {
  const id = idAt(item, type, "id");
  if (type !== "view" || id === undefined) return id;
  const version = idAt(item, "_dd", "document_version");
  return version === undefined ? undefined : `${id}/${version}`;
}

/** Takes one value out of nested objects, and an object with it that is empty then. */
function withoutPath(object: JsonObject, [key, ...rest]: readonly string[]): JsonObject {
  if (key === undefined) return object;
  const inner = object[key];
  if (rest.length === 0 || !isObject(inner)) return without(object, key);
  const left = withoutPath(inner, rest);
  const copy: Record<string, JsonValue> = {};
  for (const name of Object.keys(object)) {
    if (name !== key) setOwn(copy, name, object[name] ?? null);
    else if (isNonEmpty(left)) setOwn(copy, key, left);
  }
  return copy;
}
