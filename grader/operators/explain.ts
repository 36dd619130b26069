import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { FieldTest } from "./field-test.ts";

/** An argument as given (after `str` and `num`) and as the operator reads it. */
export interface Argument {
  readonly given: JsonValue;
  readonly value: unknown;
}

/** The field test in words: `data.kind card`, `data.count at least 1`, `data.url not start with "x"`. */
export function describeField(test: FieldTest, args: readonly Argument[] | undefined): string {
  return `${test.node.path.text} ${wantText(test, args)}`;
}

/** What the test wants of the value, as the end of a sentence. */
export function wantText({ node, plan }: FieldTest, args: readonly Argument[] | undefined): string {
  const joint = plan.all ? " and " : " or ";
  const modifiers = plan.transformers.map(({ name }) => `(as ${name}) `).join("");
  const every = plan.every ? "in every place " : "";
  const not = plan.not || plan.notEach ? "not " : "";
  if (args === undefined) return `${every}${not}${modifiers}${writtenValue(node.value)}`;
  const wanted = args.map(({ given, value }) =>
    plan.operator.name === "is" ? showValue(given) : plan.operator.explain(value).replace(/^be /, ""),
  );
  return `${every}${not}${modifiers}${wanted.join(joint)}`;
}

/** A value for a sentence: short plain text without quotes, everything else as JSON. */
export function showValue(value: JsonValue): string {
  if (typeof value === "string" && /^[\p{L}\p{N}_./:@+-]{1,80}$/u.test(value)) return value;
  const json = stringifyJson(value);
  return json.length > 120 ? `${json.slice(0, 117)}...` : json;
}

function writtenValue(value: FieldTest["node"]["value"]): string {
  const operands: readonly unknown[] = Array.isArray(value) ? value : [value];
  return operands.map(writtenOperand).join(" or ");
}

function writtenOperand(operand: unknown): string {
  const { kind, name, value, parts } = operand as {
    kind: string;
    name?: string;
    value?: JsonValue;
    parts?: readonly (string | { name: string })[];
  };
  if (kind === "variable") return `$${name}`;
  if (kind === "literal") return showValue(value ?? null);
  if (kind !== "template") return "a value made of variables";
  return (parts ?? []).map((part) => (typeof part === "string" ? part : `\${${part.name}}`)).join("");
}
