import { foldCase } from "../../proxy/record/equality.ts";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { Operator, OperatorOptions } from "./operator.ts";
import { parseText } from "./parse-text.ts";

/** `endswith`: the end of a text. */
export const endswith: Operator<string> = {
  name: "endswith",
  summary: "The text ends so.",
  parse: parseText,
  test(argument: string, value: JsonValue, { ignoreCase }: OperatorOptions): boolean {
    if (typeof value !== "string") return false;
    return ignoreCase ? foldCase(value).endsWith(foldCase(argument)) : value.endsWith(argument);
  },
  explain: (argument: string): string => `end with ${stringifyJson(argument)}`,
};
