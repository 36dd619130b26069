import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Fault, WaymarkError, waymarkError } from "../../../proxy/record/fault.ts";
import { makeFolder } from "../../../proxy/record/folder.ts";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { listTrialFolders, placesIn, readTrial, writeManifest } from "../../trials/folder.ts";
import type { PriceList } from "../../trials/prices.ts";
import type { Trial, TrialManifest } from "../../trials/trial.ts";
import type { RunStart, RunSteps, SelfReportBody } from "../bodies.ts";
import type { EvaluationDeps } from "../evaluation.ts";
import { logFor } from "../evaluation.ts";
import type { Locator } from "../locator.ts";
import { Refusal } from "../refusal.ts";
import { checkParams } from "../scenario-params.ts";
import { agreesWith, claimOf } from "./claim.ts";
import { finishRun } from "./finish.ts";
import { markLog } from "./marks.ts";
import { readOrder, writeOrder } from "./order.ts";
import type { QuietRule } from "./quiet.ts";
import { appendSteps } from "./spent.ts";

export interface DeskDeps extends EvaluationDeps {
  /** The folder of run folders. */
  readonly runs: string;
  /** What model calls cost; absent, only what agents themselves say. */
  readonly prices: PriceList | undefined;
  /** Told what could not be counted or read of a run, which is no reason not to answer. */
  readonly onProblem: (problem: Fault) => void;
  /** Where the server's own folders are found, which need not lie inside the root. */
  readonly own: Locator;
}

export interface StopOptions {
  readonly quiet: QuietRule;
  readonly exitCode?: number;
  readonly signal: AbortSignal;
}

/** Runs that a harness begins and ends over HTTP. Everything about a run stands in its folder, nothing only in memory. */
export interface Desk {
  start(body: RunStart): Promise<{ readonly manifest: TrialManifest; readonly folder: string }>;
  /** Ends a run; one that is over is answered as it stands. */
  stop(id: string, options: StopOptions): Promise<Trial>;
  report(id: string, body: SelfReportBody): void;
  addSteps(id: string, body: RunSteps): void;
  /** A run by its id. Throws a 404. */
  get(id: string): Trial;
  /** The runs of a batch, in order. */
  inBatch(batch: string): readonly Trial[];
}

export function openDesk(deps: DeskDeps): Desk {
  const stopping = new Map<string, Promise<Trial>>();
  const folderOf = (id: string): string | undefined => {
    const folder = join(deps.runs, id);
    return /^[0-9A-Z]{26}$/.test(id) && isRun(folder) ? folder : undefined;
  };
  const get = (id: string): Trial => {
    const folder = folderOf(id);
    if (folder !== undefined) return readTrial(folder);
    throw notFound(id);
  };
  const inBatch = (batch: string): readonly Trial[] =>
    listTrialFolders(deps.runs)
      .flatMap((folder) => readOrTell(folder, deps))
      .filter(({ manifest }) => manifest.batch === batch)
      .sort((a, b) => a.manifest.index - b.manifest.index || (a.manifest.id < b.manifest.id ? -1 : 1));
  return {
    get,
    inBatch,
    start: (body) => startRun(body, { deps, inBatch }),
    stop(id, options) {
      const trial = get(id);
      if (trial.manifest.state !== "running") return Promise.resolve(trial);
      const under = stopping.get(id);
      if (under !== undefined) return under;
      const order = readOrder(trial.folder ?? "");
      if (order === undefined)
        throw new Refusal(409, "WM_SERVE_STATE", `run ${id} was not begun here, so it cannot be ended here`);
      const ended = finishRun({ trial, order, options }, deps).finally(() => stopping.delete(id));
      stopping.set(id, ended);
      return ended;
    },
    report(id, body) {
      const { manifest, folder, results } = get(id);
      const said = claimOf(body);
      writeManifest(folder ?? "", { ...manifest, self_report: said });
      for (const { run, verdict } of results) deps.store?.saveSelfReport(run, said.claim, agreesWith(said, verdict));
    },
    addSteps(id, { steps }) {
      const { manifest, folder } = get(id);
      if (manifest.state !== "running")
        throw new Refusal(409, "WM_SERVE_STATE", `run ${id} is over; its cost has been counted`);
      appendSteps(folder ?? "", steps);
    },
  };
}

/** One run that cannot be read must not hide all others. */
function readOrTell(folder: string, { onProblem }: DeskDeps): readonly Trial[] {
  try {
    return [readTrial(folder)];
  } catch (cause) {
    if (!(cause instanceof WaymarkError)) throw cause;
    for (const problem of cause.faults) onProblem(problem);
    return [];
  }
}

function notFound(id: string): Refusal {
  return new Refusal(404, "WM_SERVE_NOT_FOUND", `there is no run "${id}"`);
}

function isRun(folder: string): boolean {
  return existsSync(placesIn(folder).manifest);
}

interface StartContext {
  readonly deps: DeskDeps;
  inBatch(batch: string): readonly Trial[];
}

async function startRun(
  body: RunStart,
  { deps, inBatch }: StartContext,
): Promise<{ manifest: TrialManifest; folder: string }> {
  const selected = await deps.shelf.select(body.scenarios, ["scenarios"]);
  const params = checkParams(selected, body.params as JsonObject | undefined, ["params"]);
  if (selected.kind === "broken")
    throw new Refusal(400, "WM_SERVE_BODY", selected.faults.map(({ message }) => message).join("; "), {
      pointer: "/scenarios",
    });
  const log = body.telemetry_file === undefined ? undefined : logFor(body.telemetry_file, ["telemetry_file"], deps);
  const startedAt = new Date(deps.now()).toISOString();
  const marks = log === undefined ? {} : { marks: await markLog(log, startedAt) };
  // from here to the manifest nothing waits, so that runs begun at once have numbers of their own
  const id = deps.newRunId();
  const folder = resolve(deps.runs, id);
  const places = placesIn(folder);
  const { batch, variant, task, labels = [], versions = {}, command = [] } = body;
  const manifest: TrialManifest = {
    schema: "waymark.trial/1",
    id,
    state: "running",
    index: body.index ?? (batch === undefined ? 1 : inBatch(batch).length + 1),
    retries: 0,
    command,
    started_at: startedAt,
    provenance: "live",
    versions,
    labels,
    ...(batch === undefined ? {} : { batch }),
    ...(variant === undefined ? {} : { variant }),
    ...(task === undefined ? {} : { task }),
  };
  try {
    for (const part of [places.telemetry, places.evidence]) makeFolder(part);
  } catch (cause) {
    throw waymarkError("WM_SERVE_RUNS", `the folder ${folder} cannot be made`, { cause });
  }
  writeOrder(folder, {
    scenarios: body.scenarios,
    params,
    ...marks,
  });
  writeManifest(folder, manifest);
  return { manifest, folder };
}
