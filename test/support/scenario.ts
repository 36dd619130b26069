import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileWhere, type FieldCheck } from "../../grader/operators/where.ts";
import type { EventMarker, Where } from "../../grader/scenario/ast.ts";
import type { LoadedScenario, ReadFile } from "../../grader/scenario/load.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";
import type { Fault } from "../../proxy/record/fault.ts";
import { WaymarkError } from "../../proxy/record/fault.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../proxy/record/json.ts";
import { SHARED } from "./project.ts";

/** The part of a scenario an oracle case spells out: `markers`, `rules`, `define`, `params`, `events`, ... */
export type BareScenario = Readonly<Record<string, unknown>>;

/** Loads a bare scenario of the oracle bank as if it stood in a file (JSON is YAML). */
export function loadBare(bare: BareScenario, id = "case"): LoadedScenario {
  return parseScenario(bareText(bare, id), `${id}.yaml`);
}

/** The text of a scenario file that holds the bare scenario. The bank writes some durations as bare milliseconds. */
export function bareText(bare: BareScenario, id = "case"): string {
  return stringifyJson(withUnits({ waymark: 1, scenario: id, ...bare }, "") as JsonValue);
}

function withUnits(value: unknown, key: string): unknown {
  if (typeof value === "number" && (key === "within" || key === "timespan")) return `${value}ms`;
  if (Array.isArray(value)) return value.map((item: unknown) => withUnits(item, ""));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withUnits(inner, name)]));
}

/** Compiles one `where` as a marker's, with the faults its compilation reported. */
export function compileBare(
  where: unknown,
  { params = {}, define = {} }: { params?: Readonly<Record<string, JsonValue>>; define?: unknown } = {},
): { readonly check: FieldCheck; readonly faults: readonly Fault[] } {
  const declared = Object.fromEntries(Object.keys(params).map((name) => [name, { default: null }]));
  const { scenario } = loadBare({ markers: [{ name: "m", where }], define, params: declared });
  const marker = scenario.markers[0] as EventMarker;
  return compileParsed(marker.where, params);
}

/** Compiles a `where` of a loaded scenario. */
export function compileParsed(
  where: Where,
  params: Readonly<Record<string, JsonValue>> = {},
): { readonly check: FieldCheck; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const eventName = { kind: "dotted", text: "name", segments: [{ kind: "key", key: "name", exact: true }] } as const;
  const check = compileWhere(where, {
    eventName,
    params: new Map(Object.entries(params)),
    fault: (problem) => void faults.push(problem),
  });
  return { check, faults };
}

/** The faults a text is refused with; none when it loads. */
export function faultsOf(text: string, file = "case.yaml", readFile?: ReadFile): readonly Fault[] {
  try {
    return parseScenario(text, file, readFile).warnings;
  } catch (error) {
    if (error instanceof WaymarkError) return error.faults;
    throw error;
  }
}

/** A JSON file of the shared material, with all digits of its integers. */
export function readShared(...parts: string[]): JsonValue {
  return parseJson(readFileSync(join(SHARED, ...parts), "utf8"));
}
