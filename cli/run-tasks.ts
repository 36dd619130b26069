import { readFileSync } from "node:fs";
import { parseYaml, type YamlNode } from "../grader/scenario/yaml.ts";
import { WaymarkError, waymarkError } from "../proxy/record/fault.ts";
import { isObject, type JsonValue, parseJson } from "../proxy/record/json.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { shellWords } from "./shell-words.ts";

/** One task of `--task FILE`: what the command is given besides itself. */
export interface Task {
  readonly name: string;
  readonly params: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string>>;
  /** Put behind the command. */
  readonly args: readonly string[];
}

const KEYS = ["name", "params", "env", "args"];

/** Reads a list of tasks in YAML or JSON. Throws `WM_USAGE_TASKS`, or the faults of the YAML with their places. */
export function readTasks(file: string): readonly Task[] {
  const value = readValue(file);
  if (!Array.isArray(value) || value.length === 0) throw wrong(file, "it holds no list of tasks");
  const tasks = (value as readonly JsonValue[]).map((item, index) => taskOf(item, `task ${index + 1}`, file));
  const twin = tasks.find((task, index) => tasks.findIndex(({ name }) => name === task.name) < index);
  if (twin !== undefined) throw wrong(file, `two tasks are named "${twin.name}"`);
  return tasks;
}

function readValue(file: string): JsonValue {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw wrong(file, "it cannot be read", cause);
  }
  if (!/\.json$/i.test(file)) {
    const { root, faults } = parseYaml(text, file);
    const errors = faults.filter(({ severity }) => severity === "error");
    if (errors.length > 0) throw new WaymarkError(errors);
    return root === undefined ? null : plain(root);
  }
  try {
    return parseJson(text);
  } catch (cause) {
    throw wrong(file, `it is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function plain(node: YamlNode): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
}

function taskOf(item: JsonValue, place: string, file: string): Task {
  if (typeof item === "string" && item !== "") return { name: item, params: new Map(), env: {}, args: [] };
  if (!isObject(item)) throw wrong(file, `${place} is no map`);
  const strange = Object.keys(item).find((key) => !KEYS.includes(key));
  if (strange !== undefined) throw wrong(file, `${place} has an unknown key "${strange}"${didYouMean(strange, KEYS)}`);
  const { name } = { name: item["name"] };
  if (typeof name !== "string" || name.trim() === "") throw wrong(file, `${place} has no name`);
  const where = `task "${name}"`;
  const env = texts(item["env"], `${where}: env`, file);
  const odd = Object.keys(env).find((key) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(key));
  if (odd !== undefined) throw wrong(file, `${where}: "${odd}" cannot be the name of a variable`);
  return {
    name,
    params: new Map(Object.entries(texts(item["params"], `${where}: params`, file))),
    env,
    args: argsOf(item["args"], where, file),
  };
}

/** A map of texts, numbers and truth values, all as text. */
function texts(value: JsonValue | undefined, what: string, file: string): Record<string, string> {
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong(file, `${what} is no map`);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, textOf(one, `${what}.${key}`, file)]));
}

function argsOf(value: JsonValue | undefined, where: string, file: string): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((one) => textOf(one, `${where}: one of args`, file));
  }
  const split = shellWords(textOf(value, `${where}: args`, file));
  if (!split.ok) throw wrong(file, `${where}: args cannot be split into words: ${split.why}`);
  return split.words;
}

function textOf(value: JsonValue, what: string, file: string): string {
  if (typeof value === "object") throw wrong(file, `${what} is neither a text nor a number`);
  return String(value);
}

function wrong(file: string, why: string, cause?: unknown): WaymarkError {
  return waymarkError("WM_USAGE_TASKS", `--task ${file}: ${why}`, { cause });
}
