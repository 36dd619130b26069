import type * as z from "zod";
import type { JsonObject } from "../../../proxy/record/json.ts";
import type { Verdict } from "../../verdict.ts";
import type { Locator } from "../locator.ts";

/** What a look at the final state found. `error` means that nothing can be said; it is never a `fail`. */
export interface Seen {
  readonly verdict: Verdict;
  /** One sentence, fit for an assert message. */
  readonly reason: string;
  /** What stands beside the verdict in the answer, such as `{exists: true}`. */
  readonly facts: JsonObject;
}

/** What an evaluator may look at. */
export interface Surroundings {
  readonly locator: Locator;
  /** Commands that the `command` evaluator may run, by name; each is a program with its arguments. */
  readonly commands: ReadonlyMap<string, readonly string[]>;
  readonly now: () => number;
  /** Ends the look early: its client is gone. */
  readonly signal?: AbortSignal;
}

/** A place of an item that is a path; it has to lie inside the root. */
export interface PathArgument {
  readonly key: string;
  readonly path: string;
}

/**
 * One way to look at the final state. To add one: a file beside this one, a line in index.ts; the contract suite in
 * test/contract covers it from then on. Its name works in a request's items and under a scenario's `checks:`.
 */
export interface Evaluator<A = unknown> {
  readonly name: string;
  /** One sentence for the reference in docs/evaluator.md and `GET /v1/evaluators`. */
  readonly summary: string;
  /** Its arguments. Also gives the schema of its item in the OpenAPI document. */
  readonly schema: z.ZodType<A>;
  /** A small example of its arguments; the contract suite reads it. */
  readonly example: JsonObject;
  /** The paths among its arguments. */
  paths(args: A): readonly PathArgument[];
  /** Looks once. Rejects only on a bug or an `OutsideRoot`. */
  look(args: A, surroundings: Surroundings): Promise<Seen>;
}

/** The answer of a look that could not see: the evaluator's trouble, not the state's. */
export function unseen(code: string, reason: string, facts: JsonObject = {}): Seen {
  return { verdict: "error", reason, facts: { ...facts, error: { code, message: reason } } };
}

/** Pass or fail, with the sentence that fits. */
export function seen(passes: boolean, words: readonly [pass: string, fail: string], facts: JsonObject): Seen {
  return { verdict: passes ? "pass" : "fail", reason: passes ? words[0] : words[1], facts };
}
