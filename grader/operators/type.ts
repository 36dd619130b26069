import type { JsonValue } from "../../proxy/record/json.ts";
import type { Operator, Parsed } from "./operator.ts";

const TYPES: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === "string",
  text: (value) => typeof value === "string",
  number: isNumber,
  integer: (value) => typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value)),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  list: (value) => Array.isArray(value),
  array: (value) => Array.isArray(value),
  map: isMap,
  object: isMap,
};

/** `type`: the JSON type of a value; `list` and `array`, `map` and `object`, `string` and `text` say the same. */
export const type: Operator<string> = {
  name: "type",
  summary: "The value is a string, number, boolean, null, list or map.",
  parse(argument: JsonValue): Parsed<string> {
    const name = argument === null ? "null" : argument; // unquoted null in YAML
    return typeof name === "string" && Object.hasOwn(TYPES, name)
      ? { ok: true, value: name }
      : { ok: false, why: `one of ${Object.keys(TYPES).join(", ")}` };
  },
  test: (argument: string, value: JsonValue): boolean => TYPES[argument]?.(value) ?? false,
  explain: (argument: string): string => `be of type ${argument}`,
};

function isNumber(value: JsonValue): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

function isMap(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
