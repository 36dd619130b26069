import type { Fault } from "../../proxy/record/fault.ts";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import type { FieldPath, Where } from "../scenario/ast.ts";
import type { Clause, ClauseResult, Identity } from "./clause.ts";
import { allOf, anyOf, nested, notOf } from "./combine.ts";
import { compileField, type FieldContext } from "./field-test.ts";
import type { Bindings } from "./operand.ts";

export { isEqual, valueKey } from "../../proxy/record/equality.ts";
export type { ClauseResult } from "./clause.ts";
export type { Bindings } from "./operand.ts";
export { compilePath, type PathAccess } from "./path-access.ts";

export interface WhereContext {
  /** The path of the event's name, for `event:`; `scenario.events.name`. */
  readonly eventName: FieldPath;
  /** Values of the scenario's parameters. A parameter without a value is looked up in the bindings, event by event. */
  readonly params: ReadonlyMap<string, JsonValue>;
  /** Gets every unknown modifier and every argument that does not fit, with its place. */
  fault(problem: Fault): void;
  /** Text of the scenario file, or of each file by name (`LoadedScenario.texts`): gives faults their excerpts. */
  readonly text?: string | ReadonlyMap<string, string>;
}

/** A `where` as a function, with what a matcher can use to call it less often. */
export interface FieldCheck {
  /** Whether the event satisfies it. Never throws; allocates nothing for plain equalities. */
  test(event: JsonObject, bindings: Bindings): boolean;
  /** Each field test with what it wanted and what the event had (LANGUAGE.md section 3.4). For near misses only. */
  diagnose(event: JsonObject, bindings: Bindings): ClauseResult[];
  /** In words: `file_read or file_hash with data.path /a`. */
  describe(bindings?: Bindings): string;
  /** Captured variables it needs, each once. */
  readonly variables: readonly string[];
  /** `path: $variable` that every satisfying event must fulfil; hash the values with `valueKey`. */
  readonly correlations: readonly { readonly path: FieldPath; readonly variable: string }[];
  /** `path: text` that every satisfying event must fulfil. */
  readonly literals: readonly { readonly path: FieldPath; readonly value: string }[];
  /** Fields of which every satisfying event must have one of some scalars. */
  readonly identities: readonly Identity[];
  /** The names one of which a satisfying event must have; absent when it could have any. */
  readonly names?: readonly string[];
  /** Paths it looks at, as written, each once. */
  readonly paths: readonly string[];
}

/** Compiles a `where` once, for many events. All faults are reported; a test with a fault never holds. */
export function compileWhere(where: Where, context: WhereContext): FieldCheck {
  const { text, params } = context;
  const textOf = (file: string) => (typeof text === "string" ? text : text?.get(file));
  const report = (problem: Fault) => context.fault(problem);
  const root = compile(where, { eventName: context.eventName, params, fault: report, textOf });
  const parts = root.parts ?? [root];
  const equalities = parts.flatMap(({ equality }) => (equality === undefined ? [] : [equality]));
  return {
    test: root.test,
    diagnose: (event, bindings) => root.diagnose(event, bindings),
    describe: (bindings = new Map()) => describeEvent(parts, bindings),
    variables: [...new Set(root.variables)],
    paths: [...new Set(root.paths)],
    correlations: equalities.filter((equality) => equality.kind === "variable"),
    literals: equalities.filter((equality) => equality.kind === "literal"),
    identities: parts.flatMap(({ identity }) => (identity === undefined ? [] : [identity])),
    ...namesOf(root),
  };
}

function compile(where: Where, context: FieldContext): Clause & { readonly parts?: readonly Clause[] } {
  switch (where.kind) {
    case "field":
      return compileField(where, context);
    case "all":
      return allOf(where.items.map((item) => compile(item, context)));
    case "any":
      return anyOf(where.items.map((item) => compile(item, context)));
    case "not":
      return notOf(compile(where.item, context));
    case "nested":
      return nested(where.path, compile(where.where, { ...context, eventName: undefined }), context.eventName);
  }
}

function namesOf({ names }: Clause): { names?: readonly string[] } {
  return names === undefined ? {} : { names };
}

function describeEvent(parts: readonly Clause[], bindings: Bindings): string {
  const named = parts.find(({ names }) => names !== undefined && names.length > 0);
  const rest = parts.filter((part) => part !== named).map((part) => part.describe(bindings));
  const name = named?.names?.join(" or ") ?? (rest.length === 1 && parts[0]?.names === undefined ? "event" : "event");
  return rest.length === 0 ? name : `${name} with ${rest.join(" and ")}`;
}
