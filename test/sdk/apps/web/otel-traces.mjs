import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { EVENTS, flat } from "../story.mjs";

globalThis.tell = async () => {
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
  const tracer = provider.getTracer("chat");
  for (const { name, data } of EVENTS) tracer.startSpan(name, { attributes: flat(data) }).end();
  await provider.forceFlush();
  return "forceFlush() resolved";
};
