import type { JsonObject } from "../record/json.ts";
import type { Reader } from "./protobuf-reader.ts";

// Most of a request's bytes are attributes: a key and an AnyValue that holds one scalar. Tags as they stand on the wire.
const KEY = 0x0a;
const VALUE = 0x12;
const STRING = 0x0a;
const BOOL = 0x10;
const INT = 0x18;
const DOUBLE = 0x21;

/** A KeyValue whose key comes first and whose value, a scalar, comes second and last; undefined for any other. */
export function keyValueQuickly(reader: Reader, end: number): JsonObject | undefined {
  if (!reader.passes(KEY, end)) return undefined;
  const key = reader.string(reader.lengthAhead());
  if (!reader.passes(VALUE, end) || reader.lengthAhead() !== end) return undefined;
  const value = anyValueQuickly(reader, end);
  return value === undefined ? undefined : { key, value };
}

/** An AnyValue of one scalar and nothing else; undefined for any other. */
export function anyValueQuickly(reader: Reader, end: number): JsonObject | undefined {
  if (reader.passes(STRING, end)) {
    const last = reader.lengthAhead();
    return last === end ? { stringValue: reader.string(end) } : undefined;
  }
  if (reader.passes(INT, end)) {
    const value = reader.varint();
    return typeof value === "number" && reader.at === end ? { intValue: String(value) } : undefined;
  }
  if (reader.passes(BOOL, end)) {
    const value = reader.varint();
    return reader.at === end ? { boolValue: value !== 0 && value !== 0n } : undefined;
  }
  if (!reader.passes(DOUBLE, end) || end - reader.at !== 8) return undefined;
  const value = reader.buffer.readDoubleLE(reader.at);
  reader.at = end;
  return Number.isFinite(value) ? { doubleValue: value } : undefined;
}
