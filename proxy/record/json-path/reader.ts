import type { Comparison, Logical, Operand, ParsedQuery, Query, Segment, Selector } from "./query.ts";
import { isSingular } from "./query.ts";
import { JsonPathText, Unreadable } from "./text.ts";

const COMPARISONS: readonly Comparison[] = ["==", "!=", "<=", ">=", "<", ">"];
const FUNCTIONS = ["length", "count", "match", "search", "value"];
const MAX_LENGTH = 2000;
const MAX_DEPTH = 30;

export interface ReaderOptions {
  /** A name behind a dot may hold dashes (`$.user-id`), which the RFC wants in brackets. */
  readonly dashes?: boolean;
}

/** Reads an RFC 9535 query with its five functions. Script expressions and all else JavaScript are errors. */
export function parseJsonPath(text: string, options: ReaderOptions = {}): ParsedQuery {
  return new JsonPathReader(text, options).read();
}

/** What is wrong with a JSONPath text, and at which character; undefined when it is a valid query. */
export function checkJsonPath(text: string): { readonly why: string; readonly at: number } | undefined {
  const parsed = parseJsonPath(text);
  return parsed.ok ? undefined : parsed;
}

/** Recursive descent over the grammar of RFC 9535, appendix A. */
class JsonPathReader {
  readonly #text: JsonPathText;
  #depth = 0;

  constructor(text: string, { dashes = false }: ReaderOptions) {
    this.#text = new JsonPathText(text, dashes);
  }

  read(): ParsedQuery {
    try {
      if (this.#text.text.length > MAX_LENGTH) this.#text.fail(`it is longer than ${MAX_LENGTH} characters`);
      this.#text.needs("$");
      const segments = this.#segments();
      if (!this.#text.isAtEnd)
        this.#text.fail(`nothing may follow here, found "${this.#text.text.slice(this.#text.at, this.#text.at + 12)}"`);
      return { ok: true, query: { root: "$", segments } };
    } catch (error) {
      if (error instanceof Unreadable) return { ok: false, why: error.message, at: error.at };
      throw error;
    }
  }

  #segments(): Segment[] {
    const segments: Segment[] = [];
    for (;;) {
      const start = this.#text.at;
      this.#text.blanks();
      const segment = this.#segment();
      if (segment === undefined) {
        this.#text.at = start;
        return segments;
      }
      segments.push(segment);
    }
  }

  #segment(): Segment | undefined {
    const text = this.#text;
    if (text.takes("..")) {
      const selectors = text.sees("[") ? this.#brackets() : [this.#dotted()];
      return { kind: "descendant", selectors };
    }
    if (text.takes(".")) return { kind: "child", selectors: [this.#dotted()] };
    return text.sees("[") ? { kind: "child", selectors: this.#brackets() } : undefined;
  }

  #dotted(): Selector {
    if (this.#text.takes("*")) return { kind: "wildcard" };
    const name = this.#text.shorthand() ?? this.#text.fail("expected a name, * or [ behind the dot");
    if (this.#text.sees("(")) this.#text.fail(`"${name}(" is a call, and expressions are never run`);
    return { kind: "name", name };
  }

  #brackets(): Selector[] {
    const text = this.#text;
    text.needs("[");
    const selectors: Selector[] = [];
    do {
      text.blanks();
      selectors.push(this.#selector());
      text.blanks();
    } while (text.takes(","));
    text.needs("]");
    return selectors;
  }

  #selector(): Selector {
    const text = this.#text;
    const name = text.quoted();
    if (name !== undefined) return { kind: "name", name };
    if (text.takes("*")) return { kind: "wildcard" };
    if (text.takes("?")) {
      text.blanks();
      return { kind: "filter", test: this.#or() };
    }
    if (text.sees("(")) text.fail("script expressions are not allowed");
    const start = text.integer();
    const slice = this.#slice(start);
    if (slice !== undefined) return slice;
    if (start === undefined) text.fail("expected a quoted name, *, an index, a slice or ?");
    return { kind: "index", index: start ?? 0 };
  }

  #slice(start: number | undefined): Selector | undefined {
    const text = this.#text;
    const before = text.at;
    text.blanks();
    if (!text.takes(":")) {
      text.at = before;
      return undefined;
    }
    text.blanks();
    const end = text.integer();
    text.blanks();
    const hasStep = text.takes(":");
    if (hasStep) text.blanks();
    const step = hasStep ? text.integer() : undefined;
    return {
      kind: "slice",
      step: step ?? 1,
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
    };
  }

  #or(): Logical {
    return this.#joined("or", "||", () => this.#joined("and", "&&", () => this.#basic()));
  }

  #joined(kind: "or" | "and", token: string, next: () => Logical): Logical {
    const parts = [next()];
    this.#text.blanks();
    while (this.#text.takes(token)) {
      this.#text.blanks();
      parts.push(next());
      this.#text.blanks();
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind, parts };
  }

  #basic(): Logical {
    const text = this.#text;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) text.fail("the filter is nested too deep");
    const test = this.#negated() ?? this.#group() ?? this.#comparison();
    this.#depth -= 1;
    return test;
  }

