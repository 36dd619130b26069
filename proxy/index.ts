/**
 * The proxy half of waymark as a library: capture an app's telemetry into a log series. The grader reads that series; the
 * two halves share nothing but `proxy/record`.
 */
export type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoders/decoder.ts";
export { DECODERS } from "./decoders/index.ts";
export { formatFiles } from "./formats/format-files.ts";
export { type FormatSpec, type OwnFormats, withOwnFormats } from "./formats/index.ts";
export { loadFormats, parseFormat } from "./formats/load.ts";
export type {
  Endpoint,
  Interceptor,
  InterceptorCounts,
  InterceptorOptions,
  SinkAnswer,
} from "./intercept/interceptor.ts";
export type { UnnumberedLine } from "./log/queue.ts";
export { openSeries, type SeriesOptions, type SeriesWriter, type WriterCounts } from "./log/writer.ts";
export { createPipeline, type Pipeline, type PipelineOptions, type UnnumberedRecord } from "./pipeline/pipeline.ts";
export { parseRedactPath, type RedactPath } from "./pipeline/redact-path.ts";
export { createRetryLedger, type RetryLedger } from "./pipeline/retries.ts";
export { createScope, type ScopeOptions } from "./pipeline/scope.ts";
export type { Exchange, RawHeaders } from "./record/exchange.ts";
export { type FaultCode, WaymarkError } from "./record/fault.ts";
export type { CaptureMeta, ControlRecord, TelemetryRecord } from "./record/record.ts";
export { type Session, type SessionCounts, type SessionDeps, type SessionOptions, startSession } from "./session.ts";
