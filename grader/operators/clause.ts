import type { JsonValue } from "../../proxy/record/json.ts";
import type { FieldPath } from "../scenario/ast.ts";
import type { Bindings } from "./operand.ts";

/** One field test of a near miss: what was wanted, what the event had, and a cause where one can be named. */
export interface ClauseResult {
  readonly path: string;
  readonly want: JsonValue | string;
  /** Absent when the event has no such field. */
  readonly got?: JsonValue;
  readonly ok: boolean;
  /** Such as `other case` or `did you mean data.chatID?`. */
  readonly hint?: string;
}

/** A compiled part of a `where`. */
export interface Clause {
  /** What testing costs, roughly; cheap clauses are tested first. */
  readonly cost: number;
  test(root: JsonValue, bindings: Bindings): boolean;
  diagnose(root: JsonValue, bindings: Bindings): ClauseResult[];
  /** The clause in words, such as `data.count at least 1`; variables show their values where the bindings have them. */
  describe(bindings: Bindings): string;
  readonly variables: readonly string[];
  /** Paths it looks at, as written. */
  readonly paths: readonly string[];
  /** Set for `path: value` with exactly one plain value and a path that names one place. */
  readonly equality?: Equality;
  /** Set for `path: value` with plain scalars and a path that names one place: it holds when the value there is one of them. */
  readonly identity?: Identity;
  /** Set for a plain test of the event's name: the names of which one must be there. */
  readonly names?: readonly string[];
}

export interface Identity {
  readonly path: FieldPath;
  readonly values: readonly (string | number | boolean | null)[];
}

export type Equality =
  | { readonly kind: "variable"; readonly path: FieldPath; readonly variable: string }
  | { readonly kind: "literal"; readonly path: FieldPath; readonly value: string };
