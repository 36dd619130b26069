import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { compileProgram, type Program } from "../match/program.ts";
import { createTraceGrader } from "../match/stream.ts";
import type { TraceOutcome } from "../match/trace.ts";
import { parseScenario } from "../scenario/parse-scenario.ts";
import type { Picture } from "./pictures/compare.ts";

/** A run held in memory, as benches and leave-one-out have them. */
export interface HeldRun {
  readonly name: string;
  readonly events: readonly JsonObject[];
  readonly params: ReadonlyMap<string, JsonValue>;
  /** Its screenshots, by the place (among the named events) of the event whose state they show. */
  readonly shots?: ReadonlyMap<number, Picture>;
}

/** Grades runs with the text of a scenario: with the matcher, as `waymark grade` does. */
export interface Predictor {
  /** The matcher's outcome. A pass of a provisional scenario counts as a pass here, for figures to say what it is worth. */
  grade(run: HeldRun): TraceOutcome;
}

/** Throws what loading and compiling a scenario throw. */
export function createPredictor(text: string, file = "learned.yaml"): Predictor {
  const loaded = parseScenario(text, file);
  const scenario = { ...loaded.scenario, provisional: false };
  const fixed = scenario.params.length === 0 ? compileProgram(scenario, new Map(), loaded.texts) : undefined;
  const programFor = ({ params }: HeldRun): Program => {
    const own = new Map([...params].filter(([name]) => scenario.params.some((known) => known.name === name)));
    return fixed ?? compileProgram(scenario, own, loaded.texts);
  };
  return {
    grade(run) {
      const grader = createTraceGrader(programFor(run));
      for (const [index, event] of run.events.entries()) {
        grader.event(event, { file: run.name, line: index + 1, record: index });
      }
      const [outcome] = grader.finish({ kind: "complete" });
      if (outcome === undefined) throw new Error("grading gave no outcome");
      return outcome;
    },
  };
}
