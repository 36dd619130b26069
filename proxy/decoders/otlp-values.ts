import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import { listAt, setOwn } from "./member.ts";

/**
 * An OTLP `AnyValue` as plain JSON. 64-bit integers, which come as text or as bare numbers, keep all their digits; an empty
 * AnyValue is null; bytes stay base64 text, NaN and the infinities stay text.
 */
export function plainValue(any: JsonValue | undefined): JsonValue {
  if (!isObject(any)) return any ?? null;
  const [key] = Object.keys(any);
  if (key === undefined) return null;
  const value = any[key] ?? null;
  if (key === "intValue") return wholeNumber(value);
  if (key === "doubleValue") return double(value);
  if (key === "arrayValue") return listAt(value, "values").map(plainValue);
  if (key === "kvlistValue") return plainAttributes(listAt(value, "values")).values;
  const isScalar = key === "stringValue" || key === "boolValue" || key === "bytesValue";
  return isScalar ? value : any;
}

/** Attributes as an object, and whether a key stood among them more than once. */
export interface PlainAttributes {
  readonly values: JsonObject;
  readonly repeated: boolean;
}

/** How the attributes and values of a request are written. */
export interface Form {
  attributes(list: JsonValue | undefined): PlainAttributes;
  value(any: JsonValue | undefined): JsonValue;
}

/** As OTLP/JSON has them: lists of keys and values, each value named by its type. */
export const WRITTEN_OUT: Form = {
  attributes: (list) => (Array.isArray(list) ? plainAttributes(list as readonly JsonValue[]) : NONE),
  value: plainValue,
};

/** As the brief reading of protobuf gives them: plain already. */
export const BRIEF: Form = {
  attributes: (values) => (isObject(values) ? { values, repeated: false } : NONE),
  value: (value) => value ?? null,
};

const NONE: PlainAttributes = { values: {}, repeated: false };

/** Attributes as an object. Keys must be unique; where they are not, the last one counts and `repeated` is true. */
export function plainAttributes(list: readonly JsonValue[]): PlainAttributes {
  const values: Record<string, JsonValue> = {};
  let repeated = false;
  for (const item of list) {
    if (!isObject(item)) continue;
    const { key } = item;
    if (typeof key !== "string") continue;
    repeated ||= Object.hasOwn(values, key);
    setOwn(values, key, plainValue(item["value"]));
  }
  return { values, repeated };
}

/** A 64-bit integer, written as text or number, as a number or, beyond 2^53, as a bigint; anything else as it stands. */
export function wholeNumber(value: JsonValue): JsonValue {
  if (typeof value !== "string" || !/^-?\d{1,20}$/.test(value)) return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

function double(value: JsonValue): JsonValue {
  if (typeof value !== "string" || value.trim() === "") return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}
