import { foldCase } from "../../proxy/record/equality.ts";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { Operator, OperatorOptions } from "./operator.ts";
import { parseText } from "./parse-text.ts";

/** `startswith`: the beginning of a text. */
export const startswith: Operator<string> = {
  name: "startswith",
  summary: "The text begins so.",
  parse: parseText,
  test(argument: string, value: JsonValue, { ignoreCase }: OperatorOptions): boolean {
    if (typeof value !== "string") return false;
    return ignoreCase ? foldCase(value).startsWith(foldCase(argument)) : value.startsWith(argument);
  },
  explain: (argument: string): string => `start with ${stringifyJson(argument)}`,
};
