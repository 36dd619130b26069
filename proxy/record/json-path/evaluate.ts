import type { RE2JS } from "re2js";
import { isEqual } from "../equality.ts";
import { isObject, type JsonValue } from "../json.ts";
import { loadRe2 } from "../lazy-package.ts";
import type { Comparison, Logical, Operand, Query, Selector } from "./query.ts";

/**
 * The values an RFC 9535 query finds, in document order (section 2). Total: a step that does not fit finds nothing. An
 * object or list that the RFC lists several times (`$..a..a` does) is found once, so that the work for a step is bounded
 * by the nodes of the event; `count()` and `value()` still see how often.
 */
export function evaluateQuery(query: Query, root: JsonValue): readonly JsonValue[] {
  return find(query, root, { root, answers: new Map(), inFilter: false }).map(({ value }) => value);
}

/** A value, and how many times it stands in the RFC's list. */
interface Found {
  readonly value: JsonValue;
  times: number;
}

/** One evaluation: what filters inside filters have answered is kept, since they are asked again by each one around. */
interface Evaluation {
  readonly root: JsonValue;
  readonly answers: Map<Logical | Query, Map<JsonValue, boolean> | readonly Found[]>;
  readonly inFilter: boolean;
}

function find(query: Query, current: JsonValue, evaluation: Evaluation): readonly Found[] {
  if (query.root === "@" || !evaluation.inFilter) return follow(query, current, evaluation);
  const known = evaluation.answers.get(query);
  if (known !== undefined && !(known instanceof Map)) return known;
  const found = follow(query, evaluation.root, evaluation);
  evaluation.answers.set(query, found);
  return found;
}

function follow({ segments }: Query, start: JsonValue, evaluation: Evaluation): readonly Found[] {
  let nodes: readonly Found[] = [{ value: start, times: 1 }];
  for (const { kind, selectors } of segments) {
    const next = new FoundList();
    for (const { value, times } of kind === "descendant" ? withDescendants(nodes) : nodes) {
      for (const selector of selectors) {
        for (const found of select(selector, value, evaluation)) next.add(found, times);
      }
    }
    nodes = next.all;
  }
  return nodes;
}

/** Objects and lists are told apart by where they stand; other values have nothing below them that could multiply. */
class FoundList {
  readonly all: Found[] = [];
  readonly #known = new Map<object, Found>();

  add(value: JsonValue, times: number): void {
    const isInner = typeof value === "object" && value !== null;
    const known = isInner ? this.#known.get(value) : undefined;
    if (known !== undefined) {
      known.times += times;
      return;
    }
    const found = { value, times };
    this.all.push(found);
    if (isInner) this.#known.set(value, found);
  }
}

/**
 * The values and everything below them, parents first, each once, as often as all above it together. Lists of nodes
 * always have a node before those below it. Keeps its own stack: events may be nested very deep.
 */
function withDescendants(nodes: readonly Found[]): readonly Found[] {
  const own = new Map(nodes.map(({ value, times }) => [value, times]));
  const seen = new Set<JsonValue>();
  const found: Found[] = [];
  for (const { value } of nodes) {
    if (typeof value !== "object" || value === null) continue; // no selector finds anything in it
    const open: Found[] = [{ value, times: 0 }];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (seen.has(node.value)) continue;
      seen.add(node.value);
      const times = node.times + (own.get(node.value) ?? 0);
      found.push({ value: node.value, times });
      const below = childrenOf(node.value);
      for (let index = below.length - 1; index >= 0; index--) {
        const child = below[index] ?? null;
        if (typeof child === "object" && child !== null) open.push({ value: child, times });
      }
    }
  }
  return found;
}

function childrenOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function select(selector: Selector, value: JsonValue, evaluation: Evaluation): readonly JsonValue[] {
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
      return childrenOf(value).filter((child) => passes(selector.test, child, evaluation));
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

function passes(test: Logical, child: JsonValue, evaluation: Evaluation): boolean {
  if (!evaluation.inFilter) return holds(test, child, { ...evaluation, inFilter: true });
  if (typeof child !== "object" || child === null) return holds(test, child, evaluation);
  const known = evaluation.answers.get(test);
  const answers = known instanceof Map ? known : new Map<JsonValue, boolean>();
  if (known === undefined) evaluation.answers.set(test, answers);
  const answer = answers.get(child) ?? holds(test, child, evaluation);
  answers.set(child, answer);
  return answer;
}

function holds(test: Logical, current: JsonValue, evaluation: Evaluation): boolean {
  switch (test.kind) {
    case "or":
      return test.parts.some((part) => holds(part, current, evaluation));
    case "and":
      return test.parts.every((part) => holds(part, current, evaluation));
    case "not":
      return !holds(test.part, current, evaluation);
    case "exists":
      return find(test.query, current, evaluation).length > 0;
    case "compare": {
      const left = valueOfOperand(test.left, current, evaluation);
      return compare(test.operator, left, valueOfOperand(test.right, current, evaluation));
    }
    case "match": {
      const text = valueOfOperand(test.text, current, evaluation);
      const expression = valueOfOperand(test.expression, current, evaluation);
      return typeof text === "string" && typeof expression === "string" && matches(expression, text, test.whole);
    }
  }
}

/** The operand's value; undefined is the RFC's Nothing. */
function valueOfOperand(operand: Operand, current: JsonValue, evaluation: Evaluation): JsonValue | undefined {
  switch (operand.kind) {
    case "literal":
      return operand.value;
    case "query":
      return find(operand.query, current, evaluation)[0]?.value;
    case "length":
      return lengthOf(valueOfOperand(operand.of, current, evaluation));
    case "count":
      return timesOf(find(operand.query, current, evaluation));
    case "value": {
      const found = find(operand.query, current, evaluation);
      return timesOf(found) === 1 ? found[0]?.value : undefined;
    }
  }
}

function timesOf(found: readonly Found[]): number {
  return found.reduce((sum, { times }) => sum + times, 0);
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
    return loadRe2().compile(expression);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
