import { amplitude } from "./amplitude.ts";
import { anthropic } from "./anthropic.ts";
import { applicationInsights } from "./application-insights.ts";
import { bugsnag } from "./bugsnag.ts";
import { datadog } from "./datadog.ts";
import type { Decoder } from "./decoder.ts";
import { ga4, ga4MeasurementProtocol } from "./ga4.ts";
import { json } from "./json.ts";
import { launchDarkly } from "./launchdarkly.ts";
import { matomo } from "./matomo.ts";
import { mcp } from "./mcp.ts";
import { mixpanel } from "./mixpanel.ts";
import { ndjson } from "./ndjson.ts";
import { oneCollector } from "./onecollector.ts";
import { openai } from "./openai.ts";
import { otlp } from "./otlp.ts";
import { otlpGrpc, otlpProtobuf } from "./otlp-protobuf.ts";
import { plausible } from "./plausible.ts";
import { posthog } from "./posthog.ts";
import { raw } from "./raw.ts";
import { rollbar } from "./rollbar.ts";
import { rudderstack, segment } from "./segment.ts";
import { sentry } from "./sentry.ts";
import { snowplow } from "./snowplow.ts";
import { statsig } from "./statsig.ts";
import { umami } from "./umami.ts";

/** Every decoder, the particular before the general; of two with the same score the earlier one reads the body. */
export const DECODERS: readonly Decoder[] = [
  oneCollector,
  applicationInsights,
  otlp,
  otlpProtobuf,
  otlpGrpc,
  sentry,
  posthog,
  segment,
  rudderstack,
  amplitude,
  mixpanel,
  snowplow,
  datadog,
  ga4,
  ga4MeasurementProtocol,
  matomo,
  plausible,
  umami,
  statsig,
  launchDarkly,
  bugsnag,
  rollbar,
  anthropic,
  openai,
  mcp,
  ndjson,
  json,
  raw,
];
