import type { JsonValue } from "../../../proxy/record/json.ts";
import type { MutatedVerdict } from "../../examples.ts";
import type { LoadedScenario } from "../../scenario/load.ts";
import { holdRuns, locateRuns } from "../read-runs.ts";
import { createBase } from "./base.ts";
import { gradeEvents, loosened } from "./grading.ts";
import { mutateByName } from "./named.ts";
import { createSubject } from "./subject.ts";

/**
 * Grades an example's capture with its mutation made. The capture itself has to pass, since a mutation of a run that
 * fails anyway shows nothing. Throws what reading the capture throws.
 */
export async function gradeMutated(loaded: LoadedScenario, log: string, mutation: string): Promise<MutatedVerdict> {
  const [run] = await holdRuns(await locateRuns([log]));
  if (run === undefined) return { kind: "problem", why: "the capture holds no run" };
  const subject = createSubject(loaded, new Map<string, JsonValue>(run.params));
  const events = loosened(run);
  const before = await gradeEvents(subject, events);
  if (before.verdict !== "pass") {
    return {
      kind: "problem",
      why: `the capture is ${before.verdict} before it is changed: ${before.results[0]?.reason ?? ""}`,
    };
  }
  const mutated = mutateByName(createBase(subject, { name: log, events }, before), mutation);
  if ("problem" in mutated) return { kind: "problem", why: mutated.problem };
  const { verdict, results } = await gradeEvents(subject, mutated.events);
  return { kind: "graded", verdict, reason: results.find((one) => one.verdict === verdict)?.reason ?? "" };
}
