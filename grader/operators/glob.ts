import { foldCase } from "../../proxy/record/equality.ts";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { Operator, OperatorOptions } from "./operator.ts";
import { parseText } from "./parse-text.ts";

/** `glob`: the whole text, where `*` stands for any run of characters and `?` for one. Nothing escapes them. */
export const glob: Operator<string> = {
  name: "glob",
  summary: "The whole text fits a pattern of `*` (any text) and `?` (one character).",
  parse: parseText,
  test(argument: string, value: JsonValue, { ignoreCase }: OperatorOptions): boolean {
    if (typeof value !== "string") return false;
    return ignoreCase ? matchesGlob(foldCase(argument), foldCase(value)) : matchesGlob(argument, value);
  },
  explain: (argument: string): string => `match ${stringifyJson(argument)} (* any text, ? one character)`,
};

/** Goes back to the latest `*` only: at most pattern times text steps, never exponential (Kirk J. Krauss, 2008). */
function matchesGlob(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (pattern[p] === "*") {
      star = p++;
      resume = t;
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === text[t])) {
      t += pattern[p] === "?" ? characterLength(text, t) : 1;
      p += 1;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === "*") p += 1;
  return p === pattern.length;
}

function characterLength(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
