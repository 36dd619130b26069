import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../../../../proxy/record/json.ts";
import { at, recordsOf } from "../../../support/records.ts";
import { exchangeOf } from "../../../support/requests.ts";

// What other versions and transports of the SDKs send than those that were captured.

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

interface Variant {
  readonly what: string;
  readonly request: Parameters<typeof exchangeOf>[0];
  /** Of each record: its name, and what else is told apart. */
  readonly records: readonly (readonly [name: string | null, ...rest: unknown[]])[];
  readonly paths?: readonly (readonly string[])[];
}

const TIME = ["time"] as const;
const FORMAT = ["$capture", "format"] as const;
const SESSION = ["$capture", "session"] as const;

const VARIANTS: readonly Variant[] = [
  {
    what: "PostHog's old form: a list in base64, with the time among the properties",
    request: {
      target: "/e/?ip=1&_=17&ver=1.130.0&compression=base64",
      body: `data=${encodeURIComponent(base64([{ event: "x", properties: { $time: 1700000000.123, token: "t", $lib: "web" } }]))}`,
    },
    paths: [FORMAT, TIME],
    records: [["x", "posthog", "2023-11-14T22:13:20.123Z"]],
  },
  {
    what: "PostHog's flags and recordings at a first-party host",
    request: { target: "/decide/?v=3", body: `data=${encodeURIComponent(base64({ token: "t", distinct_id: "d" }))}` },
    records: [],
  },
  {
    what: "Segment's endpoint for one call",
    request: {
      target: "/v1/t",
      body: JSON.stringify({
        event: "clicked",
        type: "track",
        messageId: "m",
        anonymousId: "a",
        timestamp: "2024-01-01T00:00:00Z",
      }),
    },
    paths: [FORMAT, SESSION],
    records: [["clicked", "segment", "a"]],
  },
  {
    what: "Mixpanel by GET, with percent-encoded base64",
    request: {
      method: "GET",
      target: `/track/?data=${encodeURIComponent(base64({ event: "e", properties: { token: "t", time: 1700000000.5 } }))}&ip=1`,
    },
    paths: [FORMAT, TIME],
    records: [["e", "mixpanel", "2023-11-14T22:13:20.500Z"]],
  },
  {
    what: "Mixpanel's import as NDJSON",
    request: {
      target: "/import?strict=1",
      body: [1, 2].map((n) => JSON.stringify({ event: `e${n}`, properties: { $insert_id: `${n}` } })).join("\n"),
    },
    paths: [FORMAT],
    records: [
      ["e1", "mixpanel"],
      ["e2", "mixpanel"],
    ],
  },
  {
    what: "Matomo's ping and goal, with a date as text",
    request: { method: "GET", target: "/matomo.php?idgoal=3&idsite=1&rec=1&cdt=2024-01-02%2003:04:05" },
    paths: [FORMAT, TIME],
    records: [["goal 3", "matomo", "2024-01-02T03:04:05Z"]],
  },
  {
    what: "Plausible's API",
    request: { target: "/api/event", body: '{"name":"Signup","url":"u","domain":"d","props":{"plan":"pro"}}' },
    paths: [FORMAT, ["data", "plan"]],
    records: [["Signup", "plausible", "pro"]],
  },
  {
    what: "Statsig's web SDK, which writes base64 backwards",
    request: {
      target: "/v1/rgstr?k=client-x&se=1",
      body: [...base64({ events: [{ eventName: "e", time: 1700000000000 }], statsigMetadata: { sessionID: "s" } })]
        .reverse()
        .join(""),
    },
    paths: [FORMAT, SESSION],
    records: [["e", "statsig", "s"]],
  },
  {
    what: "Amplitude's first SDK: a form",
    request: { target: "/", body: `client=K&e=${encodeURIComponent('[{"event_type":"x","session_id":-1}]')}&v=2` },
    paths: [FORMAT, SESSION],
    records: [["x", "amplitude", undefined]],
  },
  {
    what: "Sentry's logs of SDK 9, without a version",
    request: {
      target: "/api/1/envelope/",
      body: '{"sdk":{"name":"x"}}\n{"type":"log","item_count":1}\n{"items":[{"timestamp":1700000000.5,"body":"hey","trace_id":"t","attributes":{"a":{"value":1,"type":"integer"}}}]}',
    },
    paths: [FORMAT, TIME, SESSION, ["data", "a"]],
    records: [["hey", "sentry", "2023-11-14T22:13:20.500Z", "t", 1]],
  },
  {
    what: "Sentry's transactions of SDK 8, with their spans",
    request: {
      target: "/api/1/envelope/",
      body: '{}\n{"type":"transaction"}\n{"type":"transaction","transaction":"t1","start_timestamp":1700000000,"timestamp":1700000001,"contexts":{"trace":{"trace_id":"t","span_id":"s","data":{"wm":1}}},"spans":[{"description":"inner","op":"db","span_id":"s2","trace_id":"t","start_timestamp":1700000000.25,"data":{"x":2}}]}',
    },
    paths: [FORMAT, TIME, SESSION],
    records: [
      ["t1", "sentry", "2023-11-14T22:13:20.000Z", "t"],
      ["inner", "sentry", "2023-11-14T22:13:20.250Z", "t"],
    ],
  },
  {
    what: "an envelope through a tunnel, told by its shape",
    request: {
      target: "/tunnel",
      body: '{"sent_at":"2024-01-01T00:00:00Z","dsn":"d"}\n{"type":"event"}\n{"message":"hi"}',
    },
    paths: [FORMAT],
    records: [["hi", "sentry"]],
  },
  {
    what: "OTLP under a vendor's prefix, with bare numbers",
    request: {
      target: "/otlp/v1/logs",
      body: '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":1735689600000000001,"body":{"stringValue":"b"},"attributes":[{"key":"k","value":{"intValue":9007199254740993}}]}]}]}]}',
    },
    paths: [FORMAT, TIME, ["data", "k"]],
    records: [["b", "otlp", "2025-01-01T00:00:00.000000001Z", 9007199254740993n]],
  },
  {
    what: "Datadog's log intake of other libraries: a list",
    request: { target: "/api/v2/logs?ddsource=x", body: '[{"message":"m","ddtags":"a:b","date":1700000000000}]' },
    paths: [FORMAT, TIME],
    records: [["m", "datadog", "2023-11-14T22:13:20.000Z"]],
  },
  {
    what: "Google Analytics by GET, with a user property",
    request: { method: "GET", target: "/g/collect?v=2&tid=G-1&sid=5&en=page_view&epn.value=1.50&up.plan=pro" },
    paths: [FORMAT, SESSION, ["data", "value"], ["user_properties", "plan"]],
    records: [["page_view", "ga4", "5", 1.5, "pro"]],
  },
  {
    what: "text among Application Insights' properties that is not what JSON.stringify writes",
    request: {
      target: "/v2/track",
      body: JSON.stringify([
        {
          time: "2024-01-01T00:00:00Z",
          data: { baseType: "EventData", baseData: { name: "e", properties: { o: '{"a": 1}', p: "[1,2]" } } },
        },
      ]),
    },
    paths: [FORMAT, ["data", "o"], ["data", "p"]],
    records: [["e", "application-insights", '{"a": 1}', [1, 2]]],
  },
];

