import type { JsonValue } from "../../proxy/record/json.ts";
import type { FieldPath } from "../scenario/ast.ts";
import type { Clause, ClauseResult } from "./clause.ts";
import type { Bindings } from "./operand.ts";
import { compilePath } from "./path-access.ts";

/** All clauses hold. Cheap ones are asked first; diagnoses keep the order in which they were written. */
export function allOf(parts: readonly Clause[]): Clause & { readonly parts: readonly Clause[] } {
  const flat = parts.flatMap((part) => ("parts" in part ? (part.parts as readonly Clause[]) : [part]));
  const ordered = [...flat].sort((a, b) => a.cost - b.cost);
  return {
    parts: flat,
    ...summary(flat),
    cost: flat.reduce((sum, { cost }) => sum + cost, 0),
    test: conjunction(ordered),
    diagnose: (root, bindings) => flat.flatMap((part) => part.diagnose(root, bindings)),
    describe: (bindings) => flat.map((part) => part.describe(bindings)).join(" and "),
    ...commonNames(flat),
  };
}

/** At least one clause holds. The diagnosis is that of the alternative that came closest. */
export function anyOf(parts: readonly Clause[]): Clause {
  const names = parts.flatMap((part) => part.names ?? []);
  return {
    ...summary(parts),
    cost: parts.reduce((sum, { cost }) => sum + cost, 0),
    test: (root, bindings) => parts.some((part) => part.test(root, bindings)),
    diagnose: (root, bindings) => closest(parts.map((part) => part.diagnose(root, bindings))),
    describe: (bindings) => parts.map((part) => part.describe(bindings)).join(" or "),
    ...(parts.length > 0 && parts.every((part) => part.names !== undefined) ? { names: [...new Set(names)] } : {}),
  };
}

/** Plain negation: holds for absent fields too. */
export function notOf(part: Clause): Clause {
  return {
    ...summary([part]),
    cost: part.cost,
    test: (root, bindings) => !part.test(root, bindings),
    diagnose(root: JsonValue, bindings: Bindings): ClauseResult[] {
      return [{ path: "not", want: `not ${part.describe(bindings)}`, ok: !part.test(root, bindings) }];
    },
    describe: (bindings) => `not (${part.describe(bindings)})`,
  };
}

/** Some value at the path satisfies the clause, which looks at that value alone. */
export function nested(path: FieldPath, part: Clause, eventName: FieldPath | undefined): Clause {
  const access = compilePath(path, eventName);
  const within = (inner: string) => (inner.startsWith("[") ? `${path.text}${inner}` : `${path.text}.${inner}`);
  return {
    cost: part.cost + (access.single ? 1 : 10),
    variables: part.variables,
    paths: part.paths.map(within),
    test: (root, bindings) => access.all(root).some((value) => part.test(value, bindings)),
    diagnose(root: JsonValue, bindings: Bindings): ClauseResult[] {
      const values = access.all(root);
      if (values.length === 0) return [{ path: path.text, want: part.describe(bindings), ok: false }];
      const results = closest(values.map((value) => part.diagnose(value, bindings)));
      return results.map((result) => ({ ...result, path: within(result.path) }));
    },
    describe: (bindings) => `${path.text} (${part.describe(bindings)})`,
  };
}

/** A loop without allocation; one and two clauses, the usual case, without the loop. */
function conjunction(parts: readonly Clause[]): Clause["test"] {
  const [a, b] = parts;
  if (a === undefined) return () => true;
  if (b === undefined) return a.test;
  if (parts.length === 2) return (root, bindings) => a.test(root, bindings) && b.test(root, bindings);
  return (root, bindings) => {
    for (const part of parts) if (!part.test(root, bindings)) return false;
    return true;
  };
}

function summary(parts: readonly Clause[]): Pick<Clause, "variables" | "paths"> {
  return { variables: parts.flatMap(({ variables }) => variables), paths: parts.flatMap(({ paths }) => paths) };
}

/** Names that satisfy every clause that asks for names. */
function commonNames(parts: readonly Clause[]): { names?: readonly string[] } {
  const asked = parts.flatMap(({ names }) => (names === undefined ? [] : [names]));
  const [first, ...others] = asked;
  if (first === undefined) return {};
  return { names: first.filter((name) => others.every((names) => names.includes(name))) };
}

function closest(alternatives: readonly ClauseResult[][]): ClauseResult[] {
  const failures = (results: readonly ClauseResult[]) => results.filter(({ ok }) => !ok).length;
  return [...alternatives].sort((a, b) => failures(a) - failures(b))[0] ?? [];
}
