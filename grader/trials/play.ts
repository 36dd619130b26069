import { join, resolve } from "node:path";
import { type Fault, fault, WaymarkError } from "../../proxy/record/fault.ts";
import type { LookAtState } from "../checks.ts";
import type { LoadedScenario } from "../scenario/load.ts";
import type { Provenance, Store } from "../store/store.ts";
import { TrialDraft } from "./draft.ts";
import type { EvidenceMode } from "./evidence/index.ts";
import { FreshFile } from "./fresh-file.ts";
import { gradeTrial } from "./grading.ts";
import type { Accounting, Hook, Play, Played } from "./performance.ts";
import type { Planned } from "./plan.ts";
import { type Progress, watchLog } from "./progress.ts";
import { type SettleRule, settle } from "./settle.ts";
import type { LaunchEnd, Trial, TrialManifest } from "./trial.ts";

/** What all runs of a batch share; everything that touches the world is handed in. */
export interface TrialDeps {
  /** The folder of run folders. */
  readonly runs: string;
  readonly batch: string;
  readonly scenarios: readonly LoadedScenario[];
  readonly play: Play;
  readonly prepare?: Hook;
  readonly cleanup?: Hook;
  readonly settle: SettleRule;
  readonly accounting: Accounting;
  readonly store: Pick<Store, "saveResult"> | undefined;
  readonly provenance: Provenance;
  readonly versions: Readonly<Record<string, string>>;
  readonly labels: readonly string[];
  /** Where the agent leaves its self-report and its steps, when the user names one place for all runs. */
  readonly selfReport?: string;
  readonly steps?: string;
  /** Which runs' evidence is kept. */
  readonly evidence: EvidenceMode;
  readonly look?: LookAtState;
  readonly newRunId: () => string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onStart?: (manifest: TrialManifest) => void;
  readonly onProgress?: (id: string, progress: () => readonly Progress[]) => void;
  readonly onEnd?: (trial: Trial) => void;
  /** Told what went wrong beside the run: a file or a row that could not be written, a cleanup that failed. */
  readonly onProblem: (problem: Fault) => void;
}

/** A run in hand. */
export interface TrialInHand {
  readonly planned: Planned;
  readonly draft: TrialDraft;
  readonly deps: TrialDeps;
  readonly selfReport: FreshFile;
  readonly steps: FreshFile;
}

/**
 * Makes one run, start to end: its folder, `--prepare`, the launch under the proxy, waiting for late events, the grade,
 * its rows, `--cleanup`. Never rejects over what a run does: what goes wrong becomes its verdict. A run that is stopped
 * is marked `interrupted` and not graded.
 */
export async function playTrial(planned: Planned, retries: number, deps: TrialDeps): Promise<Trial> {
  const run = takeInHand(planned, retries, deps);
  const closed = run.draft.open();
  deps.onStart?.(run.draft.manifest);
  const trial = closed === undefined ? await performTrial(run) : await endInError(run, closed);
  deps.onEnd?.(trial);
  return trial;
}

async function performTrial(run: TrialInHand): Promise<Trial> {
  const { deps, draft } = run;
  try {
    const failed = await prepare(run);
    if (deps.signal.aborted) return interrupted(run);
    if (failed !== undefined) return await endInError(run, failed);
    const played = await launch(run);
    if (played instanceof WaymarkError) return await endInError(run, played.faults[0] ?? bug(played));
    note(run, played);
    if (deps.signal.aborted || played.end.kind === "interrupted") return interrupted(run);
    if (played.end.kind === "failed") {
      return await endInError(run, fault("WM_RUN_LAUNCH", `${said(run)} could not be started: ${played.end.reason}`));
    }
    return await gradeTrial(run, played);
  } finally {
    await cleanUp(run);
    draft.tidy();
  }
}

function takeInHand(planned: Planned, retries: number, deps: TrialDeps): TrialInHand {
  const { cell, index } = planned;
  const id = deps.newRunId();
  const manifest: TrialManifest = {
    schema: "waymark.trial/1",
    id,
    state: "running",
    batch: deps.batch,
    index,
    retries,
    ...(cell.variant === undefined ? {} : { variant: cell.variant }),
    ...(cell.task === undefined ? {} : { task: cell.task }),
    ...(cell.params.size === 0 ? {} : { params: Object.fromEntries(cell.params) }),
    command: cell.command,
    started_at: new Date(deps.now()).toISOString(),
    provenance: deps.provenance,
    versions: deps.versions,
    labels: deps.labels,
  };
  const draft = new TrialDraft(join(deps.runs, id), manifest, deps.onProblem);
  const { selfReport, steps } = draft.places;
  return {
    planned,
    draft,
    deps,
    selfReport: new FreshFile(deps.selfReport ?? selfReport, selfReport),
    steps: new FreshFile(deps.steps ?? steps, steps),
  };
}

