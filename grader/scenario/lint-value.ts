import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { FieldTestNode, Operand } from "./ast.ts";
import type { Build } from "./build.ts";

/** Modifiers beside which a value is still compared as it stands. */
const PLAIN = ["not", "i", "all", "every"];
const COMPARISONS: Readonly<Record<string, string>> = { ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" };

/** Values and keys that are well formed and can never match what they seem to mean. */
export function lintValue(where: FieldTestNode, build: Build): void {
  lintComparedKey(where, build);
  if (!where.modifiers.every((name) => PLAIN.includes(name))) return;
  const operands: readonly Operand[] = Array.isArray(where.value) ? where.value : [where.value as Operand];
  for (const operand of operands) {
    if (operand.kind !== "literal") continue;
    if (isEventName(where)) lintName(operand.value, where, build);
    if (typeof operand.value === "string") lintText(operand.value, where, build);
  }
}

function isEventName({ path }: FieldTestNode): boolean {
  const [segment] = path.kind === "dotted" && path.segments.length === 1 ? path.segments : [];
  return segment?.kind === "key" && segment.key === "event" && !segment.exact;
}

function lintName(value: JsonValue, { valuePlace }: FieldTestNode, build: Build): void {
  if (typeof value === "string") return;
  const shown = stringifyJson(value);
  const message = `an event's name is text, so ${shown} is none`;
  const fix = value === null ? "Say which event: event: NAME." : `Quote it: event: "${shown}".`;
  build.report("WM_SCENARIO_LINT", message, valuePlace, { severity: "warning", fix });
}

function lintText(value: string, { path, valuePlace }: FieldTestNode, build: Build): void {
  const [, sign, rest = ""] = /^\s*([<>]=?)\s*(-?\d[\d.]*)\s*$/.exec(value) ?? [];
  if (sign !== undefined) {
    const message = `${stringifyJson(value)} is compared as text: ${sign} means nothing in a value`;
    const fix = `Did you mean ${path.text}|${COMPARISONS[sign]}: ${rest}?`;
    build.report("WM_SCENARIO_LINT", message, valuePlace, { severity: "warning", fix });
  } else if (/[*?]/.test(value)) {
    const message = `${stringifyJson(value)} is compared as it stands: * and ? are no wildcards here`;
    const fix = `Did you mean ${path.text}|glob?`;
    build.report("WM_SCENARIO_LINT", message, valuePlace, { severity: "hint", fix });
  }
}

/** `data.x>5` and `data.x >=`: the sign becomes part of the field's name. */
function lintComparedKey({ path, key, place, value }: FieldTestNode, build: Build): void {
  const last = path.kind === "dotted" ? path.segments.at(-1) : undefined;
  if (last?.kind !== "key" || last.exact) return;
  const [, field = "", sign, number] = /^(.+?)\s*([<>]=?)\s*(-?\d[\d.]*)?\s*$/.exec(path.text) ?? [];
  if (sign === undefined) return;
  const given = Array.isArray(value) || (value as Operand).kind !== "literal" ? undefined : (value as Operand);
  const own = given?.kind === "literal" && typeof given.value === "number" ? String(given.value) : "NUMBER";
  const message = `"${key}" is the field of that name: ${sign} means nothing in a key`;
  const fix = `Did you mean ${field}|${COMPARISONS[sign]}: ${number ?? own}? A field really called so is written in ['...'].`;
  build.report("WM_SCENARIO_LINT", message, place, { severity: "warning", fix });
}
