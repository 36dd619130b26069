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
  /** Reads the field in another, shorter form, where the caller of `readMessage` asks for it. */
  readonly brief?: Brief;
}

/**
 * Reads one occurrence of a field, whose bytes lie before `end`. It gets what the occurrences before it gave, and gives the
 * value of all.
 */
export type Brief = (reader: Reader, end: number, before: JsonValue | undefined) => JsonValue;

/** A message's known fields by number; all others are skipped. */
export type Fields = Readonly<Record<number, Field>>;

export interface Message {
  /** Its fields, made when first asked for: messages may hold themselves. */
  fields(): Fields;
}

/** A message, from a function that gives its fields. */
export function message(make: () => Fields): Message {
  let fields: Fields | undefined;
  return {
    fields() {
      fields ??= make();
      return fields;
    },
  };
}

/** Nesting beyond this is no telemetry; the limit is protobuf's own. */
const MAX_DEPTH = 100;

/**
 * Reads one protobuf message (protobuf.dev, "Encoding") into JSON under its fields' names. Packed and unpacked lists are both
 * read; unknown fields are skipped. With `isBrief` the fields that have a brief form are read in it. Throws `RangeError` on
 * bytes that are no such message.
 */
export function readMessage(bytes: Uint8Array, message: Message, isBrief = false): JsonObject {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return messageAt(new Reader(buffer, isBrief), message, buffer.length);
}

type Draft = Record<string, JsonValue>;

/** Reads the message that lies between the reader's place and `end`. */
export function messageAt(reader: Reader, message: Message, end: number): JsonObject {
  goDeeper(reader);
  const fields = message.fields();
  const found: Draft = {};
  while (reader.at < end) {
    const tag = reader.small();
    const field = fields[tag >>> 3];
    reader.wire = tag & 7;
    if (field !== undefined) readField(reader, field, found);
    else if (tag >>> 3 === 0) throw new RangeError("protobuf field number 0");
    else reader.skip();
    if (reader.at > end) throw new RangeError("protobuf field beyond its message");
  }
  reader.depth--;
  return found;
}

/** Goes into a message inside another; whoever does, comes back by `reader.depth--`. */
export function goDeeper(reader: Reader): void {
  if (reader.depth > MAX_DEPTH) throw new RangeError("protobuf nested too deep");
  reader.depth++;
}

/** The last value of a field counts; those of a repeated one are a list. */
function readField(reader: Reader, field: Field, found: Draft): void {
  const { name, kind, repeated, brief } = field;
  if (brief !== undefined && reader.isBrief) found[name] = brief(reader, reader.bytesAhead(), found[name]);
  else if (isScalar(kind)) readScalars(reader, field, kind, found);
  else if (repeated === undefined) found[name] = readBytes(reader, kind);
  else append(found, name, readBytes(reader, kind));
}

function append(found: Draft, name: string, value: JsonValue): void {
  const before = found[name];
  if (Array.isArray(before)) before.push(value);
  else found[name] = [value];
}

type ScalarKind = Exclude<FieldKind, "string" | "bytes" | "hex">;

function isScalar(kind: Field["kind"]): kind is ScalarKind {
  return typeof kind === "string" && kind !== "string" && kind !== "bytes" && kind !== "hex";
}

function readScalars(reader: Reader, { name, repeated }: Field, kind: ScalarKind, found: Draft): void {
  const isPacked = reader.wire === LENGTH;
  if (!isPacked && reader.wire !== WIRES[kind]) throw new RangeError(`protobuf wire type ${reader.wire} for ${kind}`);
  const end = isPacked ? reader.lengthAhead() : reader.at + 1;
  while (reader.at < end) {
    const value = scalar(reader, kind);
    if (repeated === undefined) found[name] = value;
    else append(found, name, value);
  }
}

function readBytes(reader: Reader, kind: Exclude<Field["kind"], ScalarKind>): JsonValue {
  const end = reader.bytesAhead();
  if (typeof kind === "object") return messageAt(reader, kind, end);
  return kind === "string" ? reader.string(end) : reader.text(end, kind === "hex" ? "hex" : "base64");
}

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

function scalar(reader: Reader, kind: ScalarKind): JsonValue {
  if (kind === "fixed64") return reader.fixed64();
  if (kind === "double") return finite(reader.buffer.readDoubleLE(reader.take(8)));
  if (kind === "sfixed64") return reader.buffer.readBigInt64LE(reader.take(8)).toString();
  if (kind === "fixed32") return reader.buffer.readUInt32LE(reader.take(4));
  const value = reader.varint();
  if (kind === "bool") return value !== 0;
  if (kind === "int64") return typeof value === "number" ? String(value) : BigInt.asIntN(64, value).toString();
  if (kind === "sint") return Number((BigInt(value) >> 1n) ^ -(BigInt(value) & 1n));
  return typeof value === "number" ? value : value.toString();
}

/** JSON has no NaN and no infinities; the JSON mapping of protobuf writes them as text. */
function finite(value: number): JsonValue {
  return Number.isFinite(value) ? value : String(value);
}
