import { isEqual } from "../../proxy/record/equality.ts";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { Operator, OperatorOptions, Parsed } from "./operator.ts";

/** The plain value of a field test, without a comparison behind the pipe: equal and of the same type. */
export const is: Operator<JsonValue> = {
  name: "is",
  summary: "Equal, and of the same type.",
  parse: (argument: JsonValue): Parsed<JsonValue> => ({ ok: true, value: argument }),
  test: (argument: JsonValue, value: JsonValue, options: OperatorOptions): boolean =>
    isEqual(argument, value, options.ignoreCase),
  explain: (argument: JsonValue): string => `be ${stringifyJson(argument)}`,
};
