import { type Fault, fault } from "../proxy/record/fault.ts";
import { isObject, type JsonObject, type JsonValue } from "../proxy/record/json.ts";
import { nearest } from "../proxy/record/near.ts";
import type { Pattern } from "./match/pattern.ts";
import { leavesOf } from "./match/plan.ts";
import { compileProgram, type Program } from "./match/program.ts";
import { patternsOf } from "./match/rule-plan.ts";
import { compilePath } from "./operators/where.ts";
import { readSeries } from "./read/read.ts";
import { findLogs } from "./read/series.ts";
import type { FieldPath, Where } from "./scenario/ast.ts";
import type { LoadedScenario } from "./scenario/load.ts";

/** Most different paths that are remembered of a sample, for suggestions. */
const MAX_PATHS = 20_000;

/**
 * Looks at a scenario beside a sample of real events (a log) and warns about what can never happen there: a field that
 * no event has, with the nearest one that exists, and a rule whose trigger no event satisfies. Throws what compiling
 * and reading throw.
 */
export async function sampleFaults(loaded: LoadedScenario, log: string): Promise<readonly Fault[]> {
  const program = compileProgram(loaded.scenario, parameterStandIns(loaded), loaded.texts);
  const watch = new SampleWatch(program);
  const { series, missing } = await findLogs([log]);
  const [absent] = missing;
  if (absent !== undefined) return [fault("WM_LOG_NOT_FOUND", `the sample "${log}" is not there`)];
  for (const one of series) {
    const sink = { restart() {}, tick() {}, gap() {}, event: (event: JsonObject) => watch.event(event) };
    await readSeries(one, { rule: { kind: "all" }, sink, lineBytes: loaded.scenario.limits.lineBytes });
  }
  return watch.faults(loaded);
}

/** A parameter without a value stands for some text; only shapes are looked at here. */
function parameterStandIns({ scenario }: LoadedScenario): Map<string, JsonValue> {
  return new Map(scenario.params.flatMap(({ name, default: value }) => (value === undefined ? [[name, ""]] : [])));
}

interface Field {
  readonly path: FieldPath;
  readonly where: Where & { readonly kind: "field" };
  readonly has: (event: JsonObject) => boolean;
}

class SampleWatch {
  readonly #program: Program;
  #unseenFields: Field[];
  #unseenTriggers: { readonly rule: string; readonly index: number; readonly pattern: Pattern }[];
  readonly #paths = new Set<string>();
  #events = 0;

  constructor(program: Program) {
    this.#program = program;
    const patterns = [
      ...program.markers.markers.flatMap((node) => leavesOf(node).map(({ pattern }) => pattern)),
      ...program.rules.flatMap(patternsOf),
    ];
    this.#unseenFields = patterns.flatMap(({ where }) => fieldsOf(where, program.scenario.events.name));
    this.#unseenTriggers = program.rules.flatMap(({ node, after, before, condition, span, between }, index) => {
      const pattern = after ?? before ?? condition ?? span?.[0] ?? between?.[0];
      return pattern === undefined || pattern.variables.length > 0 ? [] : [{ rule: node.name, index, pattern }];
    });
  }

  event(event: JsonObject): void {
    this.#events++;
    this.#unseenFields = this.#unseenFields.filter(({ has }) => !has(event));
    this.#unseenTriggers = this.#unseenTriggers.filter(({ pattern }) => !pattern.check.test(event, new Map()));
    if (this.#paths.size < MAX_PATHS) collectPaths(event, "", this.#paths, 0);
  }

  faults({ texts }: LoadedScenario): readonly Fault[] {
    if (this.#events === 0) return [fault("WM_LOG_NO_EVENTS", "the sample holds no event", { severity: "warning" })];
    const fields = this.#unseenFields.map(({ path, where }) => {
      const [near] = nearest(path.text, this.#paths);
      const hint = near === undefined ? "" : ` — did you mean "${near}"?`;
      const message = `no event of the sample has the field "${path.text}"${hint}`;
      return fault("WM_SCENARIO_LINT", message, {
        severity: "warning",
        place: where.place,
        text: texts.get(where.place.file),
      });
    });
    const triggers = this.#unseenTriggers.flatMap(({ rule, index }) => {
      const place = this.#program.rules[index]?.node.place;
      const message = `no event of the sample triggers the rule "${rule}", so it would pass without being exercised`;
      return [fault("WM_SCENARIO_LINT", message, { severity: "warning", place, text: texts.get(place?.file ?? "") })];
    });
    return [...fields, ...triggers];
  }
}

/** Field tests whose field should be there; those that ask for its absence are left out. */
function fieldsOf(where: Where, eventName: FieldPath): Field[] {
  switch (where.kind) {
    case "all":
    case "any":
      return where.items.flatMap((item) => fieldsOf(item, eventName));
    case "not":
      return [];
    case "nested": {
      const access = compilePath(where.path, eventName);
      return fieldsOf(where.where, eventName).map((field) => ({
        ...field,
        has: (event) => access.all(event).some((value) => isObject(value) && field.has(value)),
      }));
    }
    case "field": {
      if (where.modifiers.includes("exists")) return [];
      const access = compilePath(where.path, eventName);
      return [{ path: where.path, where, has: (event) => access.all(event).length > 0 }];
    }
  }
}

const MAX_DEPTH = 12;

function collectPaths(value: JsonValue, prefix: string, paths: Set<string>, depth: number): void {
  if (!isObject(value) || depth > MAX_DEPTH) return;
  for (const [key, inner] of Object.entries(value)) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    if (paths.size >= MAX_PATHS) return;
    paths.add(path);
    collectPaths(inner, path, paths, depth + 1);
  }
}
