import { isObject, type JsonObject, type JsonValue, stringifyJson } from "../../proxy/record/json.ts";

/** One thing the agent did. */
export interface Action {
  readonly name: string;
  /** Name and arguments, spelled one way: two actions with the same key are the same call. */
  readonly key: string;
  readonly arguments: JsonValue;
  /** Line in its log, from 0. */
  readonly record: number;
  /** `effect`: changes the world. `check`: looks whether something is as it should be. `read`: everything else. */
  readonly kind: "effect" | "check" | "read";
  /** `asked`: a model's tool call. `done`: the tool was run. `event`: an app's own event. */
  readonly from: "asked" | "done" | "event";
  /** The call's own id, where there is one. */
  readonly id?: string;
}

const CHECKS =
  /^(?:assert|check|checks|confirm|diff|expect|inspect|lint|observe|screenshot|test|tests|typecheck|validate|verify|verification)$/;
const EFFECTS =
  /^(?:add|apply|approve|archive|assign|book|buy|call|cancel|change|click|close|commit|copy|create|delete|deploy|drop|edit|exchange|execute|fill|insert|install|invite|merge|modify|move|order|patch|pay|place|post|press|publish|push|put|refund|remove|rename|reply|replace|reset|return|save|schedule|send|set|submit|switch|transfer|type|undo|update|upload|write)$/;

/**
 * Guesses from a tool's name what it does, by its words (`cancel_order`, `runTests`): a word of checking makes it a check,
 * else one of changing an effect, else it reads. Words are compared whole, so `settings` is no `set`.
 */
export function kindOfTool(name: string): Action["kind"] {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  if (words.some((word) => CHECKS.test(word))) return "check";
  return words.some((word) => EFFECTS.test(word)) ? "effect" : "read";
}

/**
 * The action a record tells of: an MCP `tools/call`, a model's `tool_call`, a GenAI `execute_tool` span, or an event whose
 * `data` has `args` or `arguments`. Undefined for everything else, and for telemetry that was only delivered again.
 */
export function actionIn(event: JsonObject, record: number): Action | undefined {
  const meta = objectAt(event, "$capture");
  const { format, retry } = meta;
  const data = objectAt(event, "data");
  if (format === "mcp") return event["name"] === "tools/call" ? toolAction(data, { record, from: "done" }) : undefined;
  if (format === "openai" || format === "anthropic") {
    return event["name"] === "tool_call" ? toolAction(data, { record, from: "asked" }) : undefined;
  }
  if (retry === true) return undefined;
  if (data["gen_ai.operation.name"] === "execute_tool") return spanAction(event, data, record);
  const given = data["args"] ?? data["arguments"];
  if (given === undefined || typeof event["name"] !== "string") return undefined;
  const kind = data["write"] === true ? "effect" : undefined;
  return actionOf({ name: event["name"], given, record, from: "done", ...(kind === undefined ? {} : { kind }) });
}

/** An app's own event as an action, for captures that show no tool calls; undefined for exchanges with models and MCP. */
export function eventAction(event: JsonObject, record: number): Action | undefined {
  const { name, data } = event;
  const { format, retry } = objectAt(event, "$capture");
  const isTalk = format === "openai" || format === "anthropic" || format === "mcp" || event["signal"] === "metric";
  if (typeof name !== "string" || isTalk || retry === true) return undefined;
  return actionOf({ name, given: data ?? null, record, from: "event" });
}

/**
 * The actions of a run, each once: a call that a model asked for and that was then run, seen both ways, is the run one. The
 * same are an asked and a run call with equal arguments and the same id, or, where one has no id, the same name (MCP
 * clients put the server's name before the tool's).
 */
export function mergeActions(actions: readonly Action[]): readonly Action[] {
  const asked = new Map<string, Action[]>();
  for (const action of actions) {
    if (action.from !== "asked") continue;
    const key = canonical(action.arguments);
    asked.set(key, [...(asked.get(key) ?? []), action]);
  }
  const gone = new Set<Action>();
  for (const done of actions) {
    if (done.from === "asked") continue;
    const same = asked.get(canonical(done.arguments)) ?? [];
    const one = same.find((call) => !gone.has(call) && isSameCall(call, done));
    if (one !== undefined) gone.add(one);
  }
  return actions.filter((action) => !gone.has(action));
}

function isSameCall(asked: Action, done: Action): boolean {
  if (asked.id !== undefined && done.id !== undefined) return asked.id === done.id;
  return asked.name === done.name || new RegExp(`(?:__|[./:])${escaped(done.name)}$`).test(asked.name);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function toolAction(data: JsonObject, { record, from }: Pick<Action, "record" | "from">): Action | undefined {
  const { name, id } = data;
  if (typeof name !== "string") return undefined;
  return actionOf({ name, given: data["arguments"] ?? null, record, from, ...(typeof id === "string" ? { id } : {}) });
}

function spanAction(event: JsonObject, data: JsonObject, record: number): Action {
  const name = data["gen_ai.tool.name"] ?? event["name"];
  const id = data["gen_ai.tool.call.id"];
  return actionOf({
    name: typeof name === "string" ? name : "tool",
    given: data["gen_ai.tool.call.arguments"] ?? null,
    record,
    from: "done",
    ...(typeof id === "string" ? { id } : {}),
  });
}

interface Told {
  readonly name: string;
  readonly given: JsonValue;
  readonly record: number;
  readonly from: Action["from"];
  readonly id?: string;
  readonly kind?: Action["kind"];
}

function actionOf({ name, given, record, from, id, kind }: Told): Action {
  return {
    name,
    key: `${name} ${canonical(given)}`,
    arguments: given,
    record,
    kind: kind ?? kindOfTool(name),
    from,
    ...(id === undefined ? {} : { id }),
  };
}

/** JSON with keys in order, so that two spellings of the same arguments are equal. */
export function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return stringifyJson(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`);
  return `{${members.join(",")}}`;
}

function objectAt(event: JsonObject, key: string): JsonObject {
  const value = event[key];
  return isObject(value) ? value : {};
}
