import type { JsonObject } from "../../proxy/record/json.ts";
import {
  type Bindings,
  compilePath,
  compileWhere,
  type FieldCheck,
  type PathAccess,
  type WhereContext,
} from "../operators/where.ts";
import type { FieldPath, FieldTestNode, Operand, Where } from "../scenario/ast.ts";
import { variablesOf } from "../scenario/operands.ts";

export const NO_BINDINGS: Bindings = new Map();

/** A field of the event that has to equal a captured value (`field: $var`): lets a run be found by that value. */
export interface Link {
  readonly variable: string;
  readonly access: PathAccess;
}

/** A compiled pattern: what one event must look like, with the part that needs no captured value split off. */
export interface Pattern {
  readonly where: Where;
  /** Captured values it needs; parameters are no variables any more. */
  readonly variables: readonly string[];
  /** The names one of which a matching event must have; undefined when it could have any. */
  readonly names: readonly string[] | undefined;
  /** The whole test, for diagnosis and description. */
  readonly check: FieldCheck;
  /** Tests that stand at the top, each on its own: what a near miss counts. */
  readonly clauses: readonly FieldCheck[];
  readonly links: readonly Link[];
  /** False when no captured value could make the event match; asked often for one event, answered once. */
  screen(event: JsonObject): boolean;
  test(event: JsonObject, bindings: Bindings): boolean;
}

/** Compiles a pattern. Raises the operators' `WaymarkError` when a field test is wrong. */
export function compilePattern(where: Where, context: WhereContext): Pattern {
  const isVariable = (name: string): boolean => !context.params.has(name);
  const variables = [...new Set(namesIn(where))].filter(isVariable);
  const full = compileWhere(where, context);
  const fixed = variables.length === 0 ? full : compileWhere(relax(where, isVariable), context);
  let seen: JsonObject | undefined;
  let answer = false;
  const screen = (event: JsonObject): boolean => {
    if (event !== seen) {
      answer = fixed.test(event, NO_BINDINGS);
      seen = event;
    }
    return answer;
  };
  const test = (event: JsonObject, bindings: Bindings): boolean => screen(event) && full.test(event, bindings);
  return {
    where,
    variables,
    names: full.names,
    check: full,
    clauses: topTests(where).map((item) => compileWhere(item, context)),
    links: variables.length === 0 ? [] : linksOf(where, isVariable, context.eventName),
    screen,
    test: variables.length === 0 ? (event) => screen(event) : test,
  };
}

/** The tests a pattern consists of: the items of an outer `all`, else the pattern itself. */
export function topTests(where: Where): readonly Where[] {
  return where.kind === "all" ? where.items.flatMap(topTests) : [where];
}

function namesIn(where: Where): string[] {
  switch (where.kind) {
    case "all":
    case "any":
      return where.items.flatMap(namesIn);
    case "not":
      return namesIn(where.item);
    case "nested":
      return namesIn(where.where);
    case "field":
      return operandsOf(where).flatMap(variablesOf);
  }
}

function operandsOf(test: FieldTestNode): readonly Operand[] {
  return Array.isArray(test.value) ? (test.value as readonly Operand[]) : [test.value as Operand];
}

/** The weakest pattern that holds whenever `where` can hold for some captured values. */
function relax(where: Where, isVariable: (name: string) => boolean): Where {
  const open: Where = { kind: "all", items: [], place: where.place };
  if (where.kind === "all" || where.kind === "any") {
    return { ...where, items: where.items.map((item) => relax(item, isVariable)) };
  }
  if (where.kind === "nested") return { ...where, where: relax(where.where, isVariable) };
  return namesIn(where).some(isVariable) ? open : where;
}

function linksOf(where: Where, isVariable: (name: string) => boolean, eventName: FieldPath): Link[] {
  return topTests(where).flatMap((test) => {
    if (test.kind !== "field" || test.modifiers.length > 0) return [];
    const [operand, ...others] = operandsOf(test);
    if (operand?.kind !== "variable" || others.length > 0 || !isVariable(operand.name)) return [];
    return [{ variable: operand.name, access: compilePath(test.path, eventName) }];
  });
}
