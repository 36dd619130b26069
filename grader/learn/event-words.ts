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

/** A layer of an event in which its own words are looked for, with the path to it. */
function layersOf(event: JsonObject): readonly (readonly [prefix: string, layer: JsonObject])[] {
  const inner = LAYERS.flatMap((key) => {
    const layer = event[key];
    return isObject(layer) ? [[`${key}.`, layer] as const] : [];
  });
  return [["", event] as const, ...inner];
}

function find(event: JsonObject, keys: readonly string[], fits: (value: JsonValue) => boolean) {
  for (const [prefix, layer] of layersOf(event)) {
    for (const key of keys) {
      const value = layer[key];
      if (value !== undefined && Object.hasOwn(layer, key) && fits(value)) return { path: `${prefix}${key}`, value };
    }
  }
  return undefined;
}

/** Whether the event says that it changes something; undefined when it says nothing about that. */
export function saidToWrite(event: JsonObject): { readonly path: string; readonly writes: boolean } | undefined {
  const isFlag = (value: JsonValue): boolean => typeof value === "boolean";
  const write = find(event, WRITES, isFlag);
  if (write !== undefined) return { path: write.path, writes: write.value === true };
  const read = find(event, READS, isFlag);
  return read === undefined ? undefined : { path: read.path, writes: read.value !== true };
}

/** How an event says that it failed: the field and the test that finds it, as a scenario writes it. */
export interface FailureWord {
  readonly path: string;
  readonly test: string;
  readonly value: JsonValue;
}

/** The field by which an event tells failure from success, and which of them it tells; undefined when it has none. */
export function failureOf(event: JsonObject): { readonly word: FailureWord; readonly failed: boolean } | undefined {
  const failed = find(event, FAILED, (value) => typeof value === "boolean");
  if (failed !== undefined)
    return { word: { path: failed.path, test: failed.path, value: true }, failed: failed.value === true };
  const worked = find(event, WORKED, (value) => typeof value === "boolean");
  if (worked !== undefined)
    return { word: { path: worked.path, test: worked.path, value: false }, failed: worked.value === false };
  const text = find(
    event,
    ["error", "exception"],
    (value) => value === null || typeof value === "string" || isObject(value),
  );
  if (text === undefined) return undefined;
  const isEmpty = text.value === null || text.value === "";
  return { word: { path: text.path, test: `${text.path}|re`, value: "." }, failed: !isEmpty && !isObject(text.value) };
}

/** The answer of a call as one leaf: its text, or its content when it is a list or map. */
export function outcomeOf(event: JsonObject): Leaf | undefined {
  const found = find(event, ANSWERS, () => true);
  if (found === undefined) return undefined;
  const { path, value } = found;
  if (typeof value !== "object" || value === null) return { path, key: `${typeof value}:${String(value)}`, value };
  return { path, key: `j${stringifyJson(sorted(readSpelled(value)))}`, value };
}

/** Whether the event looks like a call of something: with arguments, or with an answer. */
export function isCall(event: JsonObject): boolean {
  return find(event, [...GIVEN, ...ANSWERS, ...WRITES, ...READS], () => true) !== undefined;
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
