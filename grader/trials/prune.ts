import { lstatSync, rmSync } from "node:fs";
import { worstVerdict } from "../combine.ts";
import type { Verdict } from "../verdict.ts";
import { readTrial } from "./folder.ts";
import type { TrialSources } from "./select.ts";
import type { Trial } from "./trial.ts";

/** Which runs may go; every field narrows. At least one has to be given. */
export interface PruneRule {
  /** The newest so many of those the other fields select stay. */
  readonly keep?: number;
  readonly olderThanMs?: number;
  /** The worst over the run's scenarios. */
  readonly verdict?: Verdict;
  /** Also runs that have a label. */
  readonly labelled?: boolean;
}

/**
 * The runs that a rule lets go, oldest first. A run under way is never among them, one with a label only when the rule
 * says so.
 */
export function runsToPrune(trials: readonly Trial[], rule: PruneRule, nowMs: number): readonly Trial[] {
  const selected = trials
    .filter(({ manifest }) => manifest.state !== "running")
    .filter(({ manifest }) => rule.labelled === true || manifest.labels.length === 0)
    .filter(({ manifest }) => rule.olderThanMs === undefined || ageOf(manifest.started_at, nowMs) > rule.olderThanMs)
    .filter(({ results }) => rule.verdict === undefined || verdictOf(results) === rule.verdict)
    .sort((a, b) => (a.manifest.started_at < b.manifest.started_at ? -1 : 1));
  return rule.keep === undefined ? selected : selected.slice(0, Math.max(0, selected.length - rule.keep));
}

function verdictOf(results: Trial["results"]): Verdict | undefined {
  return results.length === 0 ? undefined : worstVerdict(results.map(({ verdict }) => verdict));
}

/** A start that cannot be read is no reason to remove a run. */
function ageOf(startedAt: string, nowMs: number): number {
  const start = Date.parse(startedAt);
  return Number.isNaN(start) ? 0 : nowMs - start;
}

/**
 * Removes runs: each one's folder first, then its rows, so that one that was only half removed still shows and can be
 * removed again. A folder is only removed when it is that run's.
 */
export function removeTrials(trials: readonly Trial[], { store }: TrialSources): void {
  for (const { manifest, folder, results } of trials) {
    if (folder !== undefined && isFolderOf(folder, manifest.id)) removeFolder(folder);
    const own = store.listRuns({ trial: manifest.id, withRegrades: true }).map(({ id }) => id);
    store.removeRuns([...new Set([...own, ...results.map(({ run }) => run)])]);
  }
}

/** Removes a folder with everything in it; of a link only the link. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: !lstatSync(folder).isSymbolicLink(), force: true, maxRetries: 3 });
}

function isFolderOf(folder: string, id: string): boolean {
  try {
    return readTrial(folder).manifest.id === id;
  } catch {
    return false; // no longer there, or something else by now
  }
}
