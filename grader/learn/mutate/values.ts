import type { JsonValue } from "../../../proxy/record/json.ts";
import { type Bindings, operandValue } from "../../operators/operand.ts";
import type { FieldTestNode, Operand } from "../../scenario/ast.ts";
import { textFor } from "./regex-text.ts";

/** A new value for a field; `undefined` takes the field out. */
export type Candidate = JsonValue | undefined;

const POOL: readonly Candidate[] = ["x", "", 0, 1, -1, true, false, null, [], {}, undefined];
const TYPE_SAMPLES: readonly Candidate[] = ["x", 1, true, null, [], {}];

/** Values a field test may be satisfied by, the likely ones first. Whether they do is for the test itself to say. */
export function likelyValues(test: FieldTestNode, bindings: Bindings): readonly Candidate[] {
  const wanted = wantedBy(test, bindings);
  const has = (name: string): boolean => test.modifiers.includes(name);
  if (has("exists")) return wanted[0] === false ? [undefined] : ["x", ...POOL];
  if (has("not")) return [...wanted.flatMap(near), ...POOL];
  const whole = wanted.length > 1 && has("all") ? [wanted as JsonValue, wanted.map(String).join(" ")] : [];
  return [...whole, ...wanted.flatMap((value) => satisfying(value, has)), ...POOL];
}

function satisfying(value: JsonValue, has: (name: string) => boolean): readonly Candidate[] {
  if (has("re")) return [typeof value === "string" ? textFor(value) : undefined];
  if (has("glob")) return [String(value).replaceAll("*", "x").replaceAll("?", "x"), String(value).replaceAll("*", "")];
  if (has("gt")) return moreThan(value, 1);
  if (has("lt")) return moreThan(value, -1);
  if (has("contains")) return [value, [value]];
  if (has("under")) return [`${String(value)}/x`, value];
  if (has("size")) return sized(value);
  return has("type") ? TYPE_SAMPLES : [value];
}

function moreThan(value: JsonValue, step: number): readonly Candidate[] {
  if (typeof value === "number") return [value + step];
  if (typeof value === "bigint") return [value + BigInt(step)];
  return typeof value === "string" ? [step > 0 ? `${value}z` : "", value.slice(0, -1)] : [];
}

function sized(value: JsonValue): readonly Candidate[] {
  const size = typeof value === "number" && value >= 0 && value < 10_000 ? value : 0;
  return [Array.from({ length: size }, () => "x"), "x".repeat(size)];
}

/** Values that are like the one at hand, or like those the test names, and yet others; last of all, none. */
export function otherValues(
  test: FieldTestNode,
  current: JsonValue | undefined,
  bindings: Bindings,
): readonly Candidate[] {
  const wanted = wantedBy(test, bindings);
  return [...(current === undefined ? [] : near(current)), ...wanted.flatMap(near), ...wanted, ...POOL];
}

/** A value of the same type that differs. */
export function near(value: JsonValue): readonly Candidate[] {
  if (typeof value === "string") return [`${value}-changed`, `un${value}`, ""];
  if (typeof value === "number") return [value + 1, value - 1, -1_000_000_000, 1_000_000_000];
  if (typeof value === "bigint") return [value + 1n, value - 1n];
  if (typeof value === "boolean") return [!value];
  return Array.isArray(value) ? [[], [...(value as readonly JsonValue[]), "changed"]] : ["changed"];
}

function wantedBy(test: FieldTestNode, bindings: Bindings): readonly JsonValue[] {
  const operands = (Array.isArray(test.value) ? test.value : [test.value]) as readonly Operand[];
  return operands.flatMap((operand) => {
    const value = operandValue(operand, bindings);
    if (value === undefined) return [];
    // a parameter may hold the whole list of values
    return operand.kind === "variable" && Array.isArray(value) ? [...(value as readonly JsonValue[])] : [value];
  });
}