for (const { what, request, records, paths = [] } of VARIANTS) {
  test(what, () => {
    const found = recordsOf(exchangeOf(request)).map((record: JsonObject) => [
      record["name"],
      ...paths.map((path) => at(record, ...path)),
    ]);
    assert.deepEqual(found, records);
  });
}

/** Paths that several formats share; the shape decides, and what has none of the shapes stays generic. */
const COLLISIONS: readonly (readonly [target: string, body: string, format: string])[] = [
  ["/batch", '{"api_key":"k","events":[{"event_type":"e"}]}', "amplitude"],
  ["/batch", '{"api_key":"k","batch":[{"event":"e","properties":{}}]}', "posthog"],
  ["/v1/batch", '{"batch":[{"type":"track","event":"e","userId":"u"}],"writeKey":"k"}', "segment"],
  [
    "/v1/batch",
    '{"batch":[{"type":"track","event":"e","userId":"u","originalTimestamp":"2024-01-01T00:00:00Z"}]}',
    "rudderstack",
  ],
  ["/v1/batch", '{"batch":[{"foo":1}]}', "json"],
  ["/track", '[{"event":"e","properties":{"token":"t","mp_lib":"web"}}]', "mixpanel"],
  ["/track", '[{"event":"e","uuid":"u","properties":{"token":"t","$lib":"web"}}]', "posthog"],
  ["/v1/track", '{"type":"track","event":"e","messageId":"m"}', "segment"],
  ["/v2/track", '{"data":{"baseType":"EventData","baseData":{"name":"e"}}}', "application-insights"],
  ["/bulk", '[{"kind":"custom","key":"e"}]', "launchdarkly"],
  ["/bulk", '{"index":{}}\n{"name":"e"}', "ndjson"],
  ["/api/event", '{"n":"e","u":"u","d":"d"}', "plausible"],
  ["/api/event", '{"name":"e","value":1}', "json"],
  ["/api/send", '{"type":"event","payload":{"website":"w","name":"e"}}', "umami"],
  ["/api/send", '{"type":"mail","to":"x"}', "json"],
  ["/v1/traces", '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"e"}]}]}]}', "otlp"],
  ["/v1/traces", '{"name":"e"}', "json"],
  ["/v1/messages", '{"to":"x","name":"e"}', "json"],
  ["/rpc", '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[]}', "json"],
];

test("paths that formats share are told apart by shape", () => {
  for (const [target, body, format] of COLLISIONS) {
    const records = recordsOf(exchangeOf({ target, body }));
    assert.ok(records.length > 0, body);
    for (const record of records) assert.equal(at(record, "$capture", "format"), format, `${target} ${body}`);
  }
});
