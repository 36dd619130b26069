import type { JsonValue } from "../../proxy/record/json.ts";
import type { Operand } from "./ast.ts";

/** Names of variables and parameters start with a letter or `_`; so `$5` is plain text. */
const NAME = "[\\p{L}_][\\p{L}\\p{N}_]*";
const WHOLE = new RegExp(`^\\$(?:(${NAME})|\\{(${NAME})\\})$`, "u");
const PART = new RegExp(`\\$\\$|\\$\\{(${NAME})\\}`, "gu");

/**
 * Reads a value of a field test (LANGUAGE.md section 3.2): `$name` or `${name}` alone is a variable with its type,
 * `${name}` inside longer text is put in as text, `$$` is one dollar, and every other `$` is itself.
 */
export function parseOperand(value: JsonValue): Operand {
  if (typeof value !== "string" || !value.includes("$")) return { kind: "literal", value };
  const whole = WHOLE.exec(value);
  const name = whole?.[1] ?? whole?.[2];
  if (name !== undefined) return { kind: "variable", name };
  const parts: (string | { readonly name: string })[] = [];
  let text = "";
  let from = 0;
  for (const match of value.matchAll(PART)) {
    text += value.slice(from, match.index);
    from = match.index + match[0].length;
    if (match[1] === undefined) text += "$";
    else {
      if (text !== "") parts.push(text);
      parts.push({ name: match[1] });
      text = "";
    }
  }
  text += value.slice(from);
  if (parts.length === 0) return { kind: "literal", value: text };
  return { kind: "template", parts: text === "" ? parts : [...parts, text] };
}

/** True for a name that `$name` can mention. */
export function isVariableName(name: string): boolean {
  return new RegExp(`^${NAME}$`, "u").test(name);
}
