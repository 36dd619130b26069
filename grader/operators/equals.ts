import { isEqual } from "../../proxy/record/equality.ts";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { Operator, OperatorOptions, Parsed } from "./operator.ts";

/** `equals`: the whole value, nothing more and nothing less; lists in order, keys in any order. */
export const equals: Operator<JsonValue> = {
  name: "equals",
  summary: "Exactly equal, maps and lists as a whole.",
  parse: (argument: JsonValue): Parsed<JsonValue> => ({ ok: true, value: argument }),
  test: (argument: JsonValue, value: JsonValue, options: OperatorOptions): boolean =>
    isEqual(argument, value, options.ignoreCase),
  explain: (argument: JsonValue): string => `equal ${stringifyJson(argument)} exactly`,
};
