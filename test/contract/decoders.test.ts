import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { Decoder } from "../../proxy/decoders/decoder.ts";
import { DECODERS } from "../../proxy/decoders/index.ts";
import { type JsonObject, parseJson, stringifyJson } from "../../proxy/record/json.ts";
import { at, recordsOf } from "../support/records.ts";
import { exchangeOf } from "../support/requests.ts";

// Runs over every decoder of the list; a new one is covered as soon as it stands there.

const TARGETS = ["/", "/OneCollector/1.0/", "/v1/batch", "/v1/traces", "/e/?compression=gzip-js", "/i?e=pv&tv=js"];

const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.json().map((text) => Buffer.from(text)),
  fc.array(fc.json(), { maxLength: 5 }).map((lines) => Buffer.from(lines.join("\n"))),
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

  test(`${decoder.name}: an empty body gives no events`, () => {
    for (const target of TARGETS) assert.deepEqual(eventsOrNone(decoder, target), []);
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
        for (const record of recordsOf(exchange)) assert.equal(typeof at(record, "$capture", "format"), "string");
      },
    ),
    { numRuns: 300 },
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
  return key === "time" && typeof value !== "string";
}

/** Redaction is tested elsewhere; here only what it must leave alone is compared. */
function isSecretFree(key: string, value: unknown): boolean {
  return !/key|token|secret|cookie|auth|password/i.test(key + stringifyJson(value as JsonObject));
}

function eventsOrNone(decoder: Decoder, target: string) {
  const exchange = decodable(target, Buffer.alloc(0));
  return decoder.score(exchange) > 0 ? decoder.decode(exchange).events : [];
}
