import type { RE2JS } from "re2js";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import { loadRe2 } from "../../proxy/record/lazy-package.ts";
import type { Operator, OperatorOptions, Parsed } from "./operator.ts";

export interface CompiledExpression {
  readonly source: string;
  readonly expression: RE2JS;
}

/**
 * `re`: finds a regular expression anywhere in a text. RE2 syntax (https://github.com/google/re2/wiki/Syntax), which
 * is matched in time linear in the text, so that no scenario file can hang the grader.
 */
export const re: Operator<CompiledExpression> = {
  name: "re",
  summary: "The regular expression (RE2 syntax) is found somewhere in the text.",
  parse(argument: JsonValue, { ignoreCase }: OperatorOptions): Parsed<CompiledExpression> {
    if (typeof argument !== "string") return { ok: false, why: "a regular expression as text (single quotes)" };
    try {
      return { ok: true, value: { source: argument, expression: compile(argument, ignoreCase) } };
    } catch (cause) {
      return { ok: false, why: `a regular expression in RE2 syntax, but ${complaint(argument, cause)}` };
    }
  },
  test: ({ expression }: CompiledExpression, value: JsonValue): boolean =>
    typeof value === "string" && expression.test(value),
  explain: ({ source }: CompiledExpression): string => `match the regular expression ${stringifyJson(source)}`,
};

function compile(source: string, ignoreCase: boolean): RE2JS {
  if (source.length > MAX_LENGTH) throw new Error(`it is longer than ${MAX_LENGTH} characters`);
  const re2 = loadRe2();
  return re2.compile(source, ignoreCase ? re2.CASE_INSENSITIVE : 0);
}

const MAX_LENGTH = 10_000;

function complaint(source: string, cause: unknown): string {
  if (/\(\?<?[=!]/.test(source)) return "look-ahead and look-behind are not part of it";
  if (/\\[1-9]|\\k[<{]|\(\?P=/.test(source)) return "back-references are not part of it";
  if (/\(\?>|[*+?}]\+/.test(source)) return "atomic groups and possessive repetition are not part of it";
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replace(/^error parsing regexp: /, "");
}
