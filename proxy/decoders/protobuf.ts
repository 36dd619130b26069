import type { JsonObject, JsonValue } from "../record/json.ts";

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

/** A message's known fields by number; all others are skipped. A function where messages hold themselves. */
export type Message = () => Readonly<Record<number, Field>>;

const VARINT = 0;
const I64 = 1;
const LENGTH = 2;
const I32 = 5;

/** Nesting beyond this is no telemetry; the limit is protobuf's own. */
const MAX_DEPTH = 100;

/**
 * Reads one protobuf message (protobuf.dev, "Encoding") into JSON under its fields' names. Packed and unpacked lists are both
 * read; unknown fields are skipped. Throws `RangeError` on bytes that are no such message.
 */
export function readMessage(bytes: Uint8Array, message: Message, depth = 0): JsonObject {
  if (depth > MAX_DEPTH) throw new RangeError("protobuf nested too deep");
  const reader = new Reader(bytes);
  const fields = fieldsOf(message);
  const found = new Map<string, JsonValue>();
  while (!reader.isAtEnd) {
    const tag = reader.small();
    const wire = tag & 7;
    const field = fields[tag >>> 3];
    if (tag >>> 3 === 0) throw new RangeError("protobuf field number 0");
    if (field === undefined) reader.skip(wire);
    else add(found, field, valuesOf(reader, field, wire, depth));
  }
  return Object.fromEntries(found);
}

const known = new WeakMap<Message, ReturnType<Message>>();

function fieldsOf(message: Message): ReturnType<Message> {
  const fields = known.get(message) ?? message();
  known.set(message, fields);
  return fields;
}

function add(found: Map<string, JsonValue>, { name, repeated }: Field, values: readonly JsonValue[]): void {
  if (repeated === undefined) {
    const last = values.at(-1);
    if (last !== undefined) found.set(name, last);
    return;
  }
  const before = found.get(name);
  if (Array.isArray(before)) before.push(...values);
  else found.set(name, [...values]);
}

function valuesOf(reader: Reader, { kind }: Field, wire: number, depth: number): JsonValue[] {
  if (typeof kind === "function") return [readMessage(reader.bytes(requireLength(wire)), kind, depth + 1)];
  if (kind === "string" || kind === "bytes" || kind === "hex") {
    const bytes = Buffer.from(reader.bytes(requireLength(wire)));
    return [bytes.toString(kind === "string" ? "utf8" : kind === "hex" ? "hex" : "base64")];
  }
  if (wire !== LENGTH) return [scalar(reader, kind, wire)];
  const packed = new Reader(reader.bytes(LENGTH));
  const values: JsonValue[] = [];
  while (!packed.isAtEnd) values.push(scalar(packed, kind, WIRES[kind]));
  return values;
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
  if (kind === "double") return finite(reader.view(8).getFloat64(0, true));
  if (kind === "fixed64") return reader.view(8).getBigUint64(0, true).toString();
  if (kind === "sfixed64") return reader.view(8).getBigInt64(0, true).toString();
  if (kind === "fixed32") return reader.view(4).getUint32(0, true);
  const value = reader.varint();
  if (kind === "bool") return value !== 0n;
  if (kind === "int64") return BigInt.asIntN(64, value).toString();
  if (kind === "sint") return Number((value >> 1n) ^ -(value & 1n));
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
}

/** JSON has no NaN and no infinities; the JSON mapping of protobuf writes them as text. */
function finite(value: number): JsonValue {
  return Number.isFinite(value) ? value : String(value);
}

function requireLength(wire: number): typeof LENGTH {
  if (wire !== LENGTH) throw new RangeError(`protobuf wire type ${wire} where bytes belong`);
  return LENGTH;
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** A varint that fits 32 bits: tags and lengths. */
  small(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("protobuf tag or length of more than five bytes");
  }

  varint(): bigint {
    let [low, shift] = [0, 0];
    for (; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (; shift < 70; shift += 7) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError("protobuf varint of more than ten bytes");
  }

  bytes(_wire: typeof LENGTH): Uint8Array {
    return this.#take(this.small());
  }

  view(length: number): DataView {
    const bytes = this.#take(length);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  skip(wire: number): void {
    if (wire === VARINT) this.varint();
    else if (wire === I64) this.#take(8);
    else if (wire === LENGTH) this.bytes(LENGTH);
    else if (wire === I32) this.#take(4);
    else throw new RangeError(`protobuf wire type ${wire}`);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError("protobuf ends inside a field");
    return byte;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError("protobuf ends inside a field");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
