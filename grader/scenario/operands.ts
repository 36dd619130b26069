import type { Place } from "../../proxy/record/place.ts";
import type { Operand, Where } from "./ast.ts";

/** A variable and where it is used. */
export interface VariableUse {
  readonly name: string;
  readonly place: Place;
}

/** Every variable a `where` mentions, with the place of the value that mentions it. */
export function variablesIn(where: Where | undefined): VariableUse[] {
  if (where === undefined) return [];
  switch (where.kind) {
    case "all":
    case "any":
      return where.items.flatMap(variablesIn);
    case "not":
      return variablesIn(where.item);
    case "nested":
      return variablesIn(where.where);
    case "field": {
      const operands: readonly Operand[] = Array.isArray(where.value) ? where.value : [where.value as Operand];
      return operands.flatMap(variablesOf).map((name) => ({ name, place: where.valuePlace }));
    }
  }
}

/** Names of the variables an operand mentions, in order, repeats kept. */
export function variablesOf(operand: Operand): string[] {
  switch (operand.kind) {
    case "literal":
      return [];
    case "variable":
      return [operand.name];
    case "template":
      return operand.parts.flatMap((part) => (typeof part === "string" ? [] : [part.name]));
    case "list":
      return operand.items.flatMap(variablesOf);
    case "map":
      return operand.entries.flatMap(([, item]) => variablesOf(item));
  }
}
