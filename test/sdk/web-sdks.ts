import type { Sdk } from "../support/sdk-batch.ts";
import { asTexts, flat, numbered, type Told, texts, whole } from "./kept.ts";

// The real SDKs that are launched in Chromium: what they are called, and how their formats keep what the page told them.

const sdk = (file: string, packages: string, format: string, more: Partial<Sdk> = {}): Sdk => ({
  app: `web/${file}.mjs`,
  packages: [packages],
  format,
  kept: whole,
  ...more,
});

/** Google Analytics tells texts from numbers; the app flattens, and writes truth values as texts. */
const parameters = (data: Told): Told =>
  Object.fromEntries(
    Object.entries(flat(data)).map(([key, value]) => [key, typeof value === "number" ? value : String(value)]),
  );

/** mixpanel-browser takes properties with one called `length` for a list, and sends none of them. */
const withoutLength = (data: Told): Told => ("length" in data ? {} : data);

export const WEB_SDKS: readonly Sdk[] = [
  sdk("onecollector", "@microsoft/1ds-post-js", "onecollector"),
  sdk("application-insights", "@microsoft/applicationinsights-web", "application-insights", { kept: asTexts }),
  sdk("sentry", "@sentry/browser", "sentry"),
  sdk("posthog", "posthog-js", "posthog"),
  sdk("mixpanel", "mixpanel-browser", "mixpanel", { kept: withoutLength }),
  sdk("amplitude", "@amplitude/analytics-browser", "amplitude"),
  sdk("segment", "@segment/analytics-next", "segment"),
  sdk("datadog", "@datadog/browser-rum", "datadog"),
  sdk("rudderstack", "@rudderstack/analytics-js", "rudderstack"),
  sdk("snowplow", "@snowplow/browser-tracker", "snowplow"),
  sdk("ga4", "@minimal-analytics/ga4", "ga4", { kept: parameters }),
  sdk("plausible-tracker", "plausible-tracker", "plausible", { kept: texts }),
  sdk("plausible", "@plausible-analytics/tracker", "plausible", { kept: texts }),
  sdk("statsig", "@statsig/js-client", "statsig", { kept: texts }),
  sdk("launchdarkly", "launchdarkly-js-client-sdk", "launchdarkly"),
  sdk("bugsnag", "@bugsnag/js", "bugsnag", { place: ["data", "data"] }),
  sdk("rollbar", "rollbar", "rollbar", { kept: numbered }),
  sdk("otel-traces", "@opentelemetry/exporter-trace-otlp-http", "otlp", { kept: flat }),
];
