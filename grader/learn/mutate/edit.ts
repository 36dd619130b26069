import { isObject, type JsonObject, type JsonValue } from "../../../proxy/record/json.ts";
import type { FieldPath, PathSegment } from "../../scenario/ast.ts";

type Change = (value: JsonValue | undefined) => JsonValue | undefined;

/**
 * The event with the value at a path changed; `undefined` as the new value takes the field out. A path that names
 * nothing yet is made, as nesting. Undefined when the path cannot be followed (a JSONPath that is more than names, a
 * text in the way).
 */
export function changeAt(event: JsonObject, path: FieldPath, change: Change): JsonObject | undefined {
  const segments = path.kind === "dotted" ? path.segments : plainSegments(path.text);
  if (segments === undefined) return undefined;
  const changed = edit(event, segments, change);
  return isObject(changed) ? changed : undefined;
}

/** The same with a value known beforehand. */
export function setAt(event: JsonObject, path: FieldPath, value: JsonValue | undefined): JsonObject | undefined {
  return changeAt(event, path, () => value);
}

/** `$.a.b` says no more than `a.b`. */
function plainSegments(text: string): readonly PathSegment[] | undefined {
  if (!/^\$(?:\.[A-Za-z_]\w*)+$/.test(text)) return undefined;
  return text
    .slice(2)
    .split(".")
    .map((key) => ({ kind: "key", key, exact: true }));
}

const IMPOSSIBLE = Symbol("the path cannot be followed");

function edit(root: JsonValue | undefined, segments: readonly PathSegment[], change: Change): JsonValue | undefined {
  const result = step(root, segments, change);
  return result === IMPOSSIBLE ? root : result;
}

function step(
  root: JsonValue | undefined,
  segments: readonly PathSegment[],
  change: Change,
): JsonValue | undefined | typeof IMPOSSIBLE {
  const [first, ...rest] = segments;
  if (first === undefined) return change(root);
  if (first.kind === "key") return inObject(root, segments, change);
  const list = root === undefined ? [] : Array.isArray(root) ? (root as readonly JsonValue[]) : undefined;
  if (list === undefined) return IMPOSSIBLE;
  if (first.kind === "each") {
    const items = list.length === 0 ? [undefined] : list;
    return items.flatMap((item) => edit(item, rest, change) ?? []);
  }
  const at = first.index < 0 ? Math.max(0, list.length + first.index) : first.index;
  const filled = [...list];
  while (filled.length <= at) filled.push(null);
  const value = edit(list[at], rest, change);
  if (value === undefined) filled.splice(at, 1);
  else filled[at] = value;
  return filled;
}

function inObject(
  root: JsonValue | undefined,
  segments: readonly PathSegment[],
  change: Change,
): JsonValue | undefined | typeof IMPOSSIBLE {
  const object = root === undefined || root === null ? {} : isObject(root) ? root : undefined;
  if (object === undefined) return IMPOSSIBLE;
  const [key, rest] = readingIn(object, segments);
  const value = edit(Object.hasOwn(object, key) ? object[key] : undefined, rest, change);
  if (value !== undefined) return { ...object, [key]: value };
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** The key that is there: alone, else joined by dots with those behind it, shortest first (LANGUAGE.md section 3.1). */
function readingIn(object: JsonObject, segments: readonly PathSegment[]): readonly [string, readonly PathSegment[]] {
  const [first] = segments;
  const plain = first?.kind === "key" ? first.key : "";
  let joined = plain;
  for (let taken = 1; taken <= segments.length; taken++) {
    if (Object.hasOwn(object, joined)) return [joined, segments.slice(taken)];
    const next = segments[taken];
    if (next?.kind !== "key" || (first?.kind === "key" && first.exact) || next.exact) break;
    joined = `${joined}.${next.key}`;
  }
  return [plain, segments.slice(1)];
}
