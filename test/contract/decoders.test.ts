import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { Decoder } from "../../proxy/decoders/decoder.ts";
import { isoTime } from "../../proxy/decoders/event-time.ts";
import { DECODERS } from "../../proxy/decoders/index.ts";
import { type JsonObject, parseJson, stringifyJson } from "../../proxy/record/json.ts";
import { at, recordsOf } from "../support/records.ts";
import { exchangeOf } from "../support/requests.ts";

// Runs over every decoder of the list; a new one is covered as soon as it stands there.

/** Paths of every format, so that each decoder also gets to see bytes at its own. */
const TARGETS = [
  "/",
  "/OneCollector/1.0/",
  "/v2.1/track",
  "/v1/traces",
  "/v1/logs",
  "/v1/metrics",
  "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
  "/api/1/envelope/",
  "/api/1/store/",
  "/batch/",
  "/e/?compression=gzip-js",
  "/flags/?v=2",
  "/v1/batch",
  "/v1/t",
  "/2/httpapi",
  "/track/?data=e30%3D",
  "/engage",
  "/com.snowplowanalytics.snowplow/tp2",
  "/i?e=pv&tv=js",
  "/i?e=ue&tv=js&ue_px=eyJhIjox",
  "/api/v2/rum",
  "/p?ddforward=%2Fapi%2Fv2%2Flogs",
  "/g/collect?v=2&tid=G-1&en=x",
  "/mp/collect",
  "/matomo.php?idsite=1&rec=1&e_a=x",
  "/api/event",
  "/api/send",
  "/v1/log_event",
  "/v1/rgstr?se=1",
  "/bulk",
  "/diagnostic",
  "/api/1/item/",
  "/v1/chat/completions",
  "/v1/responses",
  "/v1/messages",
  "/mcp",
];

/** Words of the formats, so that random values get past the first look at their shape. */
const WORDS = [
  "name",
  "event",
  "events",
  "batch",
  "type",
  "data",
  "baseData",
  "baseType",
  "properties",
  "resourceSpans",
  "scopeSpans",
  "spans",
  "attributes",
  "key",
  "value",
  "intValue",
  "kvlistValue",
  "values",
  "traceId",
  "startTimeUnixNano",
  "items",
  "version",
  "message",
  "exception",
  "api_key",
  "token",
  "uuid",
  "timestamp",
  "event_type",
  "event_properties",
  "schema",
  "e",
  "ue_pr",
  "date",
  "_dd",
  "session",
  "requests",
  "n",
  "u",
  "d",
  "p",
  "payload",
  "website",
  "eventName",
  "statsigMetadata",
  "kind",
  "notifier",
  "body",
  "custom",
  "messages",
  "model",
  "jsonrpc",
  "method",
  "params",
  "id",
  "client_id",
  "messageId",
  "envelope",
  "item",
  "time",
  "iKey",
];

const shaped = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, tie("leaf"), tie("list"), tie("object")),
  leaf: fc.oneof(
    fc.constantFrom(...WORDS, "track", "2.0", "custom", "iglu:a/b/jsonschema/1-0-0"),
    fc.jsonValue({ maxDepth: 0 }),
  ),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom(...WORDS), tie("value"), { maxKeys: 6 }),
}));

const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.json().map((text) => Buffer.from(text)),
  fc.array(fc.json(), { maxLength: 5 }).map((lines) => Buffer.from(lines.join("\n"))),
  shaped.object.map((value) => Buffer.from(JSON.stringify(value))),
  fc.array(shaped.object, { maxLength: 4 }).map((values) => Buffer.from(JSON.stringify(values))),
  fc
    .array(shaped.object, { maxLength: 4 })
    .map((values) => Buffer.from(values.map((v) => JSON.stringify(v)).join("\n"))),
  shaped.object.map((value) => Buffer.from(`data=${Buffer.from(JSON.stringify(value)).toString("base64")}`)),
);

function decodable(target: string, body: Uint8Array) {
  return exchangeWithText(exchangeOf({ target, body }));
}

function exchangeWithText(exchange: ReturnType<typeof exchangeOf>) {
  return { ...exchange, text: Buffer.from(exchange.body).toString("utf8") };
}

for (const decoder of DECODERS) {
  test(`${decoder.name}: scores between 0 and 1, whatever the bytes`, () => {
    fc.assert(
      fc.property(fc.constantFrom(...TARGETS), bodies, (target, body) => {
        const score = decoder.score(decodable(target, body));
        assert.ok(score >= 0 && score <= 1, String(score));
      }),
    );
  });

  test(`${decoder.name}: an empty body gives no events, unless the query carries them`, () => {
    for (const target of TARGETS.filter((known) => !known.includes("?")))
      assert.deepEqual(eventsOrNone(decoder, target), []);
  });

  test(`${decoder.name}: lists its hosts as patterns without scheme, and has a name fit for a path`, () => {
    assert.match(decoder.name, /^[a-z0-9-]+$/);
    for (const host of decoder.hosts) assert.match(host, /^[a-z0-9.*-]+$/);
  });
}

test("names are unique, and raw stands last", () => {
  const names = DECODERS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.equal(names.at(-1), "raw");
});

test("no body makes the pipeline throw, and none but an empty one vanishes", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...TARGETS),
      bodies,
      fc.constantFrom("", "gzip", "deflate", "br"),
      (target, body, coding) => {
        const exchange = exchangeOf({ target, body, headers: coding === "" ? [] : [["content-encoding", coding]] });
        for (const record of recordsOf(exchange)) {
          assert.equal(typeof at(record, "$capture", "format"), "string");
          assert.ok(record["name"] === null || typeof record["name"] === "string");
          assert.ok(record["time"] === undefined || !Number.isNaN(Date.parse(String(record["time"]))));
        }
      },
    ),
    { numRuns: Number(process.env["WAYMARK_FUZZ_RUNS"] ?? 600) },
  );
});

const keys = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom("name", "time", "data", "__proto__", "$capture", "ext"),
);
const values = fc.jsonValue({ maxDepth: 3 }).map((value) => parseJson(stringifyJson(value as JsonObject)));
const events = fc.array(fc.tuple(keys, values), { maxLength: 6 }).map((entries) => Object.fromEntries(entries));

test("any event object survives the way to its record and back", () => {
  fc.assert(
    fc.property(events, (event) => {
      const [record] = recordsOf(exchangeOf({ target: "/OneCollector/1.0/", body: stringifyJson(event) }), undefined, {
        decoders: DECODERS.filter(({ name }) => name === "onecollector"),
      });
      assert.ok(record);
      for (const [key, value] of Object.entries(event)) {
        if (key === "$capture" || isMoved(key, value)) assert.deepEqual(at(record, `${key}_app`), value);
        else if (isSecretFree(key, value)) assert.deepEqual(at(record, key), value);
      }
    }),
  );
});

function isMoved(key: string, value: unknown): boolean {
  if (key === "name") return value !== null && (typeof value !== "string" || value === "");
  return key === "time" && (typeof value !== "string" || isoTime(value) === undefined);
}

/** Redaction is tested elsewhere; here only what it must leave alone is compared. */
function isSecretFree(key: string, value: unknown): boolean {
  return !/key|token|secret|cookie|auth|password/i.test(key + stringifyJson(value as JsonObject));
}

function eventsOrNone(decoder: Decoder, target: string) {
  const exchange = decodable(target, Buffer.alloc(0));
  return decoder.score(exchange) > 0 ? decoder.decode(exchange).events : [];
}
