import { RE2JS } from "re2js";
import { isObject, type JsonValue } from "../../proxy/record/json.ts";
import type { Comparison, Logical, Operand, Query, Selector } from "../scenario/jsonpath.ts";
import { isEqual } from "./equality.ts";

/** The values an RFC 9535 query finds, in document order (section 2). Total: a step that does not fit finds nothing. */
export function evaluateQuery(query: Query, root: JsonValue): readonly JsonValue[] {
  return find(query, root, root);
}

function find(query: Query, root: JsonValue, current: JsonValue): readonly JsonValue[] {
  let nodes: readonly JsonValue[] = [query.root === "$" ? root : current];
  for (const { kind, selectors } of query.segments) {
    const parents = kind === "descendant" ? nodes.flatMap(withDescendants) : nodes;
    nodes = parents.flatMap((node) => selectors.flatMap((selector) => select(selector, node, root)));
  }
  return nodes;
}

/** The value and everything below it, parents first. Keeps its own stack: events may be nested very deep. */
function withDescendants(value: JsonValue): readonly JsonValue[] {
  const found: JsonValue[] = [];
  const open: JsonValue[] = [value];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node);
    const below = childrenOf(node);
    for (let index = below.length - 1; index >= 0; index--) open.push(below[index] ?? null);
  }
  return found;
}

function childrenOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function select(selector: Selector, value: JsonValue, root: JsonValue): readonly JsonValue[] {
  switch (selector.kind) {
    case "name":
      return isObject(value) && Object.hasOwn(value, selector.name) ? [value[selector.name] ?? null] : [];
    case "wildcard":
      return childrenOf(value);
    case "index": {
      const element = Array.isArray(value) ? (value.at(selector.index) as JsonValue | undefined) : undefined;
      return element === undefined ? [] : [element];
    }
    case "slice":
      return Array.isArray(value) ? slice(selector, value) : [];
    case "filter":
      return childrenOf(value).filter((child) => holds(selector.test, child, root));
  }
}

/** Section 2.3.4.2.2. */
function slice({ start, end, step }: Extract<Selector, { kind: "slice" }>, list: readonly JsonValue[]): JsonValue[] {
  const { length } = list;
  const from = (index: number) => (index >= 0 ? index : length + index);
  const clamp = (index: number, low: number, high: number) => Math.min(Math.max(index, low), high);
  const found: JsonValue[] = [];
  if (step > 0) {
    const upper = clamp(from(end ?? length), 0, length);
    for (let index = clamp(from(start ?? 0), 0, length); index < upper; index += step) found.push(list[index] ?? null);
  } else if (step < 0) {
    const lower = end === undefined ? -1 : clamp(from(end), -1, length - 1);
    const first = clamp(from(start ?? length - 1), -1, length - 1);
    for (let index = first; index > lower; index += step) found.push(list[index] ?? null);
  }
  return found;
}

function holds(test: Logical, current: JsonValue, root: JsonValue): boolean {
  switch (test.kind) {
    case "or":
      return test.parts.some((part) => holds(part, current, root));
    case "and":
      return test.parts.every((part) => holds(part, current, root));
    case "not":
      return !holds(test.part, current, root);
    case "exists":
      return find(test.query, root, current).length > 0;
    case "compare": {
      const left = valueOfOperand(test.left, current, root);
      return compare(test.operator, left, valueOfOperand(test.right, current, root));
    }
    case "match": {
      const text = valueOfOperand(test.text, current, root);
      const expression = valueOfOperand(test.expression, current, root);
      return typeof text === "string" && typeof expression === "string" && matches(expression, text, test.whole);
    }
  }
}

/** The operand's value; undefined is the RFC's Nothing. */
function valueOfOperand(operand: Operand, current: JsonValue, root: JsonValue): JsonValue | undefined {
  switch (operand.kind) {
    case "literal":
      return operand.value;
    case "query":
      return find(operand.query, root, current)[0];
    case "length":
      return lengthOf(valueOfOperand(operand.of, current, root));
    case "count":
      return find(operand.query, root, current).length;
    case "value": {
      const found = find(operand.query, root, current);
      return found.length === 1 ? found[0] : undefined;
    }
  }
}

function lengthOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === "string") return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}

/** Section 2.3.5.2.2: equality of any values, order of numbers and of texts only. */
function compare(operator: Comparison, left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  switch (operator) {
    case "==":
      return isSame(left, right);
    case "!=":
      return !isSame(left, right);
    case "<":
      return isBelow(left, right);
    case ">":
      return isBelow(right, left);
    case "<=":
      return isBelow(left, right) || isSame(left, right);
    case ">=":
      return isBelow(right, left) || isSame(left, right);
  }
}

function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return isEqual(left, right);
}

function isBelow(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (typeof left === "string" && typeof right === "string") return left < right;
  const areNumbers = [left, right].every((value) => typeof value === "number" || typeof value === "bigint");
  return areNumbers && (left as number | bigint) < (right as number | bigint);
}

const compiled = new Map<string, RE2JS | undefined>();
const MOST_KEPT = 500;

/** `match` and `search` with an I-Regexp (RFC 9485), which is RE2 syntax; an invalid one matches nothing. */
function matches(expression: string, text: string, whole: boolean): boolean {
  if (!compiled.has(expression)) {
    if (compiled.size >= MOST_KEPT) compiled.clear();
    compiled.set(expression, compile(expression));
  }
  const regex = compiled.get(expression);
  return regex !== undefined && (whole ? regex.testExact(text) : regex.test(text));
}

function compile(expression: string): RE2JS | undefined {
  try {
    return RE2JS.compile(expression);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