/** Variables every command of a run gets. Paths are absolute, since the command may change its folder. */
function variablesOf({ planned, draft, deps, selfReport, steps }: TrialInHand): Readonly<Record<string, string>> {
  const { cell, index, round } = planned;
  return {
    ...cell.env,
    WAYMARK_ACTIVE: "1",
    WAYMARK_BATCH: deps.batch,
    WAYMARK_RUN_ID: draft.manifest.id,
    WAYMARK_RUN_INDEX: String(index),
    WAYMARK_RUN_ROUND: String(round),
    WAYMARK_RUN_DIR: resolve(draft.places.folder),
    WAYMARK_SELF_REPORT: resolve(selfReport.file),
    WAYMARK_STEPS: resolve(steps.file),
    ...(cell.variant === undefined ? {} : { WAYMARK_VARIANT: cell.variant }),
    ...(cell.task === undefined ? {} : { WAYMARK_TASK: cell.task }),
  };
}

async function prepare(run: TrialInHand): Promise<Fault | undefined> {
  const { deps, draft } = run;
  if (deps.prepare === undefined) return undefined;
  const order = { id: draft.manifest.id, env: variablesOf(run), places: draft.places };
  const end = await hookEnd(deps.prepare(order, { signal: deps.signal }));
  return isGood(end)
    ? undefined
    : fault("WM_RUN_PREPARE", `--prepare ${wordsFor(end)} before run ${draft.manifest.index}`);
}

/** Runs whatever became of the run, also after a Ctrl-C: it is there to leave nothing behind. */
async function cleanUp(run: TrialInHand): Promise<void> {
  const { deps, draft } = run;
  if (deps.cleanup === undefined) return;
  const order = { id: draft.manifest.id, env: variablesOf(run), places: draft.places };
  const end = await hookEnd(deps.cleanup(order, { signal: AbortSignal.timeout(CLEANUP_MS) }));
  if (isGood(end)) return;
  const message = `--cleanup ${wordsFor(end)} after run ${draft.manifest.index}; its verdict stands`;
  deps.onProblem(
    fault("WM_RUN_PREPARE", message, { severity: "warning", fix: `Read cleanup.log in ${draft.places.folder}.` }),
  );
}

const CLEANUP_MS = 30_000;

async function hookEnd(ending: Promise<LaunchEnd>): Promise<LaunchEnd> {
  return ending.catch((cause: unknown) => ({
    kind: "failed",
    reason: cause instanceof Error ? cause.message : String(cause),
  }));
}

function isGood(end: LaunchEnd): boolean {
  return end.kind === "exited" && end.code === 0;
}

function wordsFor(end: LaunchEnd): string {
  if (end.kind === "exited") return `failed with exit code ${end.code}`;
  return end.kind === "timeout" ? "ran into its time limit" : end.kind === "failed" ? end.reason : "was stopped";
}

async function launch(run: TrialInHand): Promise<Played | WaymarkError> {
  const { deps, draft, planned } = run;
  const { places, manifest } = draft;
  const watch = watchLog({
    folder: places.telemetry,
    name: TELEMETRY_NAME,
    scenarios: deps.scenarios,
    params: planned.cell.params,
    onChange: () => deps.onProgress?.(manifest.id, () => watch.progress()),
  });
  const order = { id: manifest.id, command: planned.cell.command, env: variablesOf(run), places };
  const { isDecided, awaited } = watch;
  try {
    return await deps.play(order, {
      signal: deps.signal,
      settle: (activity) => settle(deps.settle, { activity, isDecided, awaited, signal: deps.signal }),
    });
  } catch (cause) {
    if (cause instanceof WaymarkError) return cause; // the proxy or the launch could not be set up
    throw cause;
  } finally {
    await watch.stop();
  }
}

/** Name of the log series in a run's folder: `telemetry-0.log`. */
export const TELEMETRY_NAME = "telemetry";

/** Keeps what the launch told, before anything is made of it. */
function note({ draft }: TrialInHand, { end, startedAt, endedAt, settled, capture, artifacts }: Played): void {
  draft.update({
    state: "ended",
    started_at: startedAt,
    ended_at: endedAt,
    end,
    ...(settled === undefined ? {} : { settled }),
    capture,
    ...(artifacts.length === 0 ? {} : { artifacts }),
  });
}

function interrupted({ draft, deps }: TrialInHand): Trial {
  const { end, ended_at = new Date(deps.now()).toISOString() } = draft.manifest;
  const stopped: LaunchEnd = end?.kind === "interrupted" ? end : { kind: "interrupted", reason: "waymark was stopped" };
  draft.update({ state: "interrupted", end: stopped, ended_at });
  return { manifest: draft.manifest, folder: resolve(draft.places.folder), results: [] };
}

function endInError(run: TrialInHand, { code, message }: Fault): Promise<Trial> {
  return gradeTrial(run, { code, message });
}

function said({ planned }: TrialInHand): string {
  return `"${planned.cell.command.join(" ")}"`;
}

function bug(cause: unknown): Fault {
  return fault("WM_BUG", String(cause));
}
