import type { JsonValue } from "../record/json.ts";
import { setOwn } from "./member.ts";
import { plainValue } from "./otlp-values.ts";
import { type Field, goDeeper, type Message, message, messageAt } from "./protobuf.ts";
import type { Reader } from "./protobuf-reader.ts";

// AnyValue and KeyValue of opentelemetry-proto (v1). Most of a request's bytes are attributes, so that both can be read
// briefly: as the plain values that plainAttributes and plainValue make of the long form.

const arrayValue: Message = message(() => ({ 1: { name: "values", kind: anyValue, repeated: true } }));
const keyValueList: Message = message(() => ({ 1: { name: "values", kind: keyValue, repeated: true } }));
const anyValue: Message = message(() => ({
  1: { name: "stringValue", kind: "string" },
  2: { name: "boolValue", kind: "bool" },
  3: { name: "intValue", kind: "int64" },
  4: { name: "doubleValue", kind: "double" },
  5: { name: "arrayValue", kind: arrayValue },
  6: { name: "kvlistValue", kind: keyValueList },
  7: { name: "bytesValue", kind: "bytes" },
}));
const keyValue: Message = message(() => ({
  1: { name: "key", kind: "string" },
  2: { name: "value", kind: anyValue },
}));

/** A key stands twice in a list of attributes, which its brief form cannot show. */
export class RepeatedKey extends Error {
  override readonly name = "RepeatedKey";
}

/** A list of attributes; briefly one object, made of keys that differ, else `RepeatedKey` is thrown. */
export function attributesField(name = "attributes"): Field {
  return { name, kind: keyValue, repeated: true, brief: briefAttributes };
}

/** One AnyValue; briefly the value it holds. */
export function anyValueField(name: string): Field {
  return { name, kind: anyValue, brief: briefValue };
}

type Draft = Record<string, JsonValue>;

/** Any KeyValue and AnyValue of another form than the usual is read at length, as a whole, from its beginning. */
function briefAttributes(reader: Reader, end: number, before: JsonValue | undefined): JsonValue {
  const values = (before ?? {}) as Draft;
  const { at, depth } = reader;
  const count = addAttribute(reader, end, values);
  if (count === undefined) {
    reader.at = at;
    reader.depth = depth;
    const { key, value } = messageAt(reader, keyValue, end);
    if (typeof key === "string" && add(values, key, plainValue(value)) === 0) throw new RepeatedKey();
  } else if (count === 0) throw new RepeatedKey();
  return values;
}

function briefValue(reader: Reader, end: number): JsonValue {
  const { at, depth } = reader;
  const value = heldValue(reader, end);
  if (value !== undefined) return value;
  reader.at = at;
  reader.depth = depth;
  return plainValue(messageAt(reader, anyValue, end));
}

// Tags as they stand on the wire.
const KEY = 0x0a;
const VALUE = 0x12;
const STRING = 0x0a;
const BOOL = 0x10;
const INT = 0x18;
const DOUBLE = 0x21;
const ARRAY = 0x2a;
const LIST = 0x32;
const ITEM = 0x0a;

/** Adds a KeyValue whose value comes second and last, and says how many keys that made; undefined for any other. */
function addAttribute(reader: Reader, end: number, values: Draft): number | undefined {
  goDeeper(reader);
  if (!reader.passes(KEY, end)) return undefined;
  const key = reader.string(reader.lengthAhead());
  if (!reader.passes(VALUE, end) || reader.lengthAhead() !== end) return undefined;
  const value = heldValue(reader, end);
  reader.depth--;
  return value === undefined ? undefined : add(values, key, value);
}

function add(values: Draft, key: string, value: JsonValue): number {
  const count = Object.hasOwn(values, key) ? 0 : 1;
  setOwn(values, key, value);
  return count;
}

/** What an AnyValue of one field holds, null when it has none; undefined for any other. */
function heldValue(reader: Reader, end: number): JsonValue | undefined {
  goDeeper(reader);
  const value = reader.at === end ? null : fieldValue(reader, end);
  reader.depth--;
  return reader.at === end ? value : undefined;
}

function fieldValue(reader: Reader, end: number): JsonValue | undefined {
  const tag = reader.buffer[reader.at++];
  if (tag === INT) return signed(reader.varint());
  if (tag === BOOL) return reader.varint() !== 0;
  if (tag === DOUBLE) return finite(reader, end);
  if (tag !== STRING && tag !== ARRAY && tag !== LIST) return undefined;
  if (reader.lengthAhead() !== end) return undefined;
  if (tag === STRING) return reader.string(end);
  return tag === ARRAY ? heldList(reader, end) : heldObject(reader, end);
}

/** A negative number stands there as one of 64 bits without a sign. */
function signed(value: number | bigint): number | bigint {
  if (typeof value === "number") return value;
  const whole = BigInt.asIntN(64, value);
  const number = Number(whole);
  return Number.isSafeInteger(number) ? number : whole;
}

function finite(reader: Reader, end: number): number | undefined {
  if (end - reader.at !== 8) return undefined;
  const value = reader.buffer.readDoubleLE(reader.take(8));
  return Number.isFinite(value) ? value : undefined;
}

function heldList(reader: Reader, end: number): JsonValue | undefined {
  const list: JsonValue[] = [];
  goDeeper(reader);
  while (reader.passes(ITEM, end)) {
    const item = heldValue(reader, reader.lengthAhead());
    if (item === undefined) return undefined;
    list.push(item);
  }
  reader.depth--;
  return list;
}

/** Of keys that stand more than once the last value counts here. */
function heldObject(reader: Reader, end: number): JsonValue | undefined {
  const values: Draft = {};
  goDeeper(reader);
  while (reader.passes(ITEM, end)) {
    if (addAttribute(reader, reader.lengthAhead(), values) === undefined) return undefined;
  }
  reader.depth--;
  return values;
}
