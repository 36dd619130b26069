import type { Sdk } from "../support/sdk-batch.ts";
import { asTexts, flat, numbered, texts, whole } from "./kept.ts";

// The real SDKs that are launched in Node: what they are called, and how their formats keep what the app told them.

const sdk = (file: string, packages: string | readonly string[], format: string, more: Partial<Sdk> = {}): Sdk => ({
  app: `node/${file}.mjs`,
  packages: typeof packages === "string" ? [packages] : packages,
  format,
  kept: whole,
  ...more,
});

export const NODE_SDKS: readonly Sdk[] = [
  sdk("onecollector", ["@microsoft/1ds-post-js", "@microsoft/1ds-core-js"], "onecollector"),
  sdk("vscode-extension", "@vscode/extension-telemetry", "onecollector", {
    nameOf: (name) => `acme.chat/${name}`,
    kept: texts,
    place: ["data", "baseData", "properties"],
  }),
  sdk("application-insights", "applicationinsights", "application-insights", { kept: asTexts }),
  sdk("application-insights-2", "applicationinsights-2", "application-insights", { kept: asTexts }),
  sdk("otel-traces-json", "@opentelemetry/exporter-trace-otlp-http", "otlp", { kept: flat }),
  sdk("otel-traces-proto", "@opentelemetry/exporter-trace-otlp-proto", "otlp-protobuf", { kept: flat }),
  sdk("otel-traces-grpc", "@opentelemetry/exporter-trace-otlp-grpc", "otlp-grpc", { kept: flat }),
  sdk("otel-logs-json", "@opentelemetry/exporter-logs-otlp-http", "otlp"),
  sdk("otel-metrics-proto", "@opentelemetry/exporter-metrics-otlp-proto", "otlp-protobuf", { kept: flat }),
  sdk("sentry", "@sentry/node", "sentry"),
  sdk("posthog", "posthog-node", "posthog"),
  sdk("segment", "@segment/analytics-node", "segment"),
  sdk("rudderstack", "@rudderstack/rudder-sdk-node", "rudderstack"),
  sdk("amplitude", "@amplitude/analytics-node", "amplitude"),
  sdk("mixpanel", "mixpanel", "mixpanel"),
  sdk("snowplow", "@snowplow/node-tracker", "snowplow"),
  sdk("statsig", "statsig-node", "statsig"),
  sdk("launchdarkly", "@launchdarkly/node-server-sdk", "launchdarkly"),
  sdk("bugsnag", "@bugsnag/js", "bugsnag", { place: ["data", "data"] }),
  sdk("rollbar", "rollbar", "rollbar", { kept: numbered }),
  sdk("matomo", "matomo-tracker", "matomo", { kept: (data) => ({ dimension1: JSON.stringify(data) }) }),
  sdk("umami", "@umami/node", "umami", { kept: texts }),
  sdk("mcp", "@modelcontextprotocol/sdk", "mcp", {
    nameOf: () => "tools/call",
    kept: (data) => ({ name: "note", arguments: { data } }),
  }),
];
