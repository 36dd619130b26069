import type { CaptureEnd } from "../../grader/match/outcome.ts";
import { compileProgram } from "../../grader/match/program.ts";
import { createTraceGrader } from "../../grader/match/stream.ts";
import type { TraceOutcome } from "../../grader/match/trace.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { type ScenarioJson, scenarioFrom } from "./scenario-from-json.ts";

/** Grades events as the lines 1, 2, 3... of one log; one outcome per session. */
export function gradeSessions(
  scenario: ScenarioJson,
  events: readonly JsonObject[],
  end: CaptureEnd = { kind: "complete" },
  params: JsonObject = {},
): readonly TraceOutcome[] {
  const grader = createTraceGrader(compileProgram(scenarioFrom(scenario), new Map(Object.entries(params))));
  for (const [record, event] of events.entries()) grader.event(event, { file: "a.log", line: record + 1, record });
  return grader.finish(end);
}

/** Grades events of a scenario that splits no sessions. */
export function gradeEvents(
  scenario: ScenarioJson,
  events: readonly JsonObject[],
  end: CaptureEnd = { kind: "complete" },
): TraceOutcome {
  const [outcome] = gradeSessions(scenario, events, end);
  if (outcome === undefined) throw new Error("no outcome");
  return outcome;
}
