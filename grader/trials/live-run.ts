import { resolve } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { writeManifest } from "./folder.ts";
import { type LiveNotes, writeNotes } from "./live-notes.ts";
import { standsOf } from "./live-stand.ts";
import type { Trial, TrialManifest } from "./trial.ts";

export interface StartOrder {
  readonly log: string;
  readonly runs: string;
  readonly scenarios: readonly string[];
  readonly markers: string;
  readonly params: JsonObject;
  readonly labels: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
  readonly variant?: string;
  readonly task?: string;
  /** Files the agent will leave; copied into the run's folder when it ends. */
  readonly selfReport?: string;
  readonly steps?: string;
  readonly newRunId: () => string;
  readonly now: () => number;
}

/**
 * Begins a run around an app that runs already beside a proxy: remembers how far the log has come. Throws
 * `WM_RUN_NO_CAPTURE` when no proxy is writing that log.
 */
export async function startLiveRun(order: StartOrder): Promise<Trial & { readonly folder: string }> {
  const stands = await standsOf(order.log);
  if (stands.length === 0) throw noCapture(`there is no log in ${order.log}`);
  if (stands.every(({ has_stopped }) => has_stopped)) throw noCapture(`the capture in ${order.log} has ended`);
  const id = order.newRunId();
  const folder = resolve(order.runs, id);
  const manifest: TrialManifest = {
    schema: "waymark.trial/1",
    id,
    state: "running",
    index: 1,
    retries: 0,
    command: [],
    started_at: new Date(order.now()).toISOString(),
    provenance: "live",
    versions: order.versions,
    labels: order.labels,
    ...(order.variant === undefined ? {} : { variant: order.variant }),
    ...(order.task === undefined ? {} : { task: order.task }),
    ...(Object.keys(order.params).length === 0 ? {} : { params: order.params }),
  };
  const notes: LiveNotes = {
    schema: "waymark.live/1",
    log: resolve(order.log),
    series: stands,
    scenarios: order.scenarios,
    markers: resolve(order.markers),
    params: order.params,
    ...(order.selfReport === undefined ? {} : { self_report: resolve(order.selfReport) }),
    ...(order.steps === undefined ? {} : { steps: resolve(order.steps) }),
  };
  writeManifest(folder, manifest);
  writeNotes(folder, notes);
  return { manifest, folder, results: [] };
}

function noCapture(why: string): Error {
  return waymarkError("WM_RUN_NO_CAPTURE", why);
}
