import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { DECODERS } from "../../../../proxy/decoders/index.ts";
import { formatDecoder } from "../../../../proxy/formats/format-decoder.ts";
import { parseFormat } from "../../../../proxy/formats/load.ts";
import { sinkReply } from "../../../../proxy/pipeline/sink.ts";
import type { Exchange } from "../../../../proxy/record/exchange.ts";
import type { JsonObject } from "../../../../proxy/record/json.ts";
import { at, recordsOf, testPipeline } from "../../../support/records.ts";
import { exchangeOf } from "../../../support/requests.ts";

// Formats are written here as a user writes them, in YAML; what they become is read from whole records.

const ACME = `waymark: 1
format: acme
match: { host: "*.acme.example", path: /ingest/*, method: POST, shape: { $.batch: list, $.app: text } }
events: $.batch[*]
name: $.evt
time: { from: $.when, unit: us }
data: $.p
session: body:$.session
id: $.uuid
fields: { screen: $.ctx.screen }
redact: [data.email]
sink: { status: 202, body: { accepted: "{events}" } }
`;

const BODY = {
  app: "shop",
  session: "s-1",
  batch: [
    {
      evt: "cart_opened",
      when: 1700000000123456,
      p: { items: 2, email: "ann@example.com" },
      uuid: "u1",
      ctx: { screen: "cart", v: 3 },
    },
    { evt: "paid", when: "1700000001000000", p: { sum: 9.5 }, uuid: "u2" },
  ],
};

function decodersFor(yaml: string) {
  return [formatDecoder(parseFormat(yaml, "formats/test.yaml")), ...DECODERS];
}

function records(yaml: string, given: Partial<Omit<Exchange, "body">> & { body?: string | Uint8Array }): JsonObject[] {
  return recordsOf(exchangeOf(given), undefined, { decoders: decodersFor(yaml) });
}

const INGEST = { host: "t.acme.example", target: "/ingest/v2?k=1" };

test("an in-house format in twelve lines of YAML becomes records with all its parts", () => {
  const [first, second, ...others] = records(ACME, { ...INGEST, body: JSON.stringify(BODY) });
  assert.equal(others.length, 0);
  assert.equal(first?.["name"], "cart_opened");
  assert.equal(first?.["time"], "2023-11-14T22:13:20.123456Z");
  assert.deepEqual(first?.["data"], { items: 2, email: "[redacted]" });
  assert.equal(first?.["screen"], "cart");
  assert.deepEqual(first?.["ctx"], { v: 3 }, "what was lifted stands once, the rest stays");
  assert.deepEqual(first?.["envelope"], { app: "shop", session: "s-1" });
  assert.equal(at(first, "$capture", "format"), "acme");
  assert.equal(at(first, "$capture", "session"), "s-1");
  assert.equal(second?.["time"], "2023-11-14T22:13:21.000000Z");
});

test("gzip under a wrong label is read too, as with every format", () => {
  const body = gzipSync(JSON.stringify(BODY));
  assert.equal(records(ACME, { ...INGEST, body }).length, 2);
});

test("a filter chooses the events; what it leaves out stays in the envelope", () => {
  const yaml = `waymark: 1
format: filtered
match: { path: /items }
events: $.items[?@.kind=='event' && @.n >= 2]
name: $.e
`;
  const items = [
    { kind: "event", e: "one", n: 1 },
    { kind: "state", e: "no", n: 5 },
    { kind: "event", e: "two", n: 2 },
    { kind: "event", e: "three", n: 3.5 },
  ];
  const found = records(yaml, { target: "/items", body: JSON.stringify({ v: 1, items }) });
  assert.deepEqual(
    found.map((record) => record["name"]),
    ["two", "three"],
  );
  assert.deepEqual(found[0]?.["envelope"], { v: 1, items: items.slice(0, 2) });
});

test("slices, several selectors, functions and dashed names of JSONPath work in a format", () => {
  const yaml = `waymark: 1
format: sliced
match: { path: /items }
events: $.user-events[1:]
name: "$.tags[?match(@, 'name:.*')]"
data: $["a","b"]
`;
  const item = { tags: ["x", "name:clicked"], b: { k: 1 } };
  const found = records(yaml, { target: "/items", body: JSON.stringify({ "user-events": [{ tags: [] }, item] }) });
  assert.deepEqual(
    found.map((record) => [record["name"], record["data"]]),
    [["name:clicked", { k: 1 }]],
  );
});

