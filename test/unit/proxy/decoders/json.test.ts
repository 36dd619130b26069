import assert from "node:assert/strict";
import test from "node:test";
import { at, recordsOf } from "../../../support/records.ts";
import { exchangeOf } from "../../../support/requests.ts";

function ownOf(body: string) {
  return recordsOf(exchangeOf({ target: "/collect", body })).map(({ $capture: _, ...own }) => own);
}

const cases: { what: string; body: string; own: unknown }[] = [
  {
    what: "name, time and data under their own names",
    body: '{"name":"a","time":"2026-01-31T12:00:00.5Z","data":{"x":1},"user":"u"}',
    own: [{ name: "a", time: "2026-01-31T12:00:00.5Z", data: { x: 1 }, user: "u" }],
  },
  {
    what: "event, timestamp in ms and properties are lifted, not written twice",
    body: '{"event":"a","timestamp":1769860800123,"properties":{"x":1},"userId":"u"}',
    own: [{ name: "a", time: "2026-01-31T12:00:00.123Z", data: { x: 1 }, userId: "u" }],
  },
  {
    what: "type names an event only when nothing else does",
    body: '[{"type":"track","event":"a"},{"type":"identify","traits":{"p":1}}]',
    own: [
      { name: "a", type: "track" },
      { name: "identify", traits: { p: 1 } },
    ],
  },
  {
    what: "a wrapper's own fields stay as the envelope",
    body: '{"sentAt":"2026-01-31T12:00:00Z","batch":[{"event":"a"},{"event":"b"}]}',
    own: [
      { name: "a", envelope: { sentAt: "2026-01-31T12:00:00Z" } },
      { name: "b", envelope: { sentAt: "2026-01-31T12:00:00Z" } },
    ],
  },
  {
    what: "an event that has items is one event",
    body: '{"event":"purchase","items":[{"sku":"1"},{"sku":"2"}]}',
    own: [{ name: "purchase", items: [{ sku: "1" }, { sku: "2" }] }],
  },
  {
    what: "properties beside a data that is taken stay where they are",
    body: '{"name":"a","data":"text","properties":{"x":1}}',
    own: [{ name: "a", data: "text", properties: { x: 1 } }],
  },
  {
    what: "a time counted from page load is no event time",
    body: '{"name":"a","time":1234.5,"timestamp":"soon"}',
    own: [{ name: "a", time_app: 1234.5, timestamp: "soon" }],
  },
  {
    what: "integers beyond 2^53 keep their digits",
    body: '{"name":"a","id":9007199254740993}',
    own: [{ name: "a", id: 9007199254740993n }],
  },
  { what: "an object without a name is an event without one", body: '{"x":1}', own: [{ name: null, x: 1 }] },
  { what: "an empty batch holds no event", body: '{"events":[]}', own: [] },
];

for (const { what, body, own } of cases) test(what, () => assert.deepEqual(ownOf(body), own));

test("epoch times in s, ms, us and ns become ISO without losing digits", () => {
  const times = ["1769860800", "1769860800.25", "1769860800123", "1769860800123456", "1769860800123456789"];
  assert.deepEqual(
    times.map((time) => ownOf(`{"name":"a","ts":${time}}`)[0]?.["time"]),
    [
      "2026-01-31T12:00:00.000Z",
      "2026-01-31T12:00:00.250Z",
      "2026-01-31T12:00:00.123Z",
      "2026-01-31T12:00:00.123456Z",
      "2026-01-31T12:00:00.123456789Z",
    ],
  );
});

test("an app's own $capture cannot pose as waymark's", () => {
  const body = '{"name":"a","$capture":{"control":"stop","seq":99}}';
  for (const target of ["/collect", "/OneCollector/1.0/"]) {
    const [record = {}] = recordsOf(exchangeOf({ target, body }));
    assert.deepEqual(record["$capture_app"], { control: "stop", seq: 99 });
    assert.equal(at(record, "$capture", "seq"), 1);
    assert.equal(at(record, "$capture", "control"), undefined);
    assert.match(String(at(record, "$capture", "note")), /\$capture_app/);
  }
});

test("a field called __proto__ stays a field and pollutes nothing", () => {
  for (const extra of ["", ',"id":90071992547409931']) {
    const body = `{"name":"a","__proto__":{"polluted":1},"data":{"__proto__":{"polluted":2}}${extra}}`;
    for (const target of ["/collect", "/OneCollector/1.0/"]) {
      const [record = {}] = recordsOf(exchangeOf({ target, body }));
      assert.deepEqual(at(record, "__proto__"), { polluted: 1 });
      assert.deepEqual(at(record, "data", "__proto__"), { polluted: 2 });
      assert.equal(({} as { polluted?: number }).polluted, undefined);
    }
  }
});

test("NDJSON is told from one value written over several lines", () => {
  const lines = recordsOf(exchangeOf({ body: '{"event":"a"}\r\n{"event":"b"}\r\nnonsense\r\n{"event":"c"}' }));
  assert.deepEqual(
    lines.map((record) => [record["name"], at(record, "$capture", "format")]),
    [
      ["a", "ndjson"],
      ["b", "ndjson"],
      [null, "ndjson"],
      ["c", "ndjson"],
    ],
  );
  const pretty = recordsOf(exchangeOf({ body: JSON.stringify({ name: "a", data: { x: 1 } }, null, 2) }));
  assert.deepEqual(
    pretty.map((record) => [record["name"], at(record, "$capture", "format")]),
    [["a", "json"]],
  );
});

test("a body nobody knows is one undecoded record, as text or as base64", () => {
  const [text = {}] = recordsOf(exchangeOf({ body: "just words" }));
  assert.deepEqual([text["name"], text["body"]], [null, "just words"]);
  assert.equal(at(text, "$capture", "undecoded"), "no decoder knows this body");
  const bytes = Buffer.from([0xff, 0x00, 0x80]);
  const [binary = {}] = recordsOf(exchangeOf({ body: bytes }));
  assert.equal(binary["body_base64"], bytes.toString("base64"));
});

test("a body that looks like JSON and is none says why", () => {
  const [record = {}] = recordsOf(exchangeOf({ body: '{"a":}' }));
  assert.match(String(at(record, "$capture", "undecoded")), /^json: /);
  assert.equal(record["body"], '{"a":}');
});
