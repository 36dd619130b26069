import type { JsonObject, JsonValue } from "../record/json.ts";
import { I32, I64, LENGTH, Reader, VARINT } from "./protobuf-reader.ts";

/** How a field's bytes become JSON. 64-bit integers become decimal text, as in the JSON mapping of protobuf. */
export type FieldKind =
  | "string"
  | "bytes"
  | "hex"
  | "bool"
  | "int64"
  | "uint"
  | "sint"
  | "fixed64"
  | "sfixed64"
  | "fixed32"
  | "double";

export interface Field {
  readonly name: string;
  readonly kind: FieldKind | Message;
  readonly repeated?: true;
}

/** A message's known fields by number; all others are skipped. */
export type Fields = Readonly<Record<number, Field>>;

export interface Message {
  /** Its fields, made when first asked for: messages may hold themselves. */
  fields(): Fields;
  /**
   * Reads the usual form of this message quickly, without going through its fields one by one; undefined for every other
   * form, which is then read the long way, from the beginning. Both ways give the same.
   */
  readonly quick?: ((reader: Reader, end: number) => JsonObject | undefined) | undefined;
}

/** A message, from a function that gives its fields. */
export function message(make: () => Fields, quick?: Message["quick"]): Message {
  let fields: Fields | undefined;
  return {
    fields() {
      fields ??= make();
      return fields;
    },
    quick,
  };
}

/** Nesting beyond this is no telemetry; the limit is protobuf's own. */
const MAX_DEPTH = 100;

/**
 * Reads one protobuf message (protobuf.dev, "Encoding") into JSON under its fields' names. Packed and unpacked lists are both
 * read; unknown fields are skipped. Throws `RangeError` on bytes that are no such message.
 */
export function readMessage(bytes: Uint8Array, message: Message): JsonObject {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return messageAt(new Reader(buffer), message, { end: buffer.length, depth: 0 });
}

type Draft = Record<string, JsonValue | JsonValue[]>;

function messageAt(
  reader: Reader,
  message: Message,
  { end, depth }: { readonly end: number; readonly depth: number },
): JsonObject {
  if (depth > MAX_DEPTH) throw new RangeError("protobuf nested too deep");
  const begin = reader.at;
  const quick = message.quick?.(reader, end);
  if (quick !== undefined) return quick;
  reader.at = begin;
  const fields = message.fields();
  const found: Draft = {};
  while (reader.at < end) {
    const tag = reader.small();
    const field = fields[tag >>> 3];
    if (tag >>> 3 === 0) throw new RangeError("protobuf field number 0");
    if (field === undefined) reader.skip(tag & 7);
    else if (isScalar(field.kind)) readScalars(reader, field, { kind: field.kind, wire: tag & 7 }, found);
    else put(found, field.name, field.repeated, readBytes(reader, field.kind, { wire: tag & 7, depth }));
    if (reader.at > end) throw new RangeError("protobuf field beyond its message");
  }
  return found;
}

function isScalar(kind: Field["kind"]): kind is ScalarKind {
  return typeof kind === "string" && kind !== "string" && kind !== "bytes" && kind !== "hex";
}

function readScalars(
  reader: Reader,
  { name, repeated }: Field,
  { kind, wire }: { readonly kind: ScalarKind; readonly wire: number },
  found: Draft,
): void {
  if (wire !== LENGTH) {
    put(found, name, repeated, scalar(reader, kind, wire));
    return;
  }
  const end = reader.lengthAhead();
  while (reader.at < end) put(found, name, repeated, scalar(reader, kind, WIRES[kind]));
}

function readBytes(
  reader: Reader,
  kind: Exclude<Field["kind"], ScalarKind>,
  { wire, depth }: { readonly wire: number; readonly depth: number },
): JsonValue {
  if (wire !== LENGTH) throw new RangeError(`protobuf wire type ${wire} where bytes belong`);
  const end = reader.lengthAhead();
  if (typeof kind === "object") return messageAt(reader, kind, { end, depth: depth + 1 });
  return kind === "string" ? reader.string(end) : reader.text(end, kind === "hex" ? "hex" : "base64");
}

/** The last value of a field counts; those of a repeated one are a list. */
function put(found: Draft, name: string, repeated: true | undefined, value: JsonValue): void {
  const before = found[name];
  if (repeated === undefined) found[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else found[name] = [value];
}

type ScalarKind = Exclude<FieldKind, "string" | "bytes" | "hex">;

const WIRES: Readonly<Record<ScalarKind, number>> = {
  bool: VARINT,
  int64: VARINT,
  uint: VARINT,
  sint: VARINT,
  fixed64: I64,
  sfixed64: I64,
  double: I64,
  fixed32: I32,
};

function scalar(reader: Reader, kind: ScalarKind, wire: number): JsonValue {
  if (wire !== WIRES[kind]) throw new RangeError(`protobuf wire type ${wire} for ${kind}`);
  if (kind === "double") return finite(reader.buffer.readDoubleLE(reader.take(8)));
  if (kind === "fixed64") return reader.fixed64();
  if (kind === "sfixed64") return reader.buffer.readBigInt64LE(reader.take(8)).toString();
  if (kind === "fixed32") return reader.buffer.readUInt32LE(reader.take(4));
  const value = reader.varint();
  if (kind === "bool") return value !== 0 && value !== 0n;
  if (kind === "int64") return typeof value === "number" ? String(value) : BigInt.asIntN(64, value).toString();
  if (kind === "sint") return Number((BigInt(value) >> 1n) ^ -(BigInt(value) & 1n));
  return typeof value === "number" || value > BigInt(Number.MAX_SAFE_INTEGER) ? wholeOrText(value) : Number(value);
}

function wholeOrText(value: number | bigint): JsonValue {
  return typeof value === "number" ? value : value.toString();
}

/** JSON has no NaN and no infinities; the JSON mapping of protobuf writes them as text. */
function finite(value: number): JsonValue {
  return Number.isFinite(value) ? value : String(value);
}
