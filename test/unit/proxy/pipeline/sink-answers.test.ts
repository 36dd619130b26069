import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { sinkReply } from "../../../../proxy/pipeline/sink.ts";
import { PROJECT } from "../../../support/project.ts";
import { testPipeline } from "../../../support/records.ts";
import { exchangeFromBytes } from "../../../support/requests.ts";

/** What each SDK must be told: a captured request of the format and the answer that keeps it content. */
const ANSWERS: Readonly<Record<string, readonly [status: number, body: string | RegExp]>> = {
  onecollector: [200, '{"acc":1}'],
  "application-insights": [200, '{"itemsReceived":1,"itemsAccepted":1,"errors":[]}'],
  otlp: [200, '{"partialSuccess":{}}'],
  "otlp-protobuf": [200, ""],
  sentry: [200, /^\{"id":"[0-9a-f]*"\}$/],
  posthog: [200, '{"status":1}'],
  segment: [200, '{"success":true}'],
  rudderstack: [200, "OK"],
  amplitude: [200, /^\{"code":200,"events_ingested":1,"payload_size_bytes":\d+,"server_upload_time":\d+\}$/],
  mixpanel: [200, "1"],
  snowplow: [200, "ok"],
  datadog: [202, /^\{"request_id":"[0-9a-f-]{36}"\}$/],
  ga4: [204, ""],
  "ga4-mp": [204, ""],
  matomo: [204, ""],
  plausible: [202, "ok"],
  umami: [200, /^\{/],
  statsig: [202, '{"success":true}'],
  launchdarkly: [202, ""],
  bugsnag: [202, "OK"],
  rollbar: [200, '{"err":0,"result":{}}'],
  openai: [400, /"error"/],
  anthropic: [400, /"error"/],
};

for (const [format, [status, body]] of Object.entries(ANSWERS)) {
  test(`${format}: the answer of --sink`, () => {
    const exchange = exchangeFromBytes(readFileSync(join(PROJECT, "test", "fixtures", "formats", `${format}.req`)));
    const reading = testPipeline().read(exchange);
    assert.equal(reading.format, format);
    const reply = sinkReply(reading);
    const text = Buffer.from(reply.body).toString("utf8");
    assert.equal(reply.status, status);
    if (typeof body === "string") assert.equal(text, body);
    else assert.match(text, body);
  });
}

function answerTo(head: string, body = "") {
  const length = body === "" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const reading = testPipeline().read(exchangeFromBytes(Buffer.from(`${head}\r\n${length}\r\n${body}`)));
  const { status, headers, body: bytes, stays } = sinkReply(reading);
  const type = headers.find(([name]) => name === "Content-Type")?.[1];
  const told = headers.find(([name]) => name === "Content-Length")?.[1];
  return { format: reading.format, status, type, length: told, body: Buffer.from(bytes), stays };
}

test("LaunchDarkly's flags: a stream that stays open for servers and pages, plain answers to who fetches them", () => {
  const server = answerTo("GET /all HTTP/1.1\r\nHost: stream.launchdarkly.com");
  assert.deepEqual(
    [server.status, server.type, server.length, server.stays, String(server.body)],
    [200, "text/event-stream", undefined, true, 'event: put\ndata: {"path":"/","data":{"flags":{},"segments":{}}}\n\n'],
  );
  const page = answerTo("GET /eval/0123456789abcdef/eyJrIjoxfQ HTTP/1.1\r\nHost: clientstream.launchdarkly.com");
  assert.deepEqual([page.stays, String(page.body)], [true, "event: put\ndata: {}\n\n"]);
  const fetched = answerTo("GET /sdk/latest-all HTTP/1.1\r\nHost: sdk.launchdarkly.com");
  assert.deepEqual([fetched.stays, String(fetched.body)], [undefined, '{"flags":{},"segments":{}}']);
  const elsewhere = answerTo("GET /all HTTP/1.1\r\nHost: shop.example");
  assert.deepEqual([elsewhere.stays, String(elsewhere.body)], [undefined, "{}"]);
});

test("a page that wants a script or a picture gets one, not JSON that it cannot take", () => {
  const wants = (what: string) =>
    answerTo(`GET /array/phc_1/config.js HTTP/1.1\r\nHost: us-assets.i.posthog.com\r\nSec-Fetch-Dest: ${what}`);
  assert.deepEqual([wants("script").type, String(wants("script").body)], ["text/javascript", ""]);
  assert.deepEqual([wants("image").type, wants("image").body.subarray(0, 6).toString()], ["image/gif", "GIF89a"]);
  assert.equal(wants("empty").type, "application/json");
});

test("an event that mixpanel-browser sent without its properties is one, at Mixpanel's hosts", () => {
  const body = "data=%7B%22event%22%3A%22message_sent%22%2C%22properties%22%3A%7B%7D%7D";
  assert.equal(answerTo("POST /track/ HTTP/1.1\r\nHost: api-js.mixpanel.com", body).format, "mixpanel");
  assert.notEqual(answerTo("POST /track/ HTTP/1.1\r\nHost: shop.example", body).format, "mixpanel");
});
