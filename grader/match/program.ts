import { type Fault, WaymarkError } from "../../proxy/record/fault.ts";
import type { JsonValue } from "../../proxy/record/json.ts";
import type { WhereContext } from "../operators/where.ts";
import type { Scenario } from "../scenario/ast.ts";
import { bindParams } from "../scenario/params.ts";
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

/** The parameters' values; problems with them are collected beside those of the field tests. */
function resolveParams(
  scenario: Scenario,
  params: ReadonlyMap<string, JsonValue>,
  faults: Fault[],
): ReadonlyMap<string, JsonValue> {
  try {
    return bindParams(scenario, Object.fromEntries(params));
  } catch (cause) {
    if (!(cause instanceof WaymarkError)) throw cause;
    faults.push(...cause.faults);
    return new Map(scenario.params.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]])));
  }
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
