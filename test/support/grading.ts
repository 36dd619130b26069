import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GradeRequest, gradeLogs } from "../../grader/grade.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";
import type { ResultDocument, ScenarioResult } from "../../grader/verdict.ts";
import { loadNeutral } from "./neutral.ts";
import { SHARED } from "./project.ts";

/** Grades the text of a log, written as one file, against a scenario in waymark's YAML. */
export async function gradeText(
  folder: string,
  log: string | Buffer,
  scenario: string,
  more: Partial<GradeRequest> = {},
): Promise<ResultDocument> {
  const file = join(folder, "log.ndjson");
  writeFileSync(file, log);
  const loaded = parseScenario(scenario, "scenario.yaml");
  return (await gradeLogs({ logs: [file], scenarios: [loaded], ...more })).document;
}

/** The bytes of a file of a case. */
export function caseFile(id: string, file: string): Buffer {
  return readFileSync(join(SHARED, "cases", id, file));
}

/** Grades logs with a case's scenario; the only result. */
export async function gradeCase(id: string, scenario: string, logs: readonly string[]): Promise<ScenarioResult> {
  const loaded = loadNeutral(caseFile(id, scenario).toString("utf8"));
  const paths = logs.map((log) => join(SHARED, "cases", id, log));
  const { document } = await gradeLogs({ logs: paths, scenarios: [loaded] });
  const [only] = document.results;
  if (only === undefined || document.results.length !== 1) throw new Error(`${document.results.length} results`);
  return only;
}
