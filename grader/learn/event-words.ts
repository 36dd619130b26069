import { isObject, type JsonObject, type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import { readSpelled } from "../operators/spelled.ts";
import type { Leaf } from "./trace.ts";

/** Keys that hold the answer of a call, right in the event or in its `data`. */
const ANSWERS = ["result", "output", "response", "answer", "observation", "returned", "return_value", "stdout"];
/** Keys that hold what a call was given. */
const GIVEN = [
  "args",
  "arguments",
  "input",
  "inputs",
  "parameters",
  "params",
  "kwargs",
  "tool_input",
  "command",
  "query",
];
/** Keys by which an event says whether it changes anything. */
const WRITES = ["write", "writes", "is_write", "mutates", "mutating"];
const READS = ["readonly", "readOnly", "read_only", "readOnlyHint"];
const FAILED = ["error", "is_error", "isError", "failed", "has_error"];
const WORKED = ["success", "ok", "succeeded"];
const LAYERS = ["data", "props", "attributes", "payload"] as const;

/** How an event says that it failed: the field and the test that finds it, as a scenario writes it. */
export interface FailureWord {
  readonly path: string;
  readonly test: string;
  readonly value: JsonValue;
}

/** What an event says of itself in words that many logs use. */
export interface EventWords {
  /** Whether it changes something, and where it says so; undefined when it says nothing about that. */
  readonly writes: { readonly path: string; readonly writes: boolean } | undefined;
  /** The field that tells failure from success, and which of them it tells. */
  readonly failure: { readonly word: FailureWord; readonly failed: boolean } | undefined;
  /** The answer of a call as one leaf: its text, or its content when it is a list or map. */
  readonly outcome: Leaf | undefined;
  /** It looks like a call of something: it has arguments, or an answer. */
  readonly isCall: boolean;
}

type Role = "answer" | "given" | "write" | "read" | "failed" | "worked" | "error";

const ROLES: ReadonlyMap<string, readonly Role[]> = roles({
  answer: ANSWERS,
  given: GIVEN,
  write: WRITES,
  read: READS,
  failed: FAILED,
  worked: WORKED,
  error: ["error", "exception"],
});

/** What a key of an event, or of one of its layers, says of it: an answer, some other word, or nothing. */
export function roleOf(key: string): "answer" | "word" | undefined {
  const own = ROLES.get(key);
  return own === undefined ? undefined : own.includes("answer") ? "answer" : "word";
}

/** True for the paths below which words are looked for as well. */
export function standsInLayer(path: string): boolean {
  return (LAYERS as readonly string[]).includes(path);
}

function roles(lists: Readonly<Record<Role, readonly string[]>>): ReadonlyMap<string, readonly Role[]> {
  const byKey = new Map<string, Role[]>();
  for (const [role, keys] of Object.entries(lists)) {
    for (const key of keys) byKey.set(key, [...(byKey.get(key) ?? []), role as Role]);
  }
  return byKey;
}

interface Spot {
  readonly path: string;
  readonly value: JsonValue;
}

/**
 * The words of an event, looked for right in it and in its `data`, `props`, `attributes` and `payload`; the first that is
 * found counts. Read once for every event of every run, so it goes over the keys once.
 */
export function wordsOf(event: JsonObject): EventWords {
  const found: Partial<Record<Role, Spot>> = {};
  look(event, "", found);
  for (const key of LAYERS) {
    const layer = event[key];
    if (isObject(layer)) look(layer, `${key}.`, found);
  }
  const { answer, given, write, read } = found;
  const writes =
    write !== undefined
      ? { path: write.path, writes: write.value === true }
      : read && { path: read.path, writes: read.value !== true };
  return {
    writes,
    failure: failureIn(found),
    outcome: answer && outcomeOf(answer),
    isCall: (answer ?? given ?? write ?? read) !== undefined,
  };
}

function look(layer: JsonObject, prefix: string, found: Partial<Record<Role, Spot>>): void {
  for (const key in layer) {
    const own = ROLES.get(key);
    const value = layer[key];
    if (own === undefined || value === undefined || !Object.hasOwn(layer, key)) continue;
    for (const role of own) {
      if (found[role] === undefined && fits(role, value)) found[role] = { path: prefix + key, value };
    }
  }
}

function fits(role: Role, value: JsonValue): boolean {
  if (role === "answer" || role === "given") return true;
  if (role === "error") return value === null || typeof value === "string" || isObject(value);
  return typeof value === "boolean";
}

function failureIn({ failed, worked, error }: Partial<Record<Role, Spot>>): EventWords["failure"] {
  if (failed !== undefined) {
    return { word: { path: failed.path, test: failed.path, value: true }, failed: failed.value === true };
  }
  if (worked !== undefined) {
    return { word: { path: worked.path, test: worked.path, value: false }, failed: worked.value === false };
  }
  if (error === undefined) return undefined;
  const isTold = typeof error.value === "string" && /./.test(error.value);
  return { word: { path: error.path, test: `${error.path}|re`, value: "." }, failed: isTold };
}

function outcomeOf({ path, value }: Spot): Leaf {
  if (typeof value !== "object" || value === null) return { path, key: `${typeof value}:${String(value)}`, value };
  return { path, key: `j${stringifyJson(sorted(readSpelled(value)))}`, value };
}

/** True for a path that is (inside) an answer, a failure or a write flag: what came out, or how, not what was done. */
export function isNoArgument(path: string): boolean {
  const [first = "", second = ""] = path.split(/[.[]/);
  const key = (LAYERS as readonly string[]).includes(first) ? second : first;
  return [...ANSWERS, ...WRITES, ...READS, ...FAILED, ...WORKED, "exception"].includes(key);
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}
