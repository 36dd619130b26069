import { foldCase } from "../../proxy/record/equality.ts";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { Operator, OperatorOptions, Parsed } from "./operator.ts";

type Comparable = number | bigint | string;

/** `gt`: a number above, or a text behind (by code units) the argument. Number and text never compare. */
export const gt = comparison("gt", "above", (order) => order > 0);
/** `gte`: like `gt`, or equal. */
export const gte = comparison("gte", "at least", (order) => order >= 0);
/** `lt`: a number below, or a text before (by code units) the argument. */
export const lt = comparison("lt", "below", (order) => order < 0);
/** `lte`: like `lt`, or equal. */
export const lte = comparison("lte", "at most", (order) => order <= 0);

function comparison(name: string, words: string, holds: (order: number) => boolean): Operator<Comparable> {
  return {
    name,
    summary: `A number, or a text by code units, ${words} this one; never across types.`,
    parse(argument: JsonValue): Parsed<Comparable> {
      return isComparable(argument) ? { ok: true, value: argument } : { ok: false, why: "a number or a text" };
    },
    test(argument: Comparable, value: JsonValue, { ignoreCase }: OperatorOptions): boolean {
      if (typeof argument !== "string") return isNumber(value) && holds(order(value, argument));
      if (typeof value !== "string") return false;
      return holds(ignoreCase ? order(foldCase(value), foldCase(argument)) : order(value, argument));
    },
    explain: (argument: Comparable): string => `be ${words} ${stringifyJson(argument)}`,
  };
}

/** JavaScript orders a bigint and a double by mathematical value, without rounding. */
function order(a: Comparable, b: Comparable): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isComparable(value: JsonValue): value is Comparable {
  return typeof value === "string" || isNumber(value);
}
