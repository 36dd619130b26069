import { type Fault, fault } from "../../proxy/record/fault.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import type { FieldTestNode, Operand } from "../scenario/ast.ts";
import { variablesOf } from "../scenario/operands.ts";
import type { Argument } from "./explain.ts";
import type { Plan } from "./modifiers.ts";
import { type Bindings, operandValue } from "./operand.ts";

/** The arguments as the operator reads them; undefined when a variable has no value, or one does not fit (reported). */
export function readArguments(
  plan: Plan,
  operands: readonly Operand[],
  bindings: Bindings,
  report?: (why: string) => void,
): readonly Argument[] | undefined {
  const read: Argument[] = [];
  for (const operand of operands) {
    const value = operandValue(operand, bindings);
    if (value === undefined) return undefined;
    for (const given of spread(plan, value)) {
      const argument = readArgument(plan, given);
      if (typeof argument !== "string") read.push(argument);
      else if (report === undefined) return undefined;
      else report(argument);
    }
  }
  return read;
}

/** A captured list is any of its elements for comparisons that take one value, and itself for the others. */
function spread({ operator }: Plan, value: JsonValue): readonly JsonValue[] {
  const takesLists = ["is", "equals", "contains", "like"].includes(operator.name);
  return Array.isArray(value) && !takesLists ? value : [value];
}

function readArgument({ operator, transformers, options }: Plan, given: JsonValue): Argument | string {
  let value: JsonValue | undefined = given;
  for (const { alsoArgument, apply } of transformers) {
    if (alsoArgument && value !== undefined) value = apply(value);
  }
  const names = transformers.map(({ name }) => name);
  if (value === undefined) return names.includes("num") ? "a number" : "a text, a number, true or false";
  if (names.includes("size") && typeof value !== "number") return "a number";
  const parsed = operator.parse(value, options);
  return parsed.ok ? { given: value, value: parsed.value } : parsed.why;
}

/** The operands with parameters put in; a parameter that is a list is any of its elements, as a written list is. */
export function operandsOf(
  node: FieldTestNode,
  plan: Plan | undefined,
  params: ReadonlyMap<string, JsonValue>,
): readonly Operand[] {
  const written = isOperandList(node.value) ? node.value : [node.value];
  return written.flatMap((operand): readonly Operand[] => {
    if (operand.kind === "literal" || !variablesOf(operand).every((name) => params.has(name))) return [operand];
    const value = operandValue(operand, params);
    if (value === undefined) return [operand];
    if (!Array.isArray(value) || ["equals", "like"].includes(plan?.operator.name ?? "is"))
      return [{ kind: "literal", value }];
    return value.map((item: JsonValue) => ({ kind: "literal", value: item }));
  });
}

function isOperandList(value: Operand | readonly Operand[]): value is readonly Operand[] {
  return Array.isArray(value);
}

/** The fault of a written value that does not fit its modifiers. */
export function badArgument(node: FieldTestNode, plan: Plan | undefined, why: string, text: string | undefined): Fault {
  const name = plan?.operator.name ?? "is";
  const message = `"${name === "is" ? node.key : name}" takes ${why}`;
  const code = name === "re" ? "WM_SCENARIO_REGEX" : "WM_SCENARIO_ARGUMENT";
  return fault(code, message, { place: node.valuePlace, text });
}
