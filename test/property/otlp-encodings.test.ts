import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { DecodedEvent, Decoder } from "../../proxy/decoders/decoder.ts";
import { otlp } from "../../proxy/decoders/otlp.ts";
import { otlpProtobuf } from "../../proxy/decoders/otlp-protobuf.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import { bytes, double, fixed64, varint, whole } from "../support/protobuf-bytes.ts";
import { exchangeOf } from "../support/requests.ts";

// One request in both of its encodings has to give the same events: logs whose attributes hold everything that an AnyValue
// can, with keys that stand twice, fields in any order and fields that nobody knows.

const RUNS = Number(process.env["WAYMARK_RUNS"] ?? 500);

/** An AnyValue in both encodings. */
interface Twin {
  readonly json: JsonValue;
  readonly wire: Buffer;
}

/** Protobuf cannot tell an empty list from none. */
function valuesOf(list: readonly Twin[]): JsonValue {
  return list.length === 0 ? {} : { values: list.map(({ json }) => json) };
}

const key = fc.constantFrom(
  "a",
  "b",
  "c",
  "event.name",
  "data",
  "__proto__",
  "ž",
  "a longer key than those that are kept for ever",
);

const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, -1n, 127n, 128n, 2n ** 28n, 2n ** 49n - 1n, 2n ** 49n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n)),
);

/** Whole numbers beyond 2^53 are integers in JSON, which here keep their digits, and -0 has no JSON. */
const double64 = fc
  .double()
  .filter((value) => !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value)));

const scalar: fc.Arbitrary<Twin> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => ({ json: { stringValue: text }, wire: bytes(1, text) })),
  fc.boolean().map((flag) => ({ json: { boolValue: flag }, wire: whole(2, flag ? 1 : 0) })),
  int64.map((value) => ({ json: { intValue: String(value) }, wire: whole(3, value) })),
  double64.map((value) => ({
    json: { doubleValue: Number.isFinite(value) ? value : String(value) },
    wire: double(4, value),
  })),
  fc.uint8Array({ maxLength: 6 }).map((held) => ({
    json: { bytesValue: Buffer.from(held).toString("base64") },
    wire: bytes(7, Buffer.from(held)),
  })),
  fc.constant({ json: {}, wire: Buffer.alloc(0) }),
);

const unknown = fc.constantFrom(Buffer.alloc(0), Buffer.alloc(0), Buffer.alloc(0), whole(99, 5), bytes(98, "unknown"));

const { any, pairs } = fc.letrec<{ any: Twin; pair: Twin; pairs: readonly Twin[] }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.tuple(fc.array(tie("any"), { maxLength: 3 }), unknown).map(([list, odd]) => ({
      json: { arrayValue: valuesOf(list) },
      wire: bytes(5, Buffer.concat([...list.map(({ wire }) => bytes(1, wire)), odd])),
    })),
    tie("pairs").map((list) => ({
      json: { kvlistValue: valuesOf(list) },
      wire: bytes(6, Buffer.concat(list.map(({ wire }) => bytes(1, wire)))),
    })),
  ),
  pair: fc.tuple(key, tie("any"), unknown, fc.boolean()).map(([name, value, odd, isTurned]) => {
    const parts = [bytes(1, name), bytes(2, value.wire)];
    return {
      json: { key: name, value: value.json },
      wire: Buffer.concat(isTurned ? [...parts.reverse(), odd] : [odd, ...parts]),
    };
  }),
  pairs: fc.array(tie("pair"), { maxLength: 5 }),
}));

const log: fc.Arbitrary<Twin> = fc
  .tuple(pairs, any, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
  .map(([list, body, time]) => ({
    json: { timeUnixNano: String(time), body: body.json, attributes: list.map(({ json }) => json) },
    wire: Buffer.concat([fixed64(1, time), bytes(5, body.wire), ...list.map(({ wire }) => bytes(6, wire))]),
  }));

function requestOf(logs: readonly Twin[], resource: readonly Twin[]): { json: string; wire: Buffer } {
  const json = {
    resourceLogs: [
      {
        resource: { attributes: resource.map((pair) => pair.json) },
        scopeLogs: [{ logRecords: logs.map((one) => one.json) }],
      },
    ],
  };
  const held = Buffer.concat(resource.map(({ wire }) => bytes(1, wire)));
  const scopes = bytes(2, Buffer.concat(logs.map(({ wire }) => bytes(2, wire))));
  return { json: JSON.stringify(json), wire: bytes(1, Buffer.concat([bytes(1, held), scopes])) };
}

function eventsOf(decoder: Decoder, body: string | Buffer): { events: readonly DecodedEvent[]; note?: string } {
  const { truncated, body: held, ...exchange } = exchangeOf({ target: "/v1/logs", body });
  const { events, note } = decoder.decode({
    ...exchange,
    truncated,
    body: held,
    text: Buffer.from(held).toString("utf8"),
  });
  return { events, ...(note === undefined ? {} : { note }) };
}

test(`${RUNS} requests of OTLP logs give the same events in JSON and in protobuf`, () => {
  fc.assert(
    fc.property(fc.array(log, { minLength: 1, maxLength: 3 }), pairs, (logs, resource) => {
      const { json, wire } = requestOf(logs, resource);
      assert.deepEqual(eventsOf(otlpProtobuf, wire), eventsOf(otlp, json));
    }),
    { numRuns: RUNS },
  );
});

test("a varint of any length up to ten bytes keeps its digits", () => {
  const numbers = [
    0n,
    2n ** 7n,
    2n ** 28n,
    2n ** 35n,
    2n ** 48n,
    2n ** 49n,
    2n ** 53n - 1n,
    2n ** 53n + 1n,
    -1n,
    -(2n ** 63n),
  ];
  assert.deepEqual(varint(300), Buffer.from([0xac, 0x02]), "the example of protobuf.dev");
  const list = numbers.map((value, index) => ({
    json: null,
    wire: Buffer.concat([bytes(1, `n${index}`), bytes(2, whole(3, value))]),
  }));
  const record = { json: null, wire: Buffer.concat(list.map(({ wire }) => bytes(6, wire))) };
  const [event] = eventsOf(otlpProtobuf, requestOf([record], []).wire).events;
  const read = numbers.map((_, index) => BigInt(String(Object(event?.fields["data"])[`n${index}`])));
  assert.deepEqual(read, numbers);
});
