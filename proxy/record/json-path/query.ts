/** A query of RFC 9535, "JSONPath: Query Expressions for JSON". */
export interface Query {
  /** `$` starts at the event, `@` (in filters) at the element under test. */
  readonly root: "$" | "@";
  readonly segments: readonly Segment[];
}

export interface Segment {
  readonly kind: "child" | "descendant";
  readonly selectors: readonly Selector[];
}

export type Selector =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "wildcard" }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "slice"; readonly start?: number; readonly end?: number; readonly step: number }
  | { readonly kind: "filter"; readonly test: Logical };

export type Logical =
  | { readonly kind: "or" | "and"; readonly parts: readonly Logical[] }
  | { readonly kind: "not"; readonly part: Logical }
  | { readonly kind: "exists"; readonly query: Query }
  | { readonly kind: "compare"; readonly operator: Comparison; readonly left: Operand; readonly right: Operand }
  | { readonly kind: "match"; readonly whole: boolean; readonly text: Operand; readonly expression: Operand };

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

export type Operand =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "query"; readonly query: Query }
  | { readonly kind: "length"; readonly of: Operand }
  | { readonly kind: "count" | "value"; readonly query: Query };

export type ParsedQuery =
  | { readonly ok: true; readonly query: Query }
  | { readonly ok: false; readonly why: string /** Index of the character that is wrong. */; readonly at: number };

/** True for a query that names at most one place: only names and indexes, one each. */
export function isSingular({ segments }: Query): boolean {
  return segments.every(
    ({ kind, selectors: [first, ...others] }) =>
      kind === "child" && others.length === 0 && (first?.kind === "name" || first?.kind === "index"),
  );
}
