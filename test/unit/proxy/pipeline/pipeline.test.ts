import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import type { Decoder } from "../../../../proxy/decoders/decoder.ts";
import { DECODERS } from "../../../../proxy/decoders/index.ts";
import type { JsonObject } from "../../../../proxy/record/json.ts";
import { at, lineOf, parseRecord, recordsOf, testPipeline } from "../../../support/records.ts";
import { exchangeOf } from "../../../support/requests.ts";

const TARGET = "/OneCollector/1.0/?cors=true";

function outline(records: readonly JsonObject[]) {
  return records.map((record) => [
    record["name"],
    at(record, "$capture", "undecoded") !== undefined,
    at(record, "$capture", "truncated"),
  ]);
}

test("the fields of $capture stand last and in the documented order", () => {
  const exchange = exchangeOf({
    id: "r1",
    target: TARGET,
    run: "run-1",
    status: 503,
    headers: [["Content-Encoding", "gzip"]],
    body: '{"name":"a","iKey":"k","ext":{"app":{"sesId":"s"}}}',
  });
  const [line = ""] = testPipeline()
    .records(exchange)
    .map((record) => lineOf(record, 7));
  assert.equal(
    line,
    '{"name":"a","iKey":"[redacted]","ext":{"app":{"sesId":"s"}},"$capture":{"seq":7,"at":"2026-01-31T12:00:00.000Z",' +
      '"host":"collector.example","path":"/OneCollector/1.0/","format":"onecollector","request":"r1","index":0,' +
      '"session":"s","run":"run-1","status":503,"redacted":1,"note":"Content-Encoding says gzip, the body is not"}}',
  );
});

test("requests that take turns keep their own moments, places and formats", () => {
  const pipeline = testPipeline();
  const sent = [
    { id: "1", host: "a.example", target: "/in?x=1", arrivedAt: 1, body: '{"name":"a"}' },
    { id: "2", host: "b.example", target: "/in?x=1", arrivedAt: 2, body: '{"name":"a"}' },
    { id: '3"\\', host: "a.example", target: "/in?x=1", arrivedAt: 1, body: '{"name":"a"}\n{"name":"b"}' },
    { id: "4\u00fc", host: "a.example", target: '/"\u001f', arrivedAt: 86_400_000, body: '{"name":"a"}' },
  ];
  for (const round of [1, 2]) {
    for (const { id, host, target, arrivedAt, body } of sent) {
      const records = pipeline.records(exchangeOf({ id, host, target, arrivedAt, body }));
      for (const [index, record] of records.entries()) {
        const capture = at(parseRecord(lineOf(record, round)), "$capture");
        const format = body.includes("\n") ? "ndjson" : "json";
        const [path] = target.split("?");
        const moment = new Date(arrivedAt).toISOString();
        assert.deepEqual(capture, { seq: round, at: moment, host, path, format, request: id, index });
      }
    }
  }
});

test("a replacement character that was sent as one is no broken byte", () => {
  const lines = [Buffer.from('{"name":"\ufffd"}\n'), Buffer.from('{"name":"b\xff"}\n \r\n', "latin1")];
  const bodies = [lines.slice(0, 1), lines].map((parts) => Buffer.concat(parts));
  const found = bodies.map((body) => recordsOf(exchangeOf({ target: TARGET, body })).map(({ name }) => name));
  assert.deepEqual(found, [["\ufffd"], ["\ufffd", "b\ufffd"]]);
});

test("a status of success is not written", () => {
  const [record = {}] = recordsOf(exchangeOf({ target: TARGET, status: 200, body: '{"name":"a"}' }));
  assert.equal(at(record, "$capture", "status"), undefined);
});

test("preflights and empty requests make no record", () => {
  const pipeline = testPipeline();
  const preflight = exchangeOf({ method: "OPTIONS", target: TARGET, headers: [["Origin", "https://a.example"]] });
  const page = exchangeOf({ method: "GET", target: "/index.html" });
  assert.equal(pipeline.read(preflight).nothing, "preflight");
  assert.equal(pipeline.read(page).nothing, "empty");
  assert.deepEqual([...pipeline.records(preflight), ...pipeline.records(page)], []);
});

test("whole events before a cut are events, and the cut itself shows once", () => {
  const cut = (body: string) => outline(recordsOf(exchangeOf({ target: TARGET, truncated: true, body })));
  assert.deepEqual(cut('{"name":"a"}\n{"name":"b"'), [
    ["a", false, undefined],
    [null, true, true],
  ]);
  assert.deepEqual(cut('{"name":"a"}\n{"name":"b"}\n'), [
    ["a", false, undefined],
    ["b", false, undefined],
    [null, true, true],
  ]);
  assert.deepEqual(cut('[{"name":"a"}]'), [["a", false, undefined]]);
  assert.deepEqual(cut('{"name":"a'), [[null, true, true]]);
  assert.deepEqual(cut(""), [[null, true, true]]);
});

test("a gzip stream that ends too early shows its cut too", () => {
  const text = Array.from({ length: 500 }, (_, index) => `{"name":"e${index}","data":{"x":${index * 7919}}}`).join(
    "\n",
  );
  const whole = gzipSync(text);
  const records = recordsOf(exchangeOf({ target: TARGET, body: whole.subarray(0, whole.length - 200) }));
  const last = records.at(-1) ?? {};
  assert.ok(records.length > 10);
  assert.deepEqual(records[0]?.["name"], "e0");
  assert.deepEqual(outline([last]), [[null, true, true]]);
});

test("a decoder that throws costs nothing: the next one reads the body, and a sure one's failure is noted", () => {
  const broken: Decoder = {
    name: "broken",
    hosts: [],
    score: () => 0.9,
    decode: () => {
      throw new Error("out of luck");
    },
  };
  const blind: Decoder = { ...broken, name: "blind", score: broken.decode as () => never };
  const options = { decoders: [blind, broken, ...DECODERS] };
  const [record = {}] = recordsOf(exchangeOf({ body: '{"event":"a"}' }), undefined, options);
  assert.deepEqual([record["name"], at(record, "$capture", "note")], ["a", "broken: out of luck"]);
  const [raw = {}] = recordsOf(exchangeOf({ body: "words" }), undefined, options);
  assert.deepEqual([raw["body"], at(raw, "$capture", "undecoded")], ["words", "broken: out of luck"]);
});

test("a bomb is one undecoded record that says so", () => {
  const body = gzipSync(Buffer.alloc(30_000_000, 0x20));
  const records = recordsOf(exchangeOf({ target: TARGET, body, headers: [["Content-Encoding", "gzip"]] }));
  assert.equal(records.length, 1);
  assert.equal(at(records[0], "$capture", "undecoded"), "gzip: inflates to more than 1048576 bytes");
});

test("a swarm of tiny objects and a tower of brackets are one undecoded record each", () => {
  const swarm = "{}\n".repeat(600_000);
  const tower = `{"name":"a","data":${"[".repeat(60_000)}${"]".repeat(60_000)}}`;
  for (const body of [swarm, tower]) {
    const records = recordsOf(exchangeOf({ target: TARGET, body }));
    assert.equal(records.length, 1);
    assert.notEqual(at(records[0], "$capture", "undecoded"), undefined);
  }
});
