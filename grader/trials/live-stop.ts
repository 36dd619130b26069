import { copyFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { LookAtState } from "../checks.ts";
import { gradeLogs } from "../grade.ts";
import { isGone } from "../read/unreadable.ts";
import type { LoadedScenario } from "../scenario/load.ts";
import type { ResultDocument, ScenarioResult } from "../verdict.ts";
import { placesIn, readTrial, type TrialPlaces, writeManifest, writeResult } from "./folder.ts";
import { type LiveNotes, liveNotes } from "./live-notes.ts";
import { type SettleTimes, settleSeries } from "./live-settle.ts";
import { type Sliced, type Stretch, sliceSeries } from "./live-slice.ts";
import { beginningOf, isSameSeries, type SeriesStand, standsOf } from "./live-stand.ts";
import type { TrialSources } from "./select.ts";
import { spendingDetails } from "./spending.ts";
import { storedDetails } from "./stored-details.ts";
import type { LaunchEnd, SelfReport, Trial, TrialManifest, TrialStep, Used } from "./trial.ts";

/** Counts a run's cost and reads what its agent says; each may be absent: then nobody counted. */
export interface LiveAccounting {
  readonly spend?: (
    places: TrialPlaces,
    manifest: TrialManifest,
  ) => Promise<{ readonly used?: Used; readonly steps?: readonly TrialStep[] }>;
  readonly measure?: (
    places: TrialPlaces,
    manifest: TrialManifest,
    results: readonly ScenarioResult[],
  ) => Promise<{ readonly steps?: readonly TrialStep[]; readonly measures?: Readonly<Record<string, number>> }>;
  readonly readSelfReport?: (file: string) => SelfReport | undefined;
}

export interface StopOrder {
  readonly scenarios: readonly LoadedScenario[];
  readonly settle: SettleTimes;
  readonly accounting?: LiveAccounting;
  readonly look?: LookAtState;
  readonly selfReport?: string;
  readonly steps?: string;
  readonly newRunId: () => string;
  readonly now: () => number;
  readonly signal?: AbortSignal;
  /** What ended the run. */
  readonly reason?: string;
}

export interface Stopped {
  readonly trial: Trial & { readonly folder: string };
  readonly document: ResultDocument;
  /** Why the evidence is not whole. */
  readonly cuts: readonly string[];
}

/**
 * Ends a run that `startLiveRun` began: waits for late events, slices its stretch out of the log into its folder, grades
 * that, and keeps the result in the folder and the database. Until it is graded nothing is final: stopped in between, it
 * can be called again.
 */
export async function stopLiveRun(trial: Trial, order: StopOrder, { store }: TrialSources): Promise<Stopped> {
  const { folder = "" } = trial;
  const notes = liveNotes(trial);
  const endedAt = new Date(order.now()).toISOString();
  const end: LaunchEnd = { kind: "stopped", reason: order.reason ?? "waymark runs stop" };
  const settled = await settleSeries(() => standsOf(notes.log, notes.series), {
    ...order.settle,
    ...only("signal", order.signal),
  });
  const cuts = await sliceAll({ notes, stands: settled.stands, trial, endedAt });
  const places = placesIn(folder);
  await take(order.selfReport ?? notes.self_report, places.selfReport);
  await take(order.steps ?? notes.steps, places.steps);
  const accounting = order.accounting ?? {};
  const spent = (await accounting.spend?.(places, trial.manifest)) ?? {};
  const document = await grade(trial, { order, notes, places, spent });
  const measured = (await accounting.measure?.(places, { ...trial.manifest, end }, document.results)) ?? {};
  const said = accounting.readSelfReport?.(places.selfReport);
  const awaited = document.results.flatMap(({ waiting_for, verdict }) =>
    verdict === "pass" ? [] : (waiting_for ?? []),
  );
  const manifest: TrialManifest = {
    ...readTrial(folder).manifest, // labels and evidence may have come meanwhile
    state: "graded",
    ended_at: endedAt,
    graded_at: new Date(order.now()).toISOString(),
    end,
    settled: { why: settled.why, waited_ms: settled.waited_ms, awaited },
    ...only("self_report", said),
    ...only("used", spent.used),
    ...only("steps", measured.steps ?? spent.steps),
    ...only("measures", measured.measures),
  };
  writeResult(folder, document);
  writeManifest(folder, manifest);
  for (const result of document.results) store.saveResult(result, storedDetails(manifest, folder, result));
  return { trial: { manifest, folder, results: document.results }, document, cuts };
}

async function sliceAll(order: {
  readonly notes: LiveNotes;
  readonly stands: readonly SeriesStand[];
  readonly trial: Trial;
  readonly endedAt: string;
}): Promise<readonly string[]> {
  const { notes, stands, trial, endedAt } = order;
  const target = placesIn(trial.folder ?? "").telemetry;
  const { id: run, started_at: startedAt } = trial.manifest;
  const cuts = [];
  for (const to of stands) {
    const from = notes.series.find((one) => isSameSeries(one, to));
    const isIdle = from?.offset === to.offset && from.file === to.file;
    if (isIdle && stands.length > 1) continue; // another series in that folder, which took no part
    cuts.push(...(await slice({ from: from ?? beginningOf(to), to, target, run, startedAt, endedAt })).cuts);
  }
  const gone = notes.series.filter((from) => !stands.some((to) => isSameSeries(from, to)));
  for (const from of gone) cuts.push(...(await slice({ from, to: from, target, run, startedAt, endedAt })).cuts);
  return cuts;
}

/** A file that was rotated away while it was copied is missing at the next attempt, and said to be. */
async function slice(stretch: Stretch): Promise<Sliced> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sliceSeries(stretch);
    } catch (cause) {
      if (!isGone(cause) || attempt === MOST_ATTEMPTS) throw cause;
    }
  }
}

const MOST_ATTEMPTS = 3;

async function grade(
  { manifest }: Trial,
  {
    order,
    notes,
    places,
    spent,
  }: {
    readonly order: StopOrder;
    readonly notes: LiveNotes;
    readonly places: TrialPlaces;
    readonly spent: { readonly used?: Used; readonly steps?: readonly TrialStep[] };
  },
): Promise<ResultDocument> {
  const ids = [manifest.id]; // the first result has the run's own id
  const { document } = await gradeLogs({
    logs: [places.telemetry],
    scenarios: order.scenarios,
    params: new Map(Object.entries(notes.params)),
    newRunId: () => ids.shift() ?? order.newRunId(),
    now: order.now,
    details: spendingDetails(spent),
    ...only("look", order.look),
  });
  return document;
}

/** Copies what the agent left; what is not there was not left. */
async function take(file: string | undefined, target: string): Promise<void> {
  if (file === undefined || resolve(file) === resolve(target)) return;
  const info = await stat(file).catch(() => undefined);
  if (info?.isFile() === true) await copyFile(file, target);
}

function only<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: T };
}
