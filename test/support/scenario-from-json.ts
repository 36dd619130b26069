import type { Scenario } from "../../grader/scenario/ast.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";
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

/**
 * The scenario as the loader reads it (JSON is YAML). A file must have something to find, so for a list without markers,
 * which only tests have, the loader gets one and it is taken out again.
 */
export function scenarioFrom(json: ScenarioJson): Scenario {
  const key = JSON.stringify(json);
  if (latest?.key !== key) latest = { key, scenario: load(json) };
  return latest.scenario;
}

/** Property tests ask for one scenario several times in a row. */
let latest: { readonly key: string; readonly scenario: Scenario } | undefined;

function load(json: ScenarioJson): Scenario {
  const isEmpty = (json.markers ?? []).length === 0 && (json.rules ?? []).length === 0;
  const file = { waymark: 1, scenario: "case", ...json, ...(isEmpty ? { markers: [{ event: "any" }] } : {}) };
  const { scenario } = parseScenario(JSON.stringify(file, null, 1), "case.yaml");
  return isEmpty ? { ...scenario, markers: [] } : scenario;
}
