import { gunzipSync, inflateSync } from "node:zlib";
import { joinSurrogates } from "../decoders/base64-text.ts";
import type { DecodableExchange } from "../decoders/decoder.ts";
import { formFields, queryOf, unescapePercent } from "../decoders/form.ts";
import { headerOf } from "../record/exchange.ts";
import { type JsonObject, type JsonValue, parseJson } from "../record/json.ts";
import type { Coding, ValuePlace } from "./format.ts";
import { compilePath } from "./json-path.ts";

/** What is around a value when it is read. */
export interface Surroundings {
  readonly exchange: DecodableExchange;
  /** The body as a value; of NDJSON the line. */
  readonly body: JsonValue;
  readonly event: JsonValue;
}

/** Reads one value; undefined when it is not there, or its coding cannot be taken off. Never throws. */
export type ReadValue = (around: Surroundings) => JsonValue | undefined;

/** A coded value may inflate to this. */
const MAX_VALUE_BYTES = 67_108_864;

/** Compiles where a value stands and how it is written. */
export function compileValue({ from, decode }: ValuePlace): ReadValue {
  const read = readerOf(from);
  if (decode.length === 0) return read;
  return (around) => {
    const value = read(around);
    return value === undefined ? undefined : decoded(value, decode);
  };
}

function readerOf(from: ValuePlace["from"]): ReadValue {
  switch (from.kind) {
    case "value":
      return () => from.value;
    case "text":
      return ({ exchange }) => exchange.text;
    case "header":
      return ({ exchange }) => headerOf(exchange.headers, from.name);
    case "query":
      return ({ exchange }) => own(queryParameters(exchange), from.name);
    case "form":
      return ({ exchange }) => own(formParameters(exchange), from.name);
    default: {
      const path = compilePath(from.path);
      return from.kind === "body" ? ({ body }) => path.first(body) : ({ event }) => path.first(event);
    }
  }
}

function own(fields: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

const queries = new WeakMap<DecodableExchange, JsonObject>();
const forms = new WeakMap<DecodableExchange, JsonObject>();

/** The parameters of the query, read once per exchange. */
export function queryParameters(exchange: DecodableExchange): JsonObject {
  return once(queries, exchange, () => formFields(queryOf(exchange.target)));
}

/** The parameters of a body that is a form, read once per exchange. */
export function formParameters(exchange: DecodableExchange): JsonObject {
  return once(forms, exchange, () => formFields(exchange.text.trim()));
}

function once(known: WeakMap<DecodableExchange, JsonObject>, exchange: DecodableExchange, make: () => JsonObject) {
  const before = known.get(exchange);
  if (before !== undefined) return before;
  const made = make();
  known.set(exchange, made);
  return made;
}

type Stage = JsonValue | Uint8Array;

function decoded(value: JsonValue, codings: readonly Coding[]): JsonValue | undefined {
  try {
    const end = codings.reduce<Stage>((stage, coding) => DECODERS[coding](stage), value);
    return end instanceof Uint8Array ? textOf(end) : end;
  } catch {
    return undefined; // written otherwise than the format says
  }
}

const DECODERS: Readonly<Record<Coding, (stage: Stage) => Stage>> = {
  base64: (stage) => bytesFromBase64(textOf(stage)),
  gzip: (stage) => inflated(stage instanceof Uint8Array ? stage : Buffer.from(textOf(stage), "latin1")),
  url: (stage) => unescapePercent(textOf(stage)),
  json: (stage) => (typeof stage === "string" || stage instanceof Uint8Array ? parseJson(textOf(stage)) : stage),
};

function textOf(stage: Stage): string {
  if (typeof stage === "string") return stage;
  if (stage instanceof Uint8Array) return joinSurrogates(Buffer.from(stage.buffer, stage.byteOffset, stage.length));
  throw new TypeError("no text");
}

/** Either alphabet, with or without padding; a form may have made spaces of the plus signs. */
function bytesFromBase64(text: string): Uint8Array {
  const compact = text.trim().replaceAll(" ", "+");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact)) throw new TypeError("no base64");
  return Buffer.from(compact, "base64");
}

function inflated(bytes: Uint8Array): Uint8Array {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isGzip ? gunzipSync : inflateSync)(bytes, { maxOutputLength: MAX_VALUE_BYTES });
}
