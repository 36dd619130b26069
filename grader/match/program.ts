import { type Fault, fault, WaymarkError } from "../../proxy/record/fault.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import type { WhereContext } from "../operators/where.ts";
import type { ParamDefinition, Scenario } from "../scenario/ast.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import { type MarkerPlan, planMarkers } from "./plan.ts";
import { planRule, type RulePlan } from "./rule-plan.ts";

/** A scenario ready to grade: compiled once, used for any number of traces. */
export interface Program {
  readonly scenario: Scenario;
  readonly markers: MarkerPlan;
  readonly rules: readonly RulePlan[];
  /** The event that ends a session. */
  readonly sessionEnd: Pattern | undefined;
}

/**
 * Compiles a scenario with the values of its parameters. Raises one `WaymarkError` with everything that is wrong:
 * parameters that are missing, unknown or of the wrong type, and field tests that make no sense. `texts` (the files by
 * name) gives the faults their excerpts.
 */
export function compileProgram(
  scenario: Scenario,
  params: ReadonlyMap<string, JsonValue>,
  texts?: ReadonlyMap<string, string>,
): Program {
  const faults: Fault[] = [];
  const context: WhereContext = {
    eventName: scenario.events.name,
    params: resolveParams(scenario, params, faults),
    fault: (problem) => faults.push(problem),
    ...(texts === undefined ? {} : { text: texts }),
  };
  const markers = planMarkers(scenario.markers, scenario.timespanMs, context);
  const rules = scenario.rules.map((rule) => planRule(rule, context));
  const { sessionEnd } = scenario.events;
  const end = sessionEnd === undefined ? undefined : compilePattern(sessionEnd, context);
  const errors = unique(faults);
  if (errors.length > 0) throw new WaymarkError(errors);
  return { scenario, markers, rules, sessionEnd: end };
}

function resolveParams(
  { params, id }: Scenario,
  given: ReadonlyMap<string, JsonValue>,
  faults: Fault[],
): Map<string, JsonValue> {
  const values = new Map<string, JsonValue>();
  for (const definition of params) {
    const value = given.get(definition.name) ?? definition.default;
    const problem = problemWith(definition, value, given.has(definition.name));
    if (problem !== undefined) faults.push(fault("WM_SCENARIO_PARAM", problem, { place: definition.place }));
    else if (value !== undefined) values.set(definition.name, value);
  }
  const known = params.map(({ name }) => name);
  for (const name of given.keys()) {
    if (known.includes(name)) continue;
    const list = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
    faults.push(fault("WM_USAGE_PARAM", `scenario "${id}" has no parameter "${name}"; ${list}`));
  }
  return values;
}

function problemWith(
  { name, type, required }: ParamDefinition,
  value: JsonValue | undefined,
  isGiven: boolean,
): string | undefined {
  if (value === undefined) return required ? `parameter "${name}" needs a value` : undefined;
  if (type === undefined || typeOf(value) === type) return undefined;
  return `parameter "${name}" is ${isGiven ? "given as" : "by default"} ${typeOf(value)}, but should be ${type}`;
}

function typeOf(value: JsonValue): string {
  if (Array.isArray(value)) return "list";
  if (typeof value === "bigint") return "number";
  return value === null ? "null" : typeof value;
}

/** One pattern can be compiled several times; each of its faults counts once. */
function unique(faults: readonly Fault[]): Fault[] {
  const seen = new Map<string, Fault>();
  for (const problem of faults) {
    const { code, message, place } = problem;
    seen.set(JSON.stringify([code, message, place?.file, place?.line, place?.column]), problem);
  }
  return [...seen.values()];
}
