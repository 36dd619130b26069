// OpenTelemetry's log records over OTLP (JSON), at the exporter's default endpoint.
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { EVENTS, say } from "../story.mjs";

const exporter = new OTLPLogExporter();
const provider = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter })] });
const logger = provider.getLogger("chat");
for (const { name, data } of EVENTS) logger.emit({ eventName: name, attributes: data });
await provider.forceFlush().then(
  () => say(true, "forceFlush() resolved"),
  (cause) => say(false, String(cause)),
);
await provider.shutdown();
