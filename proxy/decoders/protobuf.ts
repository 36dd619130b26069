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
export function readMessage(bytes: Uint8Array, message: Message): JsonObject {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return messageAt(new Reader(buffer), { message, end: buffer.length, depth: 0 });
}

interface Stretch {
  readonly message: Message;
  /** Where the message ends. */
  readonly end: number;
  readonly depth: number;
}

type Draft = Record<string, JsonValue | JsonValue[]>;

function messageAt(reader: Reader, { message, end, depth }: Stretch): JsonObject {
  if (depth > MAX_DEPTH) throw new RangeError("protobuf nested too deep");
  const fields = fieldsOf(message);
  const found: Draft = {};
  while (reader.at < end) {
    const tag = reader.small();
    const wire = tag & 7;
    const field = fields[tag >>> 3];
    if (tag >>> 3 === 0) throw new RangeError("protobuf field number 0");
    if (field === undefined) reader.skip(wire);
    else readField(reader, { field, wire, depth }, found);
    if (reader.at > end) throw new RangeError("protobuf field beyond its message");
  }
  return found;
}

const known = new WeakMap<Message, ReturnType<Message>>();

function fieldsOf(message: Message): ReturnType<Message> {
  const fields = known.get(message) ?? message();
  known.set(message, fields);
  return fields;
}

interface Place {
  readonly field: Field;
  readonly wire: number;
  readonly depth: number;
}

function readField(reader: Reader, { field, wire, depth }: Place, found: Draft): void {
  const { kind, name, repeated } = field;
  const isScalar = typeof kind === "string" && kind !== "string" && kind !== "bytes" && kind !== "hex";
  if (isScalar && wire === LENGTH) {
    const end = reader.lengthAhead();
    while (reader.at < end) put(found, name, repeated, scalar(reader, kind, WIRES[kind]));
    return;
  }
  if (isScalar) {
    put(found, name, repeated, scalar(reader, kind, wire));
    return;
  }
  if (wire !== LENGTH) throw new RangeError(`protobuf wire type ${wire} where bytes belong`);
  const end = reader.lengthAhead();
  const value =
    typeof kind === "function"
      ? messageAt(reader, { message: kind, end, depth: depth + 1 })
      : kind === "string"
        ? reader.string(end)
        : reader.text(end, kind === "hex" ? "hex" : "base64");
  put(found, name, repeated, value);
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

/** Strings that are kept, by their hash, and how long they may be. */
const KEPT_STRINGS = 2048;
const MAX_KEPT_LENGTH = 40;
const KEPT: (string | undefined)[] = new Array<string | undefined>(KEPT_STRINGS).fill(undefined);

function isAt(text: string, buffer: Buffer, at: number): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== buffer[at + index]) return false;
  return true;
}

class Reader {
  readonly buffer: Buffer;
  at = 0;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  /** A varint that fits 35 bits: tags and lengths. */
  small(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("protobuf tag or length of more than five bytes");
  }

  /** Any varint; a bigint from 2^28 on. */
  varint(): number | bigint {
    let low = 0;
    let shift = 0;
    for (; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return low;
    }
    let value = BigInt(low);
    for (; shift < 70; shift += 7) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError("protobuf varint of more than ten bytes");
  }

  /** Reads a length and says where what it measures ends. */
  lengthAhead(): number {
    const length = this.small();
    if (this.at + length > this.buffer.length) throw new RangeError("protobuf ends inside a field");
    return this.at + length;
  }

  /** UTF-8. The same few keys and values come over and over; short ones are kept, which costs less than to make them anew. */
  string(end: number): string {
    const { buffer, at } = this;
    const length = end - at;
    if (length === 0 || length > MAX_KEPT_LENGTH) return this.text(end, "utf8");
    let hash = length;
    for (let index = at; index < end; index++) {
      const byte = buffer[index] ?? 0;
      if (byte >= 0x80) return this.text(end, "utf8");
      hash = (hash * 31 + byte) | 0;
    }
    const slot = (hash ^ (hash >>> 15)) & (KEPT_STRINGS - 1);
    const known = KEPT[slot];
    if (known !== undefined && known.length === length && isAt(known, buffer, at)) {
      this.at = end;
      return known;
    }
    const made = this.text(end, "latin1");
    KEPT[slot] = made;
    return made;
  }

  /** An unsigned 64-bit integer as decimal text, exact: in two parts of at most ten digits, without a bigint. */
  fixed64(): string {
    const at = this.take(8);
    const [low, high] = [this.buffer.readUInt32LE(at), this.buffer.readUInt32LE(at + 4)];
    // 2^32 and 2^48 modulo 10^9 are 294967296 and 976710656; each product stays below 2^53
    const rest = ((high >>> 16) * 976_710_656 + (high & 0xffff) * 294_967_296 + low) % 1e9;
    const billions = Math.round((high * 4_294_967_296 + low - rest) / 1e9);
    return billions === 0 ? String(rest) : `${billions}${String(rest).padStart(9, "0")}`;
  }

  text(end: number, encoding: "utf8" | "latin1" | "hex" | "base64"): string {
    const text = this.buffer.toString(encoding, this.at, end);
    this.at = end;
    return text;
  }

  /** Passes over bytes and says where they began. */
  take(length: number): number {
    const begin = this.at;
    this.at += length;
    if (this.at > this.buffer.length) throw new RangeError("protobuf ends inside a field");
    return begin;
  }

  skip(wire: number): void {
    if (wire === VARINT) this.varint();
    else if (wire === I64) this.take(8);
    else if (wire === LENGTH) this.at = this.lengthAhead();
    else if (wire === I32) this.take(4);
    else throw new RangeError(`protobuf wire type ${wire}`);
  }

  #byte(): number {
    const byte = this.buffer[this.at++];
    if (byte === undefined) throw new RangeError("protobuf ends inside a field");
    return byte;
  }
}
