import { foldCase } from "../../proxy/record/equality.ts";
import { isObject, type JsonValue } from "../../proxy/record/json.ts";
import { nearest } from "../../proxy/record/near.ts";
import type { FieldPath, PathSegment } from "../scenario/ast.ts";
import type { ClauseResult } from "./clause.ts";
import { type Argument, wantText } from "./explain.ts";
import type { FieldTest } from "./field-test.ts";
import { one } from "./path-access.ts";

/** The field test with what the event had, and the cause of a failure where one can be named. */
export function diagnoseField(
  test: FieldTest,
  root: JsonValue,
  { args, ok }: { readonly args: readonly Argument[] | undefined; readonly ok: boolean },
): ClauseResult {
  const { node, access } = test;
  const values = access.all(root);
  const wanted = (args ?? []).map(({ given }) => given);
  const [only] = wanted;
  const isLiteral = wanted.length === 1 && only !== undefined && node.modifiers.length === 0;
  const want = isLiteral ? only : wantText(test, args);
  const hint = ok ? undefined : hintFor(test, root, values, wanted);
  const got = access.single || values.length === 1 ? values[0] : values.length === 0 ? undefined : values;
  return {
    path: node.path.text,
    want,
    ...(got === undefined ? {} : { got }),
    ok,
    ...(hint === undefined ? {} : { hint }),
  };
}

function hintFor(
  { node, plan }: FieldTest,
  root: JsonValue,
  values: readonly JsonValue[],
  wanted: readonly JsonValue[],
): string | undefined {
  if (values.length === 0) return absentHint(node.path, root);
  if (plan.not || plan.notEach || plan.every) return undefined;
  const [value] = values;
  if (value === undefined || values.length > 1) return undefined;
  if (Array.isArray(value) && plan.operator.name !== "contains" && hasWanted(value, wanted)) {
    return `an element fits: use ${node.path.text}[*]`;
  }
  return scalarHint(value, wanted, node);
}

function scalarHint(value: JsonValue, wanted: readonly JsonValue[], node: FieldTest["node"]): string | undefined {
  if (wanted.some((want) => isOtherCase(value, want, node.modifiers))) return "other case: use |i to ignore it";
  if (wanted.some((want) => isOtherType(value, want)))
    return `${typeName(value)} against ${typeName(wanted[0] ?? null)}`;
  return wanted.length > 1 && node.modifiers.length === 0 ? "not in the list" : undefined;
}

function isOtherCase(value: JsonValue, want: JsonValue, modifiers: readonly string[]): boolean {
  if (typeof value !== "string" || typeof want !== "string" || value === want) return false;
  const [a, b] = [foldCase(value), foldCase(want)];
  if (modifiers.includes("contains")) return a.includes(b) && !value.includes(want);
  if (modifiers.includes("startswith")) return a.startsWith(b) && !value.startsWith(want);
  if (modifiers.includes("endswith")) return a.endsWith(b) && !value.endsWith(want);
  return a === b;
}

/** The same written out, such as 5 and "5": the types differ. */
function isOtherType(value: JsonValue, want: JsonValue): boolean {
  if (typeof value === typeof want || typeof value === "object" || typeof want === "object") return false;
  if (typeof value !== "string" && typeof want !== "string") return false;
  return String(value) === String(want) || (value !== "" && want !== "" && Number(value) === Number(want));
}

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  const name = typeof value;
  return name === "string" ? "text" : name === "bigint" ? "number" : name;
}

function hasWanted(list: readonly JsonValue[], wanted: readonly JsonValue[]): boolean {
  return list.some((element) => wanted.includes(element));
}

/** The nearest path that exists: the deepest part that is there, with the most similar key below it. */
function absentHint(path: FieldPath, root: JsonValue): string | undefined {
  if (path.kind === "jsonpath") return undefined;
  for (let depth = path.segments.length - 1; depth >= 0; depth--) {
    const parent = depth === 0 ? root : one(path.segments.slice(0, depth)).get(root);
    const missing = path.segments[depth];
    if (parent === undefined || missing?.kind !== "key") continue;
    return hintBelow(path.segments, depth, parent, missing.key) ?? elsewhere(root, path.segments);
  }
  return undefined;
}

function hintBelow(
  segments: readonly PathSegment[],
  depth: number,
  parent: JsonValue,
  missing: string,
): string | undefined {
  const before = writePath(segments.slice(0, depth));
  const after = segments.slice(depth + 1);
  if (Array.isArray(parent)) return `${before} is a list: use ${before}[*]${writeTail([...segments.slice(depth)])}`;
  if (!isObject(parent)) return depth === 0 ? undefined : `${before} is no map`;
  const [near] = nearest(missing, Object.keys(parent));
  if (near === undefined) return undefined;
  const key: PathSegment = { kind: "key", key: near, exact: near.includes(".") };
  return `did you mean ${writePath([...segments.slice(0, depth), key, ...after])}?`;
}

/** The same last key somewhere else in the event. */
function elsewhere(root: JsonValue, segments: readonly PathSegment[]): string | undefined {
  const last = segments.at(-1);
  if (last?.kind !== "key") return undefined;
  const queue: { value: JsonValue; at: PathSegment[] }[] = [{ value: root, at: [] }];
  for (let seen = 0; queue.length > 0 && seen < MOST_LOOKED_AT; seen++) {
    const next = queue.shift();
    if (next === undefined || !isObject(next.value)) continue;
    for (const [key, value] of Object.entries(next.value)) {
      const at: PathSegment[] = [...next.at, { kind: "key", key, exact: key.includes(".") }];
      if (key === last.key) return `did you mean ${writePath(at)}?`;
      queue.push({ value, at });
    }
  }
  return undefined;
}

const MOST_LOOKED_AT = 500;

/** A path as an author would write it. */
function writePath(segments: readonly PathSegment[]): string {
  return writeTail(segments).replace(/^\./, "");
}

function writeTail(segments: readonly PathSegment[]): string {
  return segments
    .map((segment) => {
      if (segment.kind === "index") return `[${segment.index}]`;
      if (segment.kind === "each") return "[*]";
      return segment.exact ? `['${segment.key.replace(/['\\]/g, "\\$&")}']` : `.${segment.key}`;
    })
    .join("");
}
