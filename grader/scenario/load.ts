import { type Fault, fault, WaymarkError } from "../../proxy/record/fault.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import { accepts } from "./accept.ts";
import type { Scenario } from "./ast.ts";
import { Build, durationOf, entriesOf, given, isTrue, numberOf, textOf, valueAt } from "./build.ts";
import { firstFaults } from "./fault-cap.ts";
import { lintScenario } from "./lint.ts";
import { markerMaps, markersOf } from "./markers.ts";
import { patternOf } from "./pattern.ts";
import { budgetOf, checksOf, examplesOf, limitsOf, paramsOf, profileOf } from "./profile.ts";
import { rulesOf } from "./rules.ts";
import { readScenarioText } from "./scenario-file.ts";
import { shippedSchema } from "./shipped.ts";
import { readSources, type Sources } from "./sources.ts";
import { checkVariables } from "./variables.ts";
import { isEventModifier, toPlain, type YamlMap, type YamlNode } from "./yaml.ts";

export type { ReadFile } from "./sources.ts";

/** A scenario that can be graded, with what is odd about it and the texts it was read from. */
export interface LoadedScenario {
  readonly scenario: Scenario;
  /** Warnings and hints; a scenario with errors is never handed out. */
  readonly warnings: readonly Fault[];
  readonly file: string;
  readonly text: string;
  /** Text of the file and of every file it takes over, by the name their places carry. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Loads a scenario file. Throws a `WaymarkError` with every problem of the file at once, each with its place. Field
 * tests are checked as far as their syntax goes; `compileWhere` checks their modifiers and arguments.
 */
export async function loadScenario(file: string): Promise<LoadedScenario> {
  const text = readScenarioText(file);
  const doubtful: (readonly [YamlNode, string])[] = [];
  const notePossibleFaults = (root: YamlNode, own: string): readonly Fault[] => {
    if (!hasRightShape(root)) doubtful.push([root, own]);
    return [];
  };
  const sources = readSources(text, file, { readFile: readScenarioText, checkShape: notePossibleFaults });
  if (doubtful.length > 0) {
    const { checkShape } = await import("./shape.ts");
    sources.faults.push(...doubtful.flatMap(([root, own]) => checkShape(root, own)));
  }
  return assemble(sources, text, file);
}

/** True when nothing is wrong with the shape; to say what is wrong takes a library that is slow to load. */
function hasRightShape(root: YamlNode): boolean {
  schema ??= (shippedSchema() ?? false) as JsonValue;
  return accepts(schema, toPlain(root, isEventModifier));
}

let schema: JsonValue | undefined;

/** Puts a scenario together from its sources, throwing every problem at once. */
export function assemble(sources: Sources, text: string, file: string): LoadedScenario {
  const scenario = sources.root && buildScenario(sources.root, file, sources);
  const faults = [...sources.faults].sort(byPlace);
  const isBroken = faults.some(({ severity }) => severity === "error");
  if (scenario === undefined || isBroken) {
    throw new WaymarkError(faults.length > 0 ? firstFaults(faults, file) : notAMap(file, text));
  }
  return { scenario, warnings: firstFaults(faults, file), file, text, texts: sources.texts };
}

function buildScenario(root: YamlMap, file: string, sources: Sources): Scenario {
  const build = new Build(sources.texts, sources.faults);
  define(root, build);
  const markers = markersOf(valueAt(root, "markers"), build);
  const scenario: Scenario = {
    id: idOf(root, build),
    place: { file, line: 1, column: 1 },
    sha256: sources.sha256,
    events: profileOf(valueAt(root, "events"), build),
    params: paramsOf(valueAt(root, "params"), build),
    markers,
    rules: rulesOf(valueAt(root, "rules"), build),
    checks: checksOf(valueAt(root, "checks"), build),
    onCut: textOf(valueAt(root, "on_cut")) === "complete" ? "complete" : "inconclusive",
    limits: limitsOf(valueAt(root, "limits")),
    provisional: isTrue(root, "provisional"),
    examples: examplesOf(valueAt(root, "examples")),
    ...given("title", textOf(valueAt(root, "title"))),
    ...given("description", textOf(valueAt(root, "description"))),
    ...given("timespanMs", durationOf(root, "timespan")),
    ...given("budget", budgetOf(root)),
    ...given("passAt", numberOf(valueAt(root, "pass_at"))),
  };
  readUnused(build);
  checkEmpty(root, build);
  checkVariables(scenario, build);
  if (!sources.faults.some(({ severity }) => severity === "error")) lintScenario(scenario, build);
  return scenario;
}

function define(root: YamlMap, build: Build): void {
  for (const { key, keyPlace, value } of entriesOf(valueAt(root, "define"))) {
    build.definitions.set(key, { name: key, place: keyPlace, ...bodyOf(value) });
  }
  for (const map of markerMaps(valueAt(root, "markers"))) {
    const name = textOf(valueAt(map, "name"));
    if (name !== undefined && !build.markers.has(name)) build.markers.set(name, map);
  }
}

/** `{ where, params?, description? }` is a pattern with more to it; any other map is its field tests. */
function bodyOf(value: YamlNode): { body: YamlNode; params: readonly string[] } {
  const where = value.kind === "map" ? valueAt(value, "where") : undefined;
  const isLong = where?.kind === "map" || where?.kind === "list";
  if (value.kind !== "map" || !isLong) return { body: value, params: [] };
  const params = valueAt(value, "params");
  const names = params?.kind === "list" ? params.items.flatMap((item) => textOf(item) ?? []) : [];
  return { body: value, params: names };
}

function idOf(root: YamlMap, build: Build): string {
  const id = textOf(valueAt(root, "scenario"));
  if (id === undefined && valueAt(root, "scenario") === undefined) {
    const fix = "Add `scenario: ID`, the name used with --scenario.";
    build.report("WM_SCENARIO_MISSING_KEY", 'the key "scenario" is missing', root.place, { fix });
  }
  return id ?? "";
}

/** Patterns nobody uses are read too, so that their mistakes are told. */
function readUnused(build: Build): void {
  for (const { name, body, params } of build.definitions.values()) {
    if (build.used.has(name)) continue;
    const env = new Map(params.map((param) => [param, { kind: "literal", value: "" } as const]));
    patternOf(body, build, { env, open: [name], nested: false });
  }
}

/** A scenario with nothing to find and no law to break passes on anything. */
function checkEmpty(root: YamlMap, build: Build): void {
  const lists = ["markers", "rules"].map((key) => valueAt(root, key));
  if (lists.some((list) => list !== undefined && (list.kind !== "list" || list.items.length > 0))) return;
  const place = valueAt(root, "markers")?.place ?? valueAt(root, "rules")?.place ?? root.place;
  build.report("WM_SCENARIO_EMPTY", "the scenario has neither markers nor rules, so it could never fail", place);
}

function byPlace(a: Fault, b: Fault): number {
  if (a.place === undefined || b.place === undefined || a.place.file !== b.place.file) return 0;
  return a.place.line - b.place.line || a.place.column - b.place.column;
}

function notAMap(file: string, text: string): Fault {
  const place = { file, line: 1, column: 1 };
  return fault("WM_SCENARIO_WRONG_TYPE", "a scenario file is a map that begins with `waymark: 1`", { place, text });
}
