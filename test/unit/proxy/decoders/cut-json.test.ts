import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { parseCutJson } from "../../../../proxy/decoders/cut-json.ts";
import { at, recordsOf } from "../../../support/records.ts";
import { exchangeOf } from "../../../support/requests.ts";

const BATCH = JSON.stringify({
  api_key: "k",
  batch: [
    { event: "one", properties: { list: [{ a: 1 }, { b: "]}" }] } },
    { event: "two", properties: { quote: '"}\\' } },
    { event: "three" },
  ],
});

test("of a cut list the whole members are left, whatever stands inside them", () => {
  const first = BATCH.indexOf(',{"event":"two"');
  const second = BATCH.indexOf(',{"event":"three"');
  for (let length = 0; length < BATCH.length; length++) {
    const value = parseCutJson(BATCH.slice(0, length)) as { batch: { event: string }[] } | undefined;
    const wanted = length < first ? undefined : length < second ? ["one"] : ["one", "two"];
    const found = value?.batch.map(({ event }) => event);
    if (length < second + 16) assert.deepEqual(found, wanted, String(length));
  }
});

test("a cut request gives its whole events and says that the end is missing", () => {
  const spans = ["a", "b", "c"].map((name, index) => ({
    traceId: "0".repeat(31) + index,
    spanId: "1".repeat(16),
    name,
  }));
  const otlp = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  for (const [target, body, format] of [
    ["/batch/", BATCH.slice(0, -20), "posthog"],
    ["/v1/traces", otlp.slice(0, -40), "otlp"],
  ] as const) {
    const records = recordsOf(exchangeOf({ target, body, truncated: true }));
    assert.equal(records.length, 3);
    for (const record of records.slice(0, 2)) {
      assert.equal(at(record, "$capture", "format"), format);
      assert.equal(at(record, "$capture", "undecoded"), undefined);
    }
    assert.equal(at(records[2], "$capture", "truncated"), true);
  }
});

test("a gzip stream that ends too early is cut as well", () => {
  const body = gzipSync(BATCH);
  const records = recordsOf(exchangeOf({ target: "/batch/", body: body.subarray(0, body.length - 24) }));
  assert.ok(records.length >= 2);
  assert.equal(records[0]?.["name"], "one");
  assert.equal(at(records.at(-1), "$capture", "truncated"), true);
});

test("a body that is broken, not cut, is not patched", () => {
  const [record, ...others] = recordsOf(exchangeOf({ target: "/batch/", body: BATCH.slice(0, -20) }));
  assert.equal(others.length, 0);
  assert.notEqual(at(record, "$capture", "undecoded"), undefined);
});
