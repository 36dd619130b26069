import { findLogs } from "../../read/series.ts";
import { placesIn, readTrial, type TrialPlaces, writeManifest, writeResult } from "../../trials/folder.ts";
import { measure } from "../../trials/measures.ts";
import { readSelfReport } from "../../trials/self-report.ts";
import { type Spent, spend, spendingDetails } from "../../trials/spending.ts";
import { storedDetails } from "../../trials/stored-details.ts";
import type { LaunchEnd, Trial, TrialManifest } from "../../trials/trial.ts";
import type { ResultDocument } from "../../verdict.ts";
import { gradeTelemetry, refuseOutside } from "../telemetry.ts";
import type { DeskDeps, StopOptions } from "./desk.ts";
import { copySince, grownBytes } from "./marks.ts";
import type { RunOrder } from "./order.ts";
import { untilQuiet } from "./quiet.ts";

interface Ending {
  readonly trial: Trial;
  readonly order: RunOrder;
  readonly options: StopOptions;
}

/**
 * Waits for late events, takes the run's part of the log into its folder, counts what it used up, grades and measures it
 * as `waymark run` does, and keeps all of it. Throws what the database refuses, after the folder has everything.
 */
export async function finishRun({ trial, order, options }: Ending, deps: DeskDeps): Promise<Trial> {
  const folder = trial.folder ?? "";
  const places = placesIn(folder);
  const ended = await endRun(places, { trial, order, options }, deps);
  const spent = await spend(places, ended, { prices: deps.prices });
  for (const warning of spent.warnings) deps.onProblem(warning);
  const document = await grade({ id: ended.id, places, order, spent }, deps);
  const measured = await measure(places, ended, document.results, { prices: deps.prices });
  const steps = measured.steps ?? spent.steps;
  // what was posted and attached while we waited and graded stands in the manifest on disk
  const { manifest: now } = readTrial(folder);
  const said = now.self_report ?? readSelfReport(places.selfReport);
  const manifest: TrialManifest = {
    ...now,
    ...outcomeOf(document, places),
    graded_at: new Date(deps.now()).toISOString(),
    ...(said === undefined ? {} : { self_report: said }),
    ...(spent.used === undefined ? {} : { used: spent.used }),
    ...(steps === undefined ? {} : { steps }),
    ...(measured.measures === undefined ? {} : { measures: measured.measures }),
  };
  writeResult(folder, document);
  writeManifest(folder, manifest);
  for (const result of document.results) deps.store?.saveResult(result, storedDetails(manifest, folder, result));
  return { manifest, folder, results: document.results };
}

/** The run is over: its telemetry is whole, and its manifest says how it ended. */
async function endRun(places: TrialPlaces, { trial, order, options }: Ending, deps: DeskDeps): Promise<TrialManifest> {
  const marks = order.marks ?? { log: places.telemetry, at: trial.manifest.started_at, files: {} };
  const settled = await untilQuiet(options.quiet, () => grownBytes(marks), options.signal);
  if (order.marks !== undefined) {
    refuseOutside(await findLogs([order.marks.log]), deps.locator);
    await copySince(order.marks, places.telemetry);
  }
  const end: LaunchEnd =
    options.exitCode === undefined
      ? { kind: "stopped", reason: "ended over HTTP" }
      : { kind: "exited", code: options.exitCode };
  const ended_at = new Date(deps.now() - settled.waited_ms).toISOString();
  const { manifest: now } = readTrial(places.folder);
  const ended: TrialManifest = { ...now, state: "ended", ended_at, end, settled };
  writeManifest(places.folder, ended);
  return ended;
}

interface ToGrade {
  readonly id: string;
  readonly places: TrialPlaces;
  readonly order: RunOrder;
  readonly spent: Spent;
}

async function grade({ id, places, order, spent }: ToGrade, deps: DeskDeps): Promise<ResultDocument> {
  const selected = await deps.shelf.select(order.scenarios, ["scenarios"]);
  const ids = [id]; // the first result has the run's own id
  const { document } = await gradeTelemetry(
    { logs: [places.telemetry], selected, params: order.params, details: spendingDetails(spent), keep: false },
    { ...deps, locator: deps.own, newRunId: () => ids.shift() ?? deps.newRunId() },
  );
  return document;
}

function outcomeOf(
  { verdict, results }: ResultDocument,
  { telemetry }: TrialPlaces,
): Pick<TrialManifest, "state" | "error"> {
  if (results.length === 0)
    return { state: "error", error: { code: "WM_SERVE_LOOK", message: `the run could not be graded (${verdict})` } };
  const error = results.find((result) => result.error !== undefined)?.error;
  if (error !== undefined) return { state: "graded", error };
  if (results.some(({ events }) => events > 0)) return { state: "graded" };
  return { state: "graded", error: { code: "WM_RUN_NO_TELEMETRY", message: `no event came into ${telemetry}` } };
}
