import { foldCase, isEqual } from "../../proxy/record/equality.ts";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { Operator, OperatorOptions, Parsed } from "./operator.ts";

/** `contains`: a part of a text, or an element of a list (the whole element, equal and of the same type). */
export const contains: Operator<JsonValue> = {
  name: "contains",
  summary: "A part of a text, or an element of a list.",
  parse: (argument: JsonValue): Parsed<JsonValue> => ({ ok: true, value: argument }),
  test(argument: JsonValue, value: JsonValue, { ignoreCase }: OperatorOptions): boolean {
    if (Array.isArray(value)) return value.some((element: JsonValue) => isEqual(argument, element, ignoreCase));
    if (typeof value !== "string" || typeof argument !== "string") return false;
    return ignoreCase ? foldCase(value).includes(foldCase(argument)) : value.includes(argument);
  },
  explain: (argument: JsonValue): string => `contain ${stringifyJson(argument)}`,
};
