import { isObject, type JsonObject, type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import { at } from "./records.ts";
import type { CapturedRequest } from "./requests.ts";

/** Records that waymark makes beside those of a reference decoder: the tool calls of a language model's answer. */
export const EXTRA_NAMES: ReadonlySet<unknown> = new Set(["tool_call"]);

/** What is wrong with the records of a request, against every event it is known to hold. */
export function compareAll({ allEvents, exchange }: CapturedRequest, records: readonly JsonObject[]): string[] {
  const wrong: string[] = [];
  const where = `${exchange.method} ${exchange.target.slice(0, 40)}`;
  for (const [index, wanted] of allEvents.entries()) {
    const record = records[index];
    if (record === undefined) {
      wrong.push(`${where}: no record for ${wanted["name"]}`);
      continue;
    }
    if (!isSameName(record["name"], wanted["name"])) wrong.push(`${where}: ${record["name"]} is not ${wanted["name"]}`);
    if (!isSameTime(record["time"], wanted["time"])) wrong.push(`${where}: ${record["time"]} is not ${wanted["time"]}`);
    const session = at(record, "$capture", "session");
    if (wanted["session"] !== undefined && session !== String(wanted["session"])) {
      wrong.push(`${where}: session ${session} is not ${wanted["session"]}`);
    }
    for (const id of [wanted["id"], wanted["traceId"]]) {
      if (id !== undefined && !stringifyJson(record).includes(String(id))) wrong.push(`${where}: without its id ${id}`);
    }
  }
  return wrong;
}

/**
 * Sentry's reference leaves the type of an exception out of its name, FORMATS.md puts it there; VS Code puts an extension's id
 * before the name it was given.
 */
function isSameName(name: JsonValue | undefined, wanted: JsonValue | undefined): boolean {
  return name === wanted || (typeof name === "string" && (name === `Error: ${wanted}` || name.endsWith(`/${wanted}`)));
}

function isSameTime(time: JsonValue | undefined, wanted: JsonValue | undefined): boolean {
  if (wanted === undefined || wanted === null) return true;
  const wantedMs = typeof wanted === "number" ? Math.floor(wanted) : Date.parse(String(wanted));
  return (
    Math.abs(Date.parse(String(time)) - wantedMs) <= (Number.isInteger(wanted) || typeof wanted === "string" ? 0 : 1)
  );
}

/** The same, against what the app handed to its SDK: names and properties, as the format keeps them. */
export function compareHandedOver({ events }: CapturedRequest, records: readonly JsonObject[]): string[] {
  return events.flatMap((event) => {
    const record = records.find((candidate) => isOf(candidate, event));
    if (record === undefined) return [`no record of ${event["name"]} ${event["wm"]}`];
    const properties = isObject(event["properties"]) ? event["properties"] : {};
    return Object.entries(properties).flatMap(([key, wanted]) => {
      if (isKept(record, key, wanted)) return [];
      return [`${event["name"]}.${key}: ${stringifyJson(valuesAt(record, key))} is not ${stringifyJson(wanted)}`];
    });
  });
}

function isOf(record: JsonObject, { name, wm, traceId }: JsonObject): boolean {
  const text = stringifyJson(record);
  const isNamed = name === undefined || name === null || isSameName(record["name"], name) || record["name"] === name;
  return (
    isNamed && (traceId !== undefined || wm === undefined || text.includes(String(wm)) || isNamedByToken(record, name))
  );
}

/** Some events carry their token in the name alone. */
function isNamedByToken(record: JsonObject, name: JsonValue | undefined): boolean {
  return record["name"] === name;
}

/** The places where formats keep an event's properties: docs/record-format.md. */
const PLACES = [
  ["data"],
  ["data", "baseData", "properties"],
  ["data", "data"],
  ["contexts", "data"],
  [],
  ["user_properties", "$set"],
  ["tags"],
] as const;

function valuesAt(record: JsonObject, key: string): JsonValue[] {
  return PLACES.map((place) => at(record, ...place, key)).filter((value) => value !== undefined);
}

function isKept(record: JsonObject, key: string, wanted: JsonValue): boolean {
  const format = String(at(record, "$capture", "format"));
  const values = valuesAt(record, key);
  if (values.some((value) => isSameValue(value, wanted))) return true;
  if (key === "blobLength") return at(record, "data", "blob")?.toString().length === wanted;
  if (format === "onecollector") return values.length === 0 && (wanted === "" || wanted === null);
  if (format === "application-insights") return values.some((value) => isSameText(value, wanted));
  if (format === "mcp") return values.some((value) => isObject(value) && isObject(wanted) && holds(value, wanted));
  if (format === "sentry") return stringifyJson(values).includes("[Object]");
  if (format === "rollbar") return values.some((value) => isSameValue(listed(value), wanted));
  if (format === "matomo" || format === "ga4") return values.some((value) => value === String(wanted));
  return format === "plausible" && key === "url" && record["u"] === wanted;
}

function isSameValue(value: JsonValue, wanted: JsonValue): boolean {
  if (!isObject(wanted) || !isObject(value)) return stringifyJson(value) === stringifyJson(wanted);
  const [keys, wantedKeys] = [Object.keys(value).sort(), Object.keys(wanted).sort()];
  return (
    stringifyJson(keys) === stringifyJson(wantedKeys) &&
    keys.every((key) => isSameValue(value[key] ?? null, wanted[key] ?? null))
  );
}

/** Application Insights keeps text only: JSON for what is nested, `"null"` or `""` for null. */
function isSameText(value: JsonValue, wanted: JsonValue): boolean {
  if (wanted === null) return value === "null" || value === "";
  return value === (typeof wanted === "object" ? stringifyJson(wanted) : String(wanted));
}

/** MCP's captures name some members of a parameter. */
function holds(value: JsonObject, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(([key, item]) => isSameValue(value[key] ?? null, item));
}

/** Rollbar writes lists as objects with the keys 0, 1, 2... */
function listed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(listed);
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length > 0 && keys.every((key, index) => key === String(index))) return Object.values(value).map(listed);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, listed(item)]));
}
