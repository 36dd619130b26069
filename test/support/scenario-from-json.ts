import {
  type BlockMarker,
  type CaptureBinding,
  DEFAULT_LIMITS,
  type EventProfile,
  type FieldPath,
  type MarkerNode,
  type RuleNode,
  type Scenario,
  type Where,
} from "../../grader/scenario/ast.ts";
import { parseOperand } from "../../grader/scenario/operand.ts";
import { parsePath, splitModifiers } from "../../grader/scenario/path.ts";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";

/** What a test gives of a scenario: markers, rules and the rest as they stand in a file, as plain JSON. */
export interface ScenarioJson {
  readonly markers?: readonly JsonValue[];
  readonly rules?: readonly JsonValue[];
  readonly timespan?: string;
  readonly events?: JsonObject;
  readonly define?: JsonObject;
  readonly limits?: JsonObject;
  readonly params?: JsonObject;
}

const PLACE = { file: "case.yaml", line: 1, column: 1 };
let counter = 0;
let define: JsonObject = {};

export function scenarioFrom(json: ScenarioJson): Scenario {
  counter = 0;
  define = { ...namedMarkers(json.markers ?? []), ...json.define };
  return {
    id: "case",
    place: PLACE,
    sha256: "",
    events: profileFrom(json.events ?? {}),
    params: Object.entries((json.params ?? {}) as Record<string, JsonObject>).map(([name, { default: value }]) => ({
      name,
      ...(value === undefined ? {} : { default: value }),
      required: value === undefined,
      place: PLACE,
    })),
    markers: (json.markers ?? []).map(markerFrom),
    ...(json.timespan === undefined ? {} : { timespanMs: ms(json.timespan) }),
    rules: (json.rules ?? []).map((rule) => ruleFrom(rule as JsonObject)),
    checks: [],
    onCut: "inconclusive",
    limits: { ...DEFAULT_LIMITS, ...(json.limits as object | undefined) },
    provisional: false,
    examples: [],
  };
}

function namedMarkers(markers: readonly JsonValue[]): JsonObject {
  const named: Record<string, JsonValue> = {};
  for (const marker of markers as readonly JsonObject[]) {
    const { name, where, event } = marker as Record<string, JsonValue>;
    if (typeof name === "string") named[name] = where ?? { event: event ?? null };
  }
  return named;
}

function profileFrom(events: JsonObject): EventProfile {
  const optional: Record<string, unknown> = {};
  if (events["time"] !== undefined) optional["time"] = path(String(events["time"]));
  if (events["id"] !== undefined) optional["id"] = path(String(events["id"]));
  if (events["session"] !== undefined) optional["session"] = paths(events["session"]);
  if (events["idle"] !== undefined) optional["idleMs"] = ms(events["idle"] as string);
  if (events["session_end"] !== undefined) optional["sessionEnd"] = pattern(events["session_end"]);
  return {
    name: path(String(events["name"] ?? "name")),
    order: events["order"] === "time" ? "time" : "line",
    latenessMs: ms((events["lateness"] as string) ?? "2s"),
    sessions: "all",
    sessionless: events["sessionless"] === "broadcast" ? "broadcast" : "aside",
    unreadable: "gap",
    retries: "drop",
    dedupeMs: 600_000,
    ...optional,
  } as EventProfile;
}

function markerFrom(value: JsonValue): MarkerNode {
  if (typeof value === "string") return markerFrom({ pattern: value });
  const json = value as JsonObject;
  const name = String(json["name"] ?? `marker ${++counter}`);
  const common = {
    name,
    place: PLACE,
    optional: json["optional"] === true,
    advisory: json["advisory"] === true,
    weight: Number(json["weight"] ?? 1),
    repeat: Number(json["repeat"] ?? 1),
    ...(json["distinct"] === undefined ? {} : { distinct: paths(json["distinct"]) }),
    ...(json["same"] === undefined ? {} : { same: paths(json["same"]) }),
    ...(json["timespan"] === undefined ? {} : { timespanMs: ms(json["timespan"] as string) }),
    ...(json["within"] === undefined ? {} : { withinMs: ms(json["within"] as string) }),
    ...(json["without"] === undefined ? {} : { without: pattern(json["without"]) }),
    immediately: json["immediately"] === true,
  };
  for (const kind of ["any_order", "one_of", "sequence"] as const) {
    const lists = json[kind];
    if (lists === undefined) continue;
    const list = lists as readonly JsonValue[];
    const parts = kind === "sequence" ? [list] : list.map((item) => (Array.isArray(item) ? item : [item]));
    return { ...common, kind, lists: parts.map((part) => part.map(markerFrom)) } as BlockMarker;
  }
  const tests: Where[] = [];
  if (json["event"] !== undefined) tests.push(pattern({ event: json["event"] }));
  if (json["where"] !== undefined) tests.push(pattern(json["where"]));
  if (json["pattern"] !== undefined) tests.push(pattern(json["pattern"]));
  return { ...common, kind: "marker", where: all(tests), capture: captures(json["capture"]) };
}

