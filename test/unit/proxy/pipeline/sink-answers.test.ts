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
