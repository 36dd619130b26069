import { JSONPath } from "jsonpath-plus";
import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";

/** A step of a path; `deep` steps look at every level below. */
export interface Step {
  readonly deep: boolean;
  readonly to: string | number | typeof EVERY;
}

/** All members of an object, all items of a list. */
export const EVERY = Symbol("*");

export type ParsedPath =
  | { readonly ok: true; readonly steps: readonly Step[] }
  | { readonly ok: false; readonly why: string };

const STEP =
  /(?<dots>\.\.?)(?:(?<star>\*)|(?<name>[\p{L}_][\p{L}\p{N}_-]*))|(?<deep>\.\.)?\[(?:(?<every>\*)|(?<index>-?\d{1,9})|"(?<double>[^"\\]*)"|'(?<single>[^'\\]*)')\]/uy;
const MAX_LENGTH = 500;

/**
 * Reads a JSONPath of names, indexes, `*` and `..` (RFC 9535 without slices and filters): `$.batch[*]`, `$["a.b"]`,
 * `$..event`, `$[-1]`. Says why when it is none.
 */
export function parsePath(text: string): ParsedPath {
  if (!text.startsWith("$")) return { ok: false, why: "it has to begin with $" };
  if (text.length > MAX_LENGTH) return { ok: false, why: `it is longer than ${MAX_LENGTH} characters` };
  const steps: Step[] = [];
  for (let at = 1; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const groups = STEP.exec(text)?.groups;
    if (groups === undefined) return { ok: false, why: complaint(text.slice(at)) };
    steps.push(stepOf(groups));
  }
  return { ok: true, steps };
}

function complaint(rest: string): string {
  if (rest.startsWith("[?")) return "filters are not available here; a decoder in JavaScript can do that";
  if (/^\[-?\d*:/.test(rest)) return "slices are not available here";
  return `"${rest.slice(0, 20)}" is no step; write .name, ["any name"], [0], [*] or ..name`;
}

function stepOf(groups: Readonly<Record<string, string | undefined>>): Step {
  const { dots, star, name, deep, every, index, double, single } = groups;
  const isDeep = dots === ".." || deep !== undefined;
  if (star !== undefined || every !== undefined) return { deep: isDeep, to: EVERY };
  return { deep: isDeep, to: index === undefined ? (name ?? double ?? single ?? "") : Number(index) };
}

/** Reads the values at a path, in document order. */
export interface PathReader {
  readonly steps: readonly Step[];
  /** Names at most one place. */
  readonly isSingle: boolean;
  first(root: JsonValue): JsonValue | undefined;
  all(root: JsonValue): readonly JsonValue[];
}

/** Compiles a path that `parsePath` accepts; one that it does not names nothing. */
export function compilePath(text: string): PathReader {
  const parsed = parsePath(text);
  const steps = parsed.ok ? parsed.steps : [];
  if (!parsed.ok) return { steps, isSingle: true, first: () => undefined, all: () => [] };
  const isSingle = steps.every(({ deep, to }) => !deep && to !== EVERY);
  if (!isSingle) {
    const all = (root: JsonValue): readonly JsonValue[] => severalAt(root, steps);
    return { steps, isSingle, all, first: (root) => all(root)[0] };
  }
  const first = (root: JsonValue): JsonValue | undefined => steps.reduce(child, root as JsonValue | undefined);
  return {
    steps,
    isSingle,
    first,
    all(root) {
      const value = first(root);
      return value === undefined ? [] : [value];
    },
  };
}

function child(value: JsonValue | undefined, { to }: Step): JsonValue | undefined {
  if (typeof to === "number") return Array.isArray(value) ? (value as readonly JsonValue[]).at(to) : undefined;
  if (to === EVERY || !isObject(value) || !Object.hasOwn(value, to)) return undefined;
  return value[to];
}

/** The last step alone names several: a list's items, without further ado. Everything else is asked of jsonpath-plus. */
function severalAt(root: JsonValue, steps: readonly Step[]): readonly JsonValue[] {
  const last = steps.at(-1);
  const before = steps.slice(0, -1);
  if (last?.to === EVERY && !last.deep && before.every(({ deep, to }) => !deep && to !== EVERY)) {
    const holder = before.reduce(child, root as JsonValue | undefined);
    if (Array.isArray(holder)) return holder as readonly JsonValue[];
    return isObject(holder) ? Object.values(holder) : [];
  }
  return plainSteps(steps) === undefined
    ? walk(root, steps)
    : (ask(root, plainSteps(steps) ?? []) ?? walk(root, steps));
}

/** The path in the package's own form, when every name in it means just itself there and one walk suffices. */
function plainSteps(steps: readonly Step[]): string[] | undefined {
  const path = ["$"];
  if (steps.filter(({ deep }) => deep).length > 1) return undefined;
  for (const { deep, to } of steps) {
    if (deep) path.push("..");
    if (to === EVERY && !deep) path.push("*");
    else if (typeof to === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(to)) path.push(to);
    else return undefined;
  }
  return path;
}

interface Hit {
  readonly value: JsonValue;
  readonly parent: JsonValue;
  readonly parentProperty: string | number | null;
}

/** Undefined when the value is nested deeper than the package reaches. Nothing is ever run as code. */
function ask(root: JsonValue, path: string[]): readonly JsonValue[] | undefined {
  if (typeof root !== "object" || root === null) return [];
  try {
    const hits: readonly Hit[] = JSONPath({
      path,
      json: root as JsonObject,
      eval: false,
      wrap: true,
      resultType: "all",
    });
    return hits.filter(isMember).map(({ value }) => value);
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/** The package also finds the length of lists and the letters of texts, which are no members in JSON. */
function isMember({ parent, parentProperty }: Hit): boolean {
  return Array.isArray(parent) ? /^\d+$/.test(String(parentProperty)) : typeof parent === "object";
}

function walk(root: JsonValue, steps: readonly Step[]): readonly JsonValue[] {
  let found: readonly JsonValue[] = [root];
  for (const step of steps) {
    const next: JsonValue[] = [];
    const holders = step.deep ? found.flatMap(levels) : found;
    for (const holder of holders) {
      if (step.to === EVERY) next.push(...membersOf(holder));
      else {
        const value = child(holder, step);
        if (value !== undefined) next.push(value);
      }
    }
    found = next;
  }
  return found;
}

/** A value and all values below it, each before what it holds. */
function levels(root: JsonValue): readonly JsonValue[] {
  const all: JsonValue[] = [];
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    all.push(value);
    for (const member of [...membersOf(value)].reverse()) open.push(member);
  }
  return all;
}

function membersOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  return isObject(value) ? Object.values(value) : [];
}