  #negated(): Logical | undefined {
    const text = this.#text;
    if (!text.takes("!")) return undefined;
    text.blanks();
    const part = this.#group() ?? this.#test();
    return { kind: "not", part };
  }

  #group(): Logical | undefined {
    const text = this.#text;
    if (!text.takes("(")) return undefined;
    text.blanks();
    const inner = this.#or();
    text.blanks();
    text.needs(")");
    return inner;
  }

  /** A test without comparison: a query that finds something, or `match` and `search`. */
  #test(): Logical {
    const start = this.#text.at;
    const read = this.#operand();
    return "kind" in read && read.kind === "match" ? read : this.#existence(read, start);
  }

  #comparison(): Logical {
    const text = this.#text;
    const start = text.at;
    const left = this.#operand();
    const end = text.at;
    text.blanks();
    const operator = COMPARISONS.find((token) => text.takes(token));
    if (operator === undefined) {
      text.at = end;
      return left.kind === "match" ? left : this.#existence(left, start);
    }
    text.blanks();
    const rightStart = text.at;
    const right = this.#operand();
    return { kind: "compare", operator, left: this.#value(left, start), right: this.#value(right, rightStart) };
  }

  #existence(operand: Operand | Logical, start: number): Logical {
    if (operand.kind === "query") return { kind: "exists", query: operand.query };
    return this.#text.fail("expected a test: a query (@.a), a comparison, match() or search()", start);
  }

  /** What may stand beside a comparison: a value, never several. */
  #value(operand: Operand | Logical, start: number): Operand {
    if (operand.kind === "query" && !isSingular(operand.query)) {
      this.#text.fail("a query that can find several values cannot be compared", start);
    }
    switch (operand.kind) {
      case "literal":
      case "query":
      case "length":
      case "count":
      case "value":
        return operand;
      default:
        return this.#text.fail("match() and search() are tests of their own and are not compared", start);
    }
  }

  #operand(): Operand | Extract<Logical, { kind: "match" }> {
    const text = this.#text;
    const quoted = text.quoted();
    if (quoted !== undefined) return { kind: "literal", value: quoted };
    const number = text.match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
    if (number !== undefined) return { kind: "literal", value: Number(number) };
    if (text.sees("@") || text.sees("$")) return { kind: "query", query: this.#query() };
    const start = text.at;
    const word = text.match(/[a-z][a-z0-9_]*/y);
    if (word !== undefined && text.sees("(")) return this.#call(word, start);
    if (word === "true" || word === "false") return { kind: "literal", value: word === "true" };
    if (word === "null") return { kind: "literal", value: null };
    return text.fail("expected a query (@.a), a literal or a function; script expressions are not allowed", start);
  }

  #query(): Query {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#text.fail("the filter is nested too deep");
    const root = this.#text.takes("@") ? "@" : "$";
    if (root === "$") this.#text.takes("$");
    const query: Query = { root, segments: this.#segments() };
    this.#depth -= 1;
    return query;
  }

  #call(name: string, start: number): Operand | Extract<Logical, { kind: "match" }> {
    const text = this.#text;
    if (!FUNCTIONS.includes(name)) text.fail(`unknown function "${name}" (known: ${FUNCTIONS.join(", ")})`, start);
    text.needs("(");
    text.blanks();
    const first = this.#argument(name);
    const second = name === "match" || name === "search" ? this.#secondArgument(name) : undefined;
    text.blanks();
    text.needs(")");
    if (second !== undefined) return { kind: "match", whole: name === "match", text: first, expression: second };
    if (name === "length") return { kind: "length", of: first };
    if (first.kind !== "query") return text.fail(`${name}() takes a query`, start);
    return { kind: name === "count" ? "count" : "value", query: first.query };
  }

  #secondArgument(name: string): Operand {
    this.#text.blanks();
    this.#text.needs(",");
    this.#text.blanks();
    return this.#argument(name);
  }

  #argument(name: string): Operand {
    const start = this.#text.at;
    const operand = this.#operand();
    if (name === "count" || name === "value") {
      return operand.kind === "query" ? operand : this.#text.fail(`${name}() takes a query`, start);
    }
    return this.#value(operand, start);
  }
}
