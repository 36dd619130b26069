import { resolve } from "node:path";
import { fault, WaymarkError } from "../../proxy/record/fault.ts";
import { gradeLogs } from "../grade.ts";
import { toErrorResult } from "../result.ts";
import type { ResultDocument, ScenarioResult } from "../verdict.ts";
import { keepEvidence } from "./evidence/index.ts";
import { doubted } from "./foreign-lines.ts";
import type { Measured } from "./measures.ts";
import type { Played } from "./performance.ts";
import type { TrialInHand } from "./play.ts";
import { resultDocument } from "./result-document.ts";
import { type Spent, spendingDetails } from "./spending.ts";
import { storedDetails } from "./stored-details.ts";
import type { SelfReport, Trial } from "./trial.ts";

/** Why a run cannot be graded. */
export interface TrialError {
  readonly code: string;
  readonly message: string;
}

/**
 * Grades a run that has ended (or gives it `error` results), counts what it used, and keeps all of it: in its folder,
 * then in the database. What the agent says of itself is read, kept beside the grade, and never looked at by it.
 */
export async function gradeTrial(run: TrialInHand, ending: Played | TrialError): Promise<Trial> {
  const { draft, deps } = run;
  const isError = "code" in ending;
  const spent = isError ? NOTHING : await spend(run);
  const graded = isError ? errorDocument(run, ending) : doubted(await grade(run, spent), ending.capture);
  const { results } = graded;
  const error = isError ? ending : silenceOf(results, ending);
  const selfReport = readSelfReport(run);
  const measured = isError ? {} : await measure(run, results);
  await keepWanted(run, results);
  const steps = measured.steps ?? spent.steps;
  const now = new Date(deps.now()).toISOString();
  draft.writeResult(graded);
  draft.update({
    state: isError ? "error" : "graded",
    ended_at: draft.manifest.ended_at ?? now,
    graded_at: now,
    ...(error === undefined ? {} : { error }),
    ...(selfReport === undefined ? {} : { self_report: selfReport }),
    ...(spent.used === undefined ? {} : { used: spent.used }),
    ...(steps === undefined ? {} : { steps }),
    ...(measured.measures === undefined ? {} : { measures: measured.measures }),
  });
  const trial = { manifest: draft.manifest, folder: resolve(draft.places.folder), results };
  save(run, trial);
  return trial;
}

/** Grades the run's log; its first result has the run's id. */
async function grade({ planned, draft, deps }: TrialInHand, spent: Spent): Promise<ResultDocument> {
  const ids = [draft.manifest.id];
  const { document } = await gradeLogs({
    logs: [draft.places.telemetry],
    scenarios: deps.scenarios,
    params: planned.cell.params,
    newRunId: () => ids.shift() ?? deps.newRunId(),
    now: deps.now,
    details: spendingDetails(spent),
    ...(deps.look === undefined ? {} : { look: deps.look }),
  });
  return document;
}

function errorDocument({ draft, deps }: TrialInHand, { code, message }: TrialError): ResultDocument {
  const log = draft.places.telemetry;
  const summary = { range: "no log", files: [], events: 0, undecoded: 0, linesBad: 0, badLines: [], cut: message };
  const ids = [draft.manifest.id];
  const results = deps.scenarios.map(({ scenario }): ScenarioResult => {
    const result = toErrorResult(new Error(message), { scenario, run: ids.shift() ?? deps.newRunId(), log, summary });
    return { ...result, reason: message, error: { code, message } };
  });
  return resultDocument(results);
}

/** A run without a single event tells why, as far as the proxy can know. */
function silenceOf(results: readonly ScenarioResult[], played: Played): TrialError | undefined {
  if (results.some(({ events, error }) => events > 0 || error !== undefined)) return undefined;
  return { code: "WM_RUN_NO_TELEMETRY", message: played.explainSilence() };
}

const NOTHING: Spent = { warnings: [] };

async function spend(run: TrialInHand): Promise<Spent> {
  const { spend: count } = run.deps.accounting;
  const { places, manifest } = run.draft;
  const spent = await counted(run, NOTHING, async () => {
    run.steps.take();
    return count === undefined ? NOTHING : await count(places, manifest);
  });
  for (const warning of spent.warnings) run.deps.onProblem({ ...warning, severity: "warning" });
  return spent;
}

async function measure(run: TrialInHand, results: readonly ScenarioResult[]): Promise<Measured> {
  const { measure: count } = run.deps.accounting;
  return count === undefined ? {} : await counted(run, {}, () => count(run.draft.places, run.draft.manifest, results));
}

function readSelfReport(run: TrialInHand): SelfReport | undefined {
  try {
    const file = run.selfReport.take();
    return file === undefined ? undefined : run.deps.accounting.readSelfReport?.(file);
  } catch (cause) {
    told(run, cause);
    return undefined;
  }
}

/** Counting is beside the grade: one that fails is told, and the run stands without its figures. */
async function counted<T>(run: TrialInHand, nothing: T, count: () => Promise<T>): Promise<T> {
  try {
    return await count();
  } catch (cause) {
    told(run, cause);
    return nothing;
  }
}

function told({ deps }: TrialInHand, cause: unknown): void {
  const faults = cause instanceof WaymarkError ? cause.faults : [fault("WM_BUG", `a run's figures: ${String(cause)}`)];
  for (const problem of faults) deps.onProblem(problem);
}

async function keepWanted({ draft, deps }: TrialInHand, results: readonly ScenarioResult[]): Promise<void> {
  const { artifacts = [] } = draft.manifest;
  const passed = results.every(({ verdict }) => verdict === "pass");
  const kept = await keepEvidence(deps.evidence, { folder: draft.places.folder, artifacts, passed });
  if (kept.length < artifacts.length) draft.update({ artifacts: kept });
}

/** Each result in a transaction of its own; a database that refuses is told, and the folder keeps the run. */
function save({ draft, deps }: TrialInHand, { manifest, folder, results }: Trial & { readonly folder: string }): void {
  const { store } = deps;
  if (store === undefined) return;
  try {
    for (const result of results) store.saveResult(result, storedDetails(manifest, folder, result));
  } catch (cause) {
    if (!(cause instanceof WaymarkError)) throw cause;
    for (const problem of cause.faults)
      deps.onProblem({ ...problem, message: `${problem.message}; ${draft.places.folder} has it` });
  }
}
