/** The grader as a library: grade logs, read them, keep and look up results. */

export type { LookAtState } from "./checks.ts";
export { type Graded, type GradeRequest, gradeLogs } from "./grade.ts";
export type { GradableScenario } from "./panel.ts";
export type { RangeSink } from "./read/intake.ts";
export { parseSince, type RangeRule } from "./read/range.ts";
export { readSeries } from "./read/read.ts";
export { findLogs } from "./read/series.ts";
export type { RangeSummary } from "./read/tally.ts";
export { createRunIds } from "./run-id.ts";
export { type LoadedScenario, loadScenario } from "./scenario/load.ts";
export { parseScenario } from "./scenario/parse-scenario.ts";
export { openStore, type PassRate, type RunDetails, type RunFilter, type Store } from "./store/store.ts";
export type { StoredRun, StoredRunDetails } from "./store/stored-run.ts";
export type * from "./verdict.ts";
