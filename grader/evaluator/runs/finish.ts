import { findLogs } from "../../read/series.ts";
import type { RunDetails } from "../../store/store.ts";
import { placesIn, readTrial, writeManifest, writeResult } from "../../trials/folder.ts";
import type { LaunchEnd, SelfReport, Settled, Trial, TrialManifest, TrialStep, Used } from "../../trials/trial.ts";
import type { ResultDocument } from "../../verdict.ts";
import { gradeTelemetry, refuseOutside } from "../telemetry.ts";
import { claimInFile } from "./claim.ts";
import type { DeskDeps, StopOptions } from "./desk.ts";
import { copySince, grownBytes } from "./marks.ts";
import type { RunOrder } from "./order.ts";
import { untilQuiet } from "./quiet.ts";
import { stepsIn, storedSpending, usedBy } from "./spent.ts";

interface Ending {
  readonly trial: Trial;
  readonly order: RunOrder;
  readonly options: StopOptions;
}

/** Waits for late events, takes the run's part of the log into its folder, grades it with what it used up, and keeps all of it. */
export async function finishRun({ trial, order, options }: Ending, deps: DeskDeps): Promise<Trial> {
  const folder = trial.folder ?? "";
  const places = placesIn(folder);
  const marks = order.marks ?? { log: places.telemetry, at: trial.manifest.started_at, files: {} };
  const settled = await untilQuiet(options.quiet, () => grownBytes(marks), options.signal);
  if (order.marks !== undefined) {
    refuseOutside(await findLogs([order.marks.log]), deps.locator);
    await copySince(order.marks, places.telemetry);
  }
  const steps = stepsIn(folder, places.steps);
  const used = usedBy(steps);
  // what was posted while we waited stands in the manifest on disk
  const ended = { ...readAgain(trial), ...endingOf({ settled, options, steps, used, deps }) };
  const said = ended.self_report ?? claimInFile(places.selfReport);
  const manifest: TrialManifest = { ...ended, state: "ended", ...(said === undefined ? {} : { self_report: said }) };
  writeManifest(folder, manifest);
  const document = await grade({ manifest, folder, order, steps, used }, deps);
  writeResult(folder, document);
  const graded = withOutcome(manifest, document);
  writeManifest(folder, graded);
  tellAgreement(document, said, deps);
  return { manifest: graded, folder, results: document.results };
}

function readAgain({ folder, manifest }: Trial): TrialManifest {
  return folder === undefined ? manifest : readTrial(folder).manifest;
}

interface EndingFacts {
  readonly settled: Settled;
  readonly options: StopOptions;
  readonly steps: readonly TrialStep[];
  readonly used: Used;
  readonly deps: DeskDeps;
}

function endingOf({ settled, options, steps, used, deps }: EndingFacts): Partial<TrialManifest> {
  const endedAt = new Date(deps.now() - settled.waited_ms).toISOString();
  const end: LaunchEnd =
    options.exitCode === undefined
      ? { kind: "stopped", reason: "ended over HTTP" }
      : { kind: "exited", code: options.exitCode };
  return {
    ended_at: endedAt,
    end,
    settled,
    ...(Object.keys(used).length === 0 ? {} : { used }),
    ...(steps.length === 0 ? {} : { steps }),
  };
}

interface ToGrade {
  readonly manifest: TrialManifest;
  readonly folder: string;
  readonly order: RunOrder;
  readonly steps: readonly TrialStep[];
  readonly used: Used;
}

async function grade({ manifest, folder, order, steps, used }: ToGrade, deps: DeskDeps): Promise<ResultDocument> {
  const { batch, variant, task, versions, labels, id, index, end } = manifest;
  const details: Omit<RunDetails, "gradedAt"> = {
    trial: id,
    trialIndex: index,
    folder,
    provenance: "live",
    versions,
    labels,
    ...(batch === undefined ? {} : { batch }),
    ...(variant === undefined ? {} : { variant }),
    ...(task === undefined ? {} : { task }),
    ended: end?.kind === "exited" ? `exited with ${end.code}` : "stopped",
    ...storedSpending(steps, used),
  };
  const selected = await deps.shelf.select(order.scenarios, ["scenarios"]);
  const ids = [id];
  const { document } = await gradeTelemetry(
    { logs: [placesIn(folder).telemetry], selected, params: order.params, details },
    { ...deps, locator: deps.own, newRunId: () => ids.shift() ?? deps.newRunId() },
  );
  return document;
}

function withOutcome(manifest: TrialManifest, { verdict, results }: ResultDocument): TrialManifest {
  const error = results.find((result) => result.error !== undefined)?.error;
  if (results.length > 0 && error === undefined) return { ...manifest, state: "graded" };
  return {
    ...manifest,
    state: results.length > 0 ? "graded" : "error",
    error: error ?? { code: "WM_SERVE_LOOK", message: `the run could not be graded (${verdict})` },
  };
}

/** Only now, beside the grade: no verdict ever sees what the agent says. */
function tellAgreement({ results }: ResultDocument, said: SelfReport | undefined, { store }: DeskDeps): void {
  if (said === undefined || store === undefined) return;
  for (const { run, verdict, success } of results) {
    const isDecided = verdict === "pass" || verdict === "fail";
    const agrees = said.claims_success === undefined || !isDecided ? undefined : said.claims_success === success;
    store.saveSelfReport(run, said.claim, agrees);
  }
}
