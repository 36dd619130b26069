import { isObject, type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import { textFromBase64 } from "./base64-text.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { formFields, pathOf, queryOf } from "./form.ts";
import { eachObject, objectBody, requireObject } from "./json-body.ts";
import { begun, finished } from "./lifted.ts";
import { addGiven, first, idAt, listAt, member, setOwn, textAt } from "./member.ts";

const POST_PATH = /\/com\.snowplowanalytics\.snowplow\/tp2\/?$/;
const GET_PATH = /\/i\/?$/;
const PAYLOAD_SCHEMA = /^iglu:com\.snowplowanalytics\.snowplow\/payload_data\//;
const SCHEMA_NAME = /^iglu:[^/]+\/(?<name>[^/]+)\//;
const STRUCTURED = ["se_ca", "se_ac", "se_la", "se_pr", "se_va"] as const;
const IS_STRUCTURED: ReadonlySet<string> = new Set(STRUCTURED);

/**
 * Snowplow's tracker protocol: lists of events at `/com.snowplowanalytics.snowplow/tp2` (or any path, by their payload
 * schema), single events in the query of `GET /i`. Self-describing events and contexts come in base64 of either alphabet
 * or as JSON text, and are written out as what they hold.
 */
export const snowplow: Decoder = {
  name: "snowplow",
  hosts: [],
  score(exchange: DecodableExchange): number {
    const path = pathOf(exchange.target);
    if (GET_PATH.test(path) && exchange.body.length === 0) {
      const { e, tv } = formFields(queryOf(exchange.target));
      return e !== undefined && tv !== undefined ? 1 : 0;
    }
    if (!exchange.text.slice(0, 4096).includes("payload_data") && !POST_PATH.test(path)) return 0;
    const body = objectBody(exchange);
    if (body === undefined || !Array.isArray(body["data"])) return 0;
    const isPayload = PAYLOAD_SCHEMA.test(textAt(body, "schema") ?? "");
    return POST_PATH.test(path) ? 1 : isPayload ? 0.9 : 0;
  },
  decode(exchange: DecodableExchange): Decoded {
    if (exchange.body.length === 0) return { events: [trackerEvent(formFields(queryOf(exchange.target)))] };
    return { events: eachObject(listAt(requireObject(exchange), "data"), trackerEvent), complete: true };
  },
  sinkAnswer: () => ({ status: 200, contentType: "text/plain", body: "ok" }),
};

function trackerEvent(params: JsonObject): DecodedEvent {
  const described = firstText(params, ["ue_px", "ue_pr"]);
  const contexts = firstText(params, ["cx", "co"]);
  const timeKey = ["ttm", "dtm", "stm"].find((key) => idAt(params, key) !== undefined);
  const { name, data, schema } = namedBy(params, described?.value);
  const fields = begun(data);
  addGiven(fields, "schema", schema);
  for (const key of Object.keys(params)) {
    const isLifted = key === timeKey || key === described?.key || key === contexts?.key || IS_STRUCTURED.has(key);
    if (!isLifted) setOwn(fields, key, params[key] ?? null);
  }
  addGiven(fields, "contexts", contexts === undefined ? undefined : (member(contexts.value, "data") ?? contexts.value));
  return finished({
    name,
    time: timeKey === undefined ? undefined : member(params, timeKey),
    data,
    fields,
    session: textAt(params, "sid"),
    id: textAt(params, "eid"),
  });
}

interface Named {
  readonly name: string | null;
  readonly data?: JsonObject;
  readonly schema?: string;
}

/** A self-describing event is named by its schema, a structured one by its action, any other by its kind. */
function namedBy(params: JsonObject, described: JsonValue | undefined): Named {
  const schema = textAt(described, "data", "schema");
  if (schema !== undefined) {
    const data = member(described, "data", "data");
    return {
      name: SCHEMA_NAME.exec(schema)?.groups?.["name"] ?? schema,
      schema,
      data: isObject(data) ? data : { value: data ?? null },
    };
  }
  const fields = STRUCTURED.filter((key) => Object.hasOwn(params, key));
  const data = Object.fromEntries(fields.map((key) => [key, params[key] ?? null]));
  const name = first(textAt(params, "se_ac"), textAt(params, "e")) ?? null;
  return fields.length === 0 ? { name } : { name, data };
}

/** The first of these parameters that holds JSON, plain or in base64, with the key it stood under. */
function firstText(params: JsonObject, keys: readonly string[]): { key: string; value: JsonValue } | undefined {
  for (const key of keys) {
    const given = params[key];
    if (isObject(given)) return { key, value: given };
    if (typeof given !== "string") continue;
    const value = parsed(/^\s*\{/.test(given) ? given : (textFromBase64(given) ?? ""));
    if (value !== undefined) return { key, value };
  }
  return undefined;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined; // the parameter then stays as it was sent
  }
}
