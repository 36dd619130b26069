import assert from "node:assert/strict";
import test from "node:test";
import { compileProgram } from "../../../grader/match/program.ts";
import { WaymarkError } from "../../../proxy/record/fault.ts";
import type { JsonValue } from "../../../proxy/record/json.ts";
import { gradeSessions } from "../../support/grade-events.ts";
import { type ScenarioJson, scenarioFrom } from "../../support/scenario-from-json.ts";

const PARAMS: ScenarioJson = {
  params: { user: { required: true, type: "string" }, most: { type: "number", default: 3 } },
  markers: [{ event: "login", where: { user: "$user" } }],
  rules: [{ count: { event: "retry" }, max: 3 }],
};

function codes(scenario: ScenarioJson, params: Record<string, JsonValue>): string[] {
  try {
    compileProgram(scenarioFrom(scenario), new Map(Object.entries(params)));
    return [];
  } catch (error) {
    assert.ok(error instanceof WaymarkError);
    return error.faults.map(({ code }) => code);
  }
}

test("parameters come from the run, else from their defaults", () => {
  assert.deepEqual(codes(PARAMS, { user: "ann" }), []);
  const graded = gradeSessions(PARAMS, [{ name: "login", user: "ann" }], { kind: "complete" }, { user: "ann" });
  assert.equal(graded[0]?.verdict, "pass");
});

test("everything wrong with the parameters is told at once", () => {
  assert.deepEqual(codes(PARAMS, {}), ["WM_SCENARIO_PARAM"]);
  assert.deepEqual(codes(PARAMS, { user: 5, most: "x", other: 1 }), [
    "WM_SCENARIO_PARAM",
    "WM_SCENARIO_PARAM",
    "WM_USAGE_PARAM",
  ]);
});

test("a wrong field test is told with its place", () => {
  const scenario = { markers: [{ where: { "data.url|nosuch": "x" } }] };
  assert.deepEqual(codes(scenario, {}), ["WM_SCENARIO_MODIFIER"]);
});

test("immediately on a block that begins with a repetition is refused, and says where to write it", () => {
  const block = { sequence: [{ event: "a", repeat: 2 }], immediately: true };
  assert.deepEqual(codes({ markers: [{ event: "s" }, block] }, {}), ["WM_SCENARIO_UNSUPPORTED"]);
});
