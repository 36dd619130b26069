import { isObject, type JsonValue } from "./json.ts";

/**
 * Equal and of the same type, all the way down: 1 equals 1.0, text is case-sensitive (unless told otherwise), keys of
 * objects may stand in any order. A `bigint` and a double are equal when they are the same number exactly.
 */
export function isEqual(a: JsonValue, b: JsonValue, ignoreCase = false): boolean {
  if (a === b) return true;
  if (typeof a === "string") return ignoreCase && typeof b === "string" && foldCase(a) === foldCase(b);
  if (typeof a === "number" || typeof a === "bigint") return isSameNumber(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && isEqualList(a, b, ignoreCase);
  return isObject(a) && isObject(b) && isEqualMap(a, b, ignoreCase);
}

/** Text without its case, for `|i`. */
export function foldCase(text: string): string {
  return text.toLowerCase();
}

/**
 * A text that two values share exactly when `isEqual` holds for them: for hashing values by content. Numbers keep all
 * their digits, and values of different types never share a key.
 */
export function valueKey(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return `"${value}`;
    case "number":
      return `n${Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value + 0}`;
    case "bigint":
      return `n${value}`;
    case "boolean":
      return value ? "t" : "f";
    default:
      return structureKey(value);
  }
}

function structureKey(value: JsonValue): string {
  if (value === null) return "z";
  if (Array.isArray(value)) return `[${value.map((item) => lengthPrefixed(valueKey(item))).join("")}`;
  if (!isObject(value)) return "z";
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => lengthPrefixed(key) + lengthPrefixed(valueKey(value[key] ?? null))).join("")}`;
}

function lengthPrefixed(text: string): string {
  return `${text.length}:${text}`;
}

function isSameNumber(a: number | bigint, b: JsonValue): boolean {
  if (typeof b !== "number" && typeof b !== "bigint") return false;
  // JavaScript compares a bigint with a double by mathematical value (ECMA-262 IsLooselyEqual), without rounding.
  // biome-ignore lint/suspicious/noDoubleEquals: the only exact comparison of the two number types
  return a == b;
}

function isEqualList(a: readonly JsonValue[], b: readonly JsonValue[], ignoreCase: boolean): boolean {
  return a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null, ignoreCase));
}

function isEqualMap(
  a: { readonly [key: string]: JsonValue },
  b: { readonly [key: string]: JsonValue },
  ignoreCase: boolean,
): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null, ignoreCase));
}
