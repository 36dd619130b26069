import { Readable } from "node:stream";
import { isObject, type JsonObject, stringifyJson } from "../../../proxy/record/json.ts";
import { gradeLogs } from "../../grade.ts";
import type { Scenario } from "../../scenario/ast.ts";
import type { ScenarioResult, Verdict } from "../../verdict.ts";
import type { HeldRun } from "../predict.ts";
import type { Subject } from "./subject.ts";

/** What grading says of a log: as `waymark grade` would, for it is the same function. */
export interface Grade {
  readonly verdict: Verdict;
  /** One per session. */
  readonly results: readonly ScenarioResult[];
}

/** Grades events as the lines of a log with a scenario, or with a variant of it. */
export async function gradeAs(
  scenario: Scenario,
  { texts, given }: Subject,
  events: readonly JsonObject[],
): Promise<Grade> {
  const stdin = Readable.from([Buffer.from(events.map((event) => `${lineOf(event)}\n`).join(""))]);
  const gradable = texts === undefined ? { scenario } : { scenario, texts };
  const { document } = await gradeLogs({ logs: ["-"], scenarios: [gradable], params: given, stdin });
  return { verdict: document.verdict, results: document.results };
}

/** Grades events with the scenario itself. */
export async function gradeEvents(subject: Subject, events: readonly JsonObject[]): Promise<Grade> {
  return gradeAs(subject.scenario, subject, events);
}

const lines = new WeakMap<JsonObject, string>();

/** Most events of a mutated run are those of the run, so their lines are kept. */
function lineOf(event: JsonObject): string {
  const known = lines.get(event);
  if (known !== undefined) return known;
  const line = stringifyJson(event);
  lines.set(event, line);
  return line;
}

/**
 * The run's events as they can be moved about: without the numbers the proxy gave them, since a number that is missing
 * says that a record was lost, and a planted defect is one of the app, not of the capture.
 */
export function loosened({ events }: HeldRun): readonly JsonObject[] {
  return events.map((event) => {
    const capture = event["$capture"];
    if (!isObject(capture) || capture["seq"] === undefined) return event;
    const { seq: _, ...rest } = capture;
    return { ...event, $capture: rest };
  });
}
