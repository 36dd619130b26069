import type { JsonValue } from "../../proxy/record/json.ts";

/** Result of reading an operator's argument: the parsed argument, or why it is none (the end of "expected ..."). */
export type Parsed<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly why: string };

/**
 * One comparison a field test can use. To add one: a file beside this one, a line in index.ts; the contract suite in
 * test/contract covers it from then on.
 */
export interface Operator<A = unknown> {
  /** As written behind the pipe, such as `startswith`. */
  readonly name: string;
  /** What it asks of a value, one sentence for the reference in docs/markers.md. */
  readonly summary: string;
  /** Reads the argument once, when the scenario is compiled. `ignoreCase` when the test also says `|i`. */
  parse(argument: JsonValue, options: OperatorOptions): Parsed<A>;
  /** Total: answers for every value, never throws, never coerces between types. */
  test(argument: A, value: JsonValue, options: OperatorOptions): boolean;
  /** The end of the sentence "should ...", such as `start with "https://"`. */
  explain(argument: A): string;
}

export interface OperatorOptions {
  readonly ignoreCase: boolean;
}
