import type { JsonValue } from "../../proxy/record/json.ts";
import type { Operand } from "../scenario/ast.ts";
import { str } from "./transformer.ts";

/** Values of captured variables (and of parameters, when they are not known while compiling), by name. */
export type Bindings = ReadonlyMap<string, JsonValue>;

/** The operand's value under the bindings; undefined when a variable in it has no value. */
export function operandValue(operand: Operand, bindings: Bindings): JsonValue | undefined {
  switch (operand.kind) {
    case "literal":
      return operand.value;
    case "variable":
      return bindings.get(operand.name);
    case "template":
      return templateText(operand.parts, bindings);
    case "list":
      return allOrNothing(operand.items.map((item) => operandValue(item, bindings)));
    case "map": {
      const values = allOrNothing(operand.entries.map(([, item]) => operandValue(item, bindings)));
      if (values === undefined) return undefined;
      return Object.fromEntries(operand.entries.map(([key], index) => [key, values[index] ?? null]));
    }
  }
}

function templateText(parts: readonly (string | { readonly name: string })[], bindings: Bindings): string | undefined {
  let text = "";
  for (const part of parts) {
    const value = typeof part === "string" ? part : bindings.get(part.name);
    const shown = value === undefined ? undefined : str.apply(value);
    if (shown === undefined) return undefined;
    text += String(shown);
  }
  return text;
}

function allOrNothing(values: readonly (JsonValue | undefined)[]): readonly JsonValue[] | undefined {
  return values.every((value) => value !== undefined) ? values : undefined;
}