function ruleFrom(json: JsonObject): RuleNode {
  const at = (key: string): Where | undefined => (json[key] === undefined ? undefined : pattern(json[key] ?? null));
  const between = json["between"] as readonly JsonValue[] | undefined;
  const common: Record<string, unknown> = {
    name: String(json["name"] ?? `rule ${++counter}`),
    place: PLACE,
    severity: json["severity"] ?? "error",
    requireTrigger: json["require_trigger"] === true,
    capture: captures(json["capture"]),
    immediately: json["immediately"] === true,
  };
  for (const scope of ["after", "before", "until", "without"]) if (at(scope) !== undefined) common[scope] = at(scope);
  if (between !== undefined) common["between"] = between.map(pattern);
  if (json["within"] !== undefined) common["withinMs"] = ms(json["within"] as string);
  return { ...common, ...verbFrom(json) } as unknown as RuleNode;
}

function verbFrom(json: JsonObject): object {
  const where = (key: string): Where => pattern(json[key] ?? null);
  if (json["if"] !== undefined) {
    const then = json["never"] === undefined ? "expect" : "never";
    return { verb: "if", condition: where("if"), then, target: where(then) };
  }
  if (json["count"] !== undefined) {
    const bound = (key: string): object => {
      const value = json[key] ?? json["exactly"];
      return value === undefined ? {} : { [key]: value };
    };
    return {
      verb: "count",
      target: where("count"),
      ...bound("min"),
      ...bound("max"),
      ...(json["distinct"] === undefined ? {} : { distinct: paths(json["distinct"]) }),
      ...(json["per"] === undefined ? {} : { per: paths(json["per"]) }),
      ...(json["timespan"] === undefined ? {} : { timespanMs: ms(json["timespan"] as string) }),
    };
  }
  if (json["each"] !== undefined) return { verb: "each", target: where("each"), must: where("must") };
  if (json["span"] !== undefined) {
    const span = json["span"] as JsonObject;
    const [start, end] = [pattern(span["start"] ?? null), pattern(span["end"] ?? null)];
    return { verb: "span", start, end, maxMs: ms(span["max"] as string), mustEnd: span["must_end"] === true };
  }
  const verb = ["never", "expect", "first", "last"].find((name) => json[name] !== undefined) ?? "never";
  return { verb, target: where(verb) };
}

function pattern(value: JsonValue): Where {
  if (typeof value === "string") return pattern(define[value] ?? { missing: value });
  if (Array.isArray(value)) return { kind: "any", items: value.map(pattern), place: PLACE };
  const tests = Object.entries(value as JsonObject).map(([key, test]): Where => {
    if (key === "all" || key === "any") {
      return { kind: key, items: (test as JsonValue[]).map(pattern), place: PLACE };
    }
    if (key === "not") return { kind: "not", item: pattern(test), place: PLACE };
    const { path: text, modifiers } = splitModifiers(key);
    if (typeof test === "object" && test !== null && !Array.isArray(test) && modifiers.length === 0) {
      return { kind: "nested", path: path(text), where: pattern(test), place: PLACE };
    }
    const value = Array.isArray(test) && !modifiers.includes("equals") ? test.map(parseOperand) : parseOperand(test);
    return { kind: "field", key, path: path(text), modifiers, value, place: PLACE, valuePlace: PLACE };
  });
  return all(tests);
}

function all(items: readonly Where[]): Where {
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind: "all", items, place: PLACE };
}

function captures(value: JsonValue | undefined): CaptureBinding[] {
  return Object.entries((value ?? {}) as JsonObject).map(([name, text]) => ({
    name,
    path: path(String(text)),
    place: PLACE,
  }));
}

function paths(value: JsonValue): FieldPath[] {
  return (Array.isArray(value) ? value : [value]).map((text) => path(String(text)));
}

function path(text: string): FieldPath {
  const parsed = parsePath(text);
  if (!parsed.ok) throw new Error(text);
  return parsed.path;
}

function ms(value: string | number): number {
  const text = String(value);
  const groups = /^\d+$/.test(text)
    ? ({ unit: "ms", 1: text, 2: "ms" } as unknown as RegExpExecArray)
    : /^([\d.]+)(ms|s|m|h|d)$/.exec(text);
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[groups?.[2] ?? "ms"] ?? 1;
  return Number(groups?.[1]) * unit;
}
