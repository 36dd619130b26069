import assert from "node:assert/strict";
import test from "node:test";
import { oneCollector } from "../../../../proxy/decoders/onecollector.ts";
import { createRetryLedger } from "../../../../proxy/pipeline/retries.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../../proxy/record/json.ts";
import { needsShared } from "../../../support/project.ts";
import { at, recordsOf } from "../../../support/records.ts";
import { capturedRequests, exchangeOf } from "../../../support/requests.ts";

const CAPTURES = ["onecollector", "onecollector-web", "vscode-ext-1ds", "retry-onecollector"];

for (const capture of CAPTURES) {
  test(`every event of ${capture} becomes one record with its name, time and session`, needsShared("captures"), () => {
    for (const { exchange, allEvents } of capturedRequests(capture)) {
      const records = recordsOf(exchange);
      const seen = records.map((record) => ({
        name: record["name"],
        time: record["time"],
        session: at(record, "$capture", "session"),
      }));
      const wanted = allEvents.map(({ name, time, session }) => ({ name, time, session }));
      assert.deepEqual(seen, wanted);
      for (const record of records) assert.equal(at(record, "$capture", "undecoded"), undefined);
    }
  });

  test(`what the app handed to the SDK stands in the records of ${capture}`, needsShared("captures"), () => {
    for (const { exchange, events } of capturedRequests(capture)) {
      const own = recordsOf(exchange).filter((record) => watermark(record) !== undefined);
      assert.deepEqual(
        own.map((record) => withoutSdkFields(propertiesOf(record))),
        events.map((event) => (capture === "vscode-ext-1ds" ? event["properties"] : kept(event["properties"]))),
      );
      assert.deepEqual(
        own.map((record) => at(record, "data", "baseData", "measurements") ?? {}),
        events.map((event) => event["measurements"] ?? {}),
      );
    }
  });
}

test("an event sent again after a 503 is marked as a retry, and no other is", needsShared("captures"), () => {
  const ledger = createRetryLedger();
  const marks = capturedRequests("retry-onecollector").flatMap(({ exchange, answeredStatus }) => {
    const records = recordsOf(exchange, ledger);
    ledger.answered(exchange.id, answeredStatus);
    return records.map((record) => [watermark(record), at(record, "$capture", "retry")]);
  });
  assert.deepEqual(marks, [
    ["wm-01", undefined],
    ["wm-01", true],
    ["wm-02", undefined],
    ["wm-03", undefined],
    ["wm-04", undefined],
    ["wm-05", undefined],
  ]);
});

test("an event keeps its own shape exactly, beside $capture", () => {
  const event = { name: "chat_switch", time: "2026-01-31T12:00:00.000Z", ver: "4.0", ext: { app: { sesId: "s1" } } };
  const sent = { ...event, data: { Action: { Gesture: "click" }, count: 3, list: [1, { a: null }] }, 日本: "ž" };
  const [record = {}] = recordsOf(exchangeOf({ target: "/OneCollector/1.0/", body: JSON.stringify(sent) }));
  const { $capture, ...own } = record;
  assert.deepEqual(own, sent);
  assert.equal(at($capture, "session"), "s1");
});

test("a broken line is an undecoded event of its own and the others count", () => {
  const body = '{"name":"a","data":{}}\n{"name":"b","da\n\n{"name":"c"}\n';
  const records = recordsOf(exchangeOf({ target: "/collect/OneCollector/1.0?x=1", body }));
  assert.deepEqual(
    records.map((record) => [record["name"], record["body"], at(record, "$capture", "index")]),
    [
      ["a", undefined, 0],
      [null, '{"name":"b","da', 1],
      ["c", undefined, 2],
    ],
  );
  assert.match(String(at(records[1], "$capture", "undecoded")), /^line is no JSON: /);
});

test("a number that a double cannot hold stays exact, whichever line of the body it stands in", () => {
  const event = (id: string): string => `{"name":"a","time":"2026-01-01T00:00:00Z","iKey":"k","data":{"id":${id}}}`;
  const ids = ["1", "9007199254740993", "2", "12345678901234567890"];
  const records = recordsOf(exchangeOf({ target: "/OneCollector/1.0", body: ids.map(event).join("\n") }));
  assert.deepEqual(
    records.map((record) => String(at(record, "data", "id"))),
    ids,
  );
});

test("an array body and an unknown path with Common Schema events are read too", () => {
  const event = { ver: "4.0", name: "a", time: "2026-01-31T12:00:00Z", iKey: "o:1", data: { x: 1 } };
  const bodies = [
    exchangeOf({ target: "/OneCollector/1.0/", body: JSON.stringify([event, event]) }),
    exchangeOf({ target: "/t/ms", body: `${JSON.stringify(event)}\n${JSON.stringify(event)}` }),
  ];
  for (const exchange of bodies) {
    const records = recordsOf(exchange);
    assert.deepEqual(
      records.map((record) => [record["name"], at(record, "$capture", "format")]),
      [
        ["a", "onecollector"],
        ["a", "onecollector"],
      ],
    );
  }
});

test("Bond compact binary of a native SDK is kept raw", () => {
  const body = Buffer.from([0x29, 0x01, 0x00, 0xff, 0xfe, 0x80, 0x01]);
  const records = recordsOf(exchangeOf({ target: "/OneCollector/1.0/", body }));
  assert.equal(records.length, 1);
  assert.equal(records[0]?.["body_base64"], body.toString("base64"));
  assert.equal(at(records[0], "$capture", "format"), "raw");
});

test("a name or time that is no text moves aside instead of posing as one", () => {
  const [record = {}] = recordsOf(exchangeOf({ target: "/OneCollector/1.0/", body: '{"name":7,"time":12,"data":{}}' }));
  assert.deepEqual([record["name"], record["name_app"], record["time"], record["time_app"]], [null, 7, undefined, 12]);
});

test("the sink's answer is never empty unless the SDK asks for that", () => {
  const ask = (target: string) => oneCollector.sinkAnswer?.({ ...exchangeOf({ target }), text: "" }, 4);
  assert.deepEqual([ask("/OneCollector/1.0/")?.status, ask("/OneCollector/1.0/")?.body], [200, '{"acc":4}']);
  assert.equal(ask("/OneCollector/1.0/?w=0&NoResponseBody=true")?.status, 204);
});

function watermark(record: JsonObject): JsonValue | undefined {
  return at(record, "data", "wm") ?? at(record, "data", "baseData", "properties", "wm");
}

/** `data` for 1DS; the extension's properties are one level deeper. */
function propertiesOf(record: JsonObject): JsonObject {
  const deeper = at(record, "data", "baseData", "properties");
  const isExtension = isObject(deeper) && deeper["wm"] !== undefined;
  const properties = isExtension ? deeper : record["data"];
  return isObject(properties) ? properties : {};
}

/** Without what FORMATS names as added by the SDK. */
function withoutSdkFields(properties: JsonObject): JsonObject {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.filter(([key]) => key !== "baseData" && key !== "version" && !key.startsWith("common.")),
  );
}

/** 1DS drops empty texts and null before sending (FORMATS section 2). */
function kept(properties: JsonValue | undefined): JsonObject {
  const entries = Object.entries(isObject(properties) ? properties : {});
  return Object.fromEntries(entries.filter(([, value]) => value !== "" && value !== null));
}
