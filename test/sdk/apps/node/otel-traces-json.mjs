// OpenTelemetry's spans over OTLP (json), at the exporter's default endpoint.
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { EVENTS, flat, say } from "../story.mjs";

const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
const tracer = provider.getTracer("chat");
for (const { name, data } of EVENTS) tracer.startSpan(name, { attributes: flat(data) }).end();
await provider.forceFlush().then(
  () => say(true, "forceFlush() resolved"),
  (cause) => say(false, String(cause)),
);
await provider.shutdown();
