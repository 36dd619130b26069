import type { JsonObject, JsonValue } from "../json.ts";
import { loadJsonPath } from "../lazy-package.ts";
import { evaluateQuery } from "./evaluate.ts";
import type { Query } from "./query.ts";

/**
 * The values a query finds, in document order, each object and list once. Names, `*` and `..` run on jsonpath-plus; where
 * that package and RFC 9535 differ (indexes, slices, filters, names it has a meaning for), the RFC's own semantics in
 * evaluate.ts count. Nothing in a query is ever run as code: filters never reach the package.
 */
export function finderOf(query: Query): (root: JsonValue) => readonly JsonValue[] {
  // The package walks below each node again for the next `..`, which is exponential in an event nested deep.
  const isOneWalk = query.segments.filter(({ kind }) => kind === "descendant").length <= 1;
  const plain = isOneWalk ? plainPath(query) : undefined;
  if (plain === undefined) return (root) => evaluateQuery(query, root);
  return (root) => runPlain(plain, root) ?? evaluateQuery(query, root);
}

/** The query as jsonpath-plus's list of steps, when every step means the same to the package and to the RFC. */
export function plainPath({ segments }: Query): string[] | undefined {
  const steps = ["$"];
  for (const { kind, selectors } of segments) {
    const [selector, second] = selectors;
    if (second !== undefined) return undefined;
    if (kind === "descendant") steps.push("..");
    if (selector?.kind === "wildcard" && kind === "child") steps.push("*");
    else if (selector?.kind === "name" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(selector.name)) steps.push(selector.name);
    else return undefined;
  }
  return steps;
}

interface Hit {
  readonly value: JsonValue;
  readonly parent: JsonValue;
  readonly parentProperty: string | number | null;
}

/** Undefined when the package cannot be asked: no object, or nested deeper than its recursion reaches. */
export function runPlain(path: string[], root: JsonValue): readonly JsonValue[] | undefined {
  if (typeof root !== "object" || root === null) return undefined;
  try {
    const hits: readonly Hit[] = loadJsonPath()({
      path,
      json: root as JsonObject,
      eval: false,
      wrap: true,
      resultType: "all",
    });
    return hits.filter(isMember).map(({ value }) => value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The package also finds the length of lists and texts and the letters of texts, which are no members in JSON. */
function isMember({ parent, parentProperty }: Hit): boolean {
  if (Array.isArray(parent)) return /^\d+$/.test(String(parentProperty));
  return typeof parent === "object";
}
