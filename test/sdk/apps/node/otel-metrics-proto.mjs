// OpenTelemetry's metrics over OTLP (protobuf), at the exporter's default endpoint.
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { EVENTS, flat, say } from "../story.mjs";

const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter(), exportIntervalMillis: 60_000 });
const provider = new MeterProvider({ readers: [reader] });
const meter = provider.getMeter("chat");
for (const { name, data } of EVENTS) meter.createCounter(name).add(1, flat(data));
await provider.forceFlush().then(
  () => say(true, "forceFlush() resolved"),
  (cause) => say(false, String(cause)),
);
process.exit(0);