test("what only looks like it by path is left to the other decoders", () => {
  const body = '{"name":"x","other":true}';
  assert.equal(at(records(ACME, { ...INGEST, body })[0], "$capture", "format"), "json");
  for (const other of [{ host: "acme.example.org" }, { target: "/other" }, { method: "PUT" }]) {
    const [record] = records(ACME, { ...INGEST, ...other, body: JSON.stringify(BODY) });
    assert.equal(at(record, "$capture", "format"), "json", JSON.stringify(other));
  }
});

test("the sink answers as the format says, with the number of events", () => {
  const pipeline = testPipeline({ decoders: decodersFor(ACME) });
  const { status, body } = sinkReply(pipeline.read(exchangeOf({ ...INGEST, body: JSON.stringify(BODY) })));
  assert.equal(status, 202);
  assert.equal(Buffer.from(body).toString(), '{"accepted":2}');
});

test("an id seen before marks a retry", async () => {
  const { createRetryLedger } = await import("../../../../proxy/pipeline/retries.ts");
  const ledger = createRetryLedger();
  const send = () =>
    recordsOf(exchangeOf({ ...INGEST, body: JSON.stringify(BODY) }), ledger, { decoders: decodersFor(ACME) });
  assert.deepEqual(
    [...send(), ...send()].map((record) => at(record, "$capture", "retry")),
    [undefined, undefined, true, true],
  );
});

test("NDJSON: each line is a body, and one that is broken stands alone", () => {
  const yaml = "waymark: 1\nformat: lines\nmatch: { path: /l }\nbody: ndjson\nname: $.n\n";
  const found = records(yaml, { target: "/l", body: '{"n":"a","x":1}\n{broken\n{"n":"b"}\n' });
  assert.deepEqual(
    found.map(({ name }) => name),
    ["a", null, "b"],
  );
  assert.equal(found[0]?.["x"], 1);
  assert.match(String(at(found[1], "$capture", "undecoded")), /no JSON/);
});

test("base64 JSON in a form parameter, and JSON in a text inside it", () => {
  const yaml = `waymark: 1
format: coded
match: { path: /c }
body: { from: form:data, decode: base64 }
events: $.list[*]
name: $[0]
data: { from: "$[1]", decode: json }
session: query:sid
fields: { agent: header:User-Agent, kind: { value: click } }
`;
  const inner = { list: [["open", '{"a":[1,2]}']] };
  const body = `data=${encodeURIComponent(Buffer.from(JSON.stringify(inner)).toString("base64"))}&v=1`;
  const [record] = records(yaml, { target: "/c?sid=77", body, headers: [["user-agent", "x/1"]] });
  assert.equal(record?.["name"], "open");
  assert.deepEqual(record?.["data"], { a: [1, 2] });
  assert.equal(record?.["agent"], "x/1");
  assert.equal(record?.["kind"], "click");
  assert.equal(at(record, "$capture", "session"), "77");
  assert.deepEqual(record?.["items"], ["open", '{"a":[1,2]}'], "the text stays as it was sent");
});

test("all in the query, as pixels do; gzip in base64 in a body of text", () => {
  const pixel =
    'waymark: 1\nformat: pixel\nmatch: { path: /p.gif, query: { e: "*" } }\nbody: query\nname: $.e\ntime: { from: $.t, unit: s }\n';
  const [hit] = records(pixel, { method: "GET", target: "/p.gif?e=view&t=1700000000&u=%C5%BE" });
  assert.deepEqual([hit?.["name"], hit?.["time"], hit?.["u"]], ["view", "2023-11-14T22:13:20.000Z", "ž"]);
  const text =
    "waymark: 1\nformat: packed\nmatch: { path: /t }\nbody: { from: text, decode: [base64, gzip] }\nname: $..kind\n";
  const body = gzipSync('[{"deep":{"kind":"k"}}]').toString("base64");
  assert.equal(records(text, { target: "/t", body })[0]?.["name"], "k");
});

test("units: the same moment in s, ms, us and ns, and small numbers that no size could tell", () => {
  for (const [unit, value, want] of [
    ["s", "1700000000", "2023-11-14T22:13:20.000Z"],
    ["s", "1700000000.5", "2023-11-14T22:13:20.500Z"],
    ["ms", "1700000000123", "2023-11-14T22:13:20.123Z"],
    ["us", "1700000000123456", "2023-11-14T22:13:20.123456Z"],
    ["ns", "1700000000123456789", "2023-11-14T22:13:20.123456789Z"],
    ["ms", "86400000", "1970-01-02T00:00:00.000Z"],
  ]) {
    const yaml = `waymark: 1\nformat: u\nmatch: { path: /u }\nname: $.n\ntime: { from: $.t, unit: ${unit} }\n`;
    const [record] = records(yaml, { target: "/u", body: `{"n":"x","t":${value}}` });
    assert.equal(record?.["time"], want);
  }
});
