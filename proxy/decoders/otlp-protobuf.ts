import { gunzipSync } from "node:zlib";
import { headerOf } from "../record/exchange.ts";
import type { DecodableExchange, Decoded, DecodedEvent, Decoder } from "./decoder.ts";
import { pathOf } from "./form.ts";
import { RepeatedKey } from "./otlp-any-value.ts";
import { EXPORT_REQUESTS } from "./otlp-messages.ts";
import { requestEvents } from "./otlp-requests.ts";
import { BRIEF, WRITTEN_OUT } from "./otlp-values.ts";
import { readMessage } from "./protobuf.ts";
import { rawEvent } from "./raw.ts";

const HTTP_PATH = /\/v1\/(?<signal>traces|logs|metrics)\/?$/;
const GRPC_PATH = /\/opentelemetry\.proto\.collector\.(?<signal>trace|logs|metrics)\.v1\.\w+\/Export$/;
const FIRST_FIELD = 0x0a;
const GRPC_PREFIX = 5;
/** A compressed gRPC message may inflate to this; OTLP receivers refuse larger ones. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

type Signal = keyof typeof EXPORT_REQUESTS;
type ExportRequest = (typeof EXPORT_REQUESTS)[Signal];

/** OpenTelemetry over OTLP/HTTP with protobuf; the events are those of `otlp`. */
export const otlpProtobuf: Decoder = {
  name: "otlp-protobuf",
  hosts: [],
  score({ target, body }: DecodableExchange): number {
    if (!HTTP_PATH.test(pathOf(target)) || body[0] !== FIRST_FIELD) return 0;
    return 0.95;
  },
  decode({ target, body }: DecodableExchange): Decoded {
    const signal = HTTP_PATH.exec(pathOf(target))?.groups?.["signal"] as Signal;
    return { ...messageEvents(body, EXPORT_REQUESTS[signal]), complete: true };
  },
  sinkAnswer: () => ({ status: 200, contentType: "application/x-protobuf", body: "" }),
};

/** OpenTelemetry over gRPC: length-prefixed messages, each compressed or not. */
export const otlpGrpc: Decoder = {
  name: "otlp-grpc",
  hosts: [],
  score: ({ target, body }: DecodableExchange): number =>
    GRPC_PATH.test(pathOf(target)) && body.length >= GRPC_PREFIX ? 0.95 : 0,
  decode(exchange: DecodableExchange): Decoded {
    const signal = signalOf(exchange.target);
    const events: DecodedEvent[] = [];
    const notes: string[] = [];
    for (const frame of framesOf(exchange.body)) {
      const read = frameEvents(frame, EXPORT_REQUESTS[signal], headerOf(exchange.headers, "grpc-encoding"));
      events.push(...read.events);
      if (read.note !== undefined) notes.push(read.note);
    }
    return { events, ...(notes.length === 0 ? {} : { note: notes.join("; ") }), complete: true };
  },
  sinkAnswer: () => ({ status: 200, contentType: "application/grpc", body: "" }),
};

function signalOf(target: string): Signal {
  const name = GRPC_PATH.exec(pathOf(target))?.groups?.["signal"];
  return name === "trace" ? "traces" : name === "logs" ? "logs" : "metrics";
}

interface Frame {
  readonly isCompressed: boolean;
  readonly message: Uint8Array;
  readonly isShort: boolean;
}

function framesOf(body: Uint8Array): Frame[] {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const frames: Frame[] = [];
  for (let at = 0; at < body.length; ) {
    const length = at + GRPC_PREFIX <= body.length ? view.getUint32(at + 1) : 0;
    const message = body.subarray(at + GRPC_PREFIX, at + GRPC_PREFIX + length);
    const isShort = at + GRPC_PREFIX > body.length || message.length < length;
    frames.push({ isCompressed: body[at] === 1, message, isShort });
    at += GRPC_PREFIX + length;
  }
  return frames;
}

function frameEvents(frame: Frame, message: ExportRequest, coding: string | undefined): Decoded {
  if (frame.isShort) return broken(frame, "a gRPC message ends too early");
  try {
    return messageEvents(inflated(frame, coding), message);
  } catch (cause) {
    return broken(frame, cause instanceof Error ? cause.message : String(cause));
  }
}

function inflated({ isCompressed, message }: Frame, coding: string | undefined): Uint8Array {
  if (!isCompressed) return message;
  if (coding !== undefined && coding !== "gzip")
    throw new RangeError(`grpc-encoding ${coding.slice(0, 40)} is not read`);
  return gunzipSync(message, { maxOutputLength: MAX_MESSAGE_BYTES });
}

/** Attributes are read briefly, which all but a few requests allow. */
function messageEvents(bytes: Uint8Array, message: ExportRequest): Decoded {
  try {
    return requestEvents(readMessage(bytes, message, true), BRIEF);
  } catch (cause) {
    if (!(cause instanceof RepeatedKey)) throw cause;
    return requestEvents(readMessage(bytes, message), WRITTEN_OUT);
  }
}

/** A message that cannot be read stands as one undecoded event, also an empty one; the others count. */
function broken({ message }: Frame, why: string): Decoded {
  return message.length > 0 ? rawEvent(message, why) : { events: [{ name: null, fields: {}, undecoded: why }] };
}
