import { mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import { makeFolder } from "../../proxy/record/folder.ts";
import type { Store, StoredRunDetails } from "../store/store.ts";
import type { ArchiveLimits } from "./archive-entry.ts";
import { unpackArchive } from "./archive-read.ts";
import { readTrial } from "./folder.ts";
import type { TrialSources } from "./select.ts";
import { storedDetails } from "./stored-details.ts";
import { detailsOfRow } from "./stored-rows.ts";
import type { Trial } from "./trial.ts";

export interface ImportOptions {
  /** Runs that are here already are replaced by those in the archive. */
  readonly replace?: boolean;
  readonly limits?: Partial<ArchiveLimits>;
}

/**
 * Brings the runs of an archive into the folder of runs and the database: all of them, or none when anything is wrong.
 * Throws what `unpackArchive` throws, and `WM_RUN_EXISTS` when a run is here already and is not to be replaced.
 */
export async function importArchive(
  file: string,
  sources: TrialSources,
  options: ImportOptions = {},
): Promise<readonly Trial[]> {
  const runs = resolve(sources.runs);
  makeFolder(runs);
  const staging = mkdtempSync(join(runs, ".import-")); // the same disk, so that a run moves into place whole
  const undo: (() => void)[] = [];
  try {
    const { ids, batches } = await unpackArchive(file, staging, options.limits);
    const trials = ids.map((id) => readTrial(join(staging, "runs", id)));
    refuseKnown(trials, sources, { ...options, file });
    for (const trial of trials) place(trial, { sources, runs, staging, undo });
    for (const batch of batches) {
      if (sources.store.getBatch(batch.id) === undefined) sources.store.saveBatch(batch);
    }
    return trials.map((trial) => ({ ...trial, folder: join(runs, trial.manifest.id) }));
  } catch (cause) {
    for (const step of undo.reverse()) step();
    throw cause;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function refuseKnown(
  trials: readonly Trial[],
  { store, runs }: TrialSources,
  { replace, file }: ImportOptions & { readonly file: string },
): void {
  if (replace === true) {
    const running = trials.find(({ manifest }) => folderState(join(runs, manifest.id)) === "running");
    if (running !== undefined) throw waymarkError("WM_RUN_RUNNING", `run ${running.manifest.id} is under way here`);
    return;
  }
  const known = trials
    .filter((trial) => isThere(join(runs, trial.manifest.id)) || rowsOf(trial, store).length > 0)
    .map(({ manifest }) => manifest.id);
  if (known.length === 0) return;
  const list = known.slice(0, 5).join(", ");
  throw waymarkError("WM_RUN_EXISTS", `${known.length} of the ${trials.length} runs in ${file} are here: ${list}`);
}

/** Rows that belong to the run, or have the id of one of its results. */
function rowsOf({ manifest, results }: Trial, store: Store): readonly string[] {
  const own = store.listRuns({ trial: manifest.id, withRegrades: true }).map(({ id }) => id);
  const byResult = results.map(({ run }) => run).filter((id) => isStored(id, store));
  return [...new Set([...own, ...byResult])];
}

function isStored(id: string, store: Store): boolean {
  try {
    return store.getRun(id).id === id;
  } catch {
    return false; // no such run, or several that begin so
  }
}

interface Placing {
  readonly sources: TrialSources;
  readonly runs: string;
  readonly staging: string;
  readonly undo: (() => void)[];
}

/** Moves one run into place and stores its rows; each step leaves behind how to take it back. */
function place(trial: Trial, { sources: { store }, runs, staging, undo }: Placing): void {
  const { id } = trial.manifest;
  const [from, to, aside] = [join(staging, "runs", id), join(runs, id), join(staging, `old-${id}`)];
  const old = rowsOf(trial, store).map((row) => store.getRun(row));
  if (isThere(to)) {
    renameSync(to, aside);
    undo.push(() => renameSync(aside, to));
  }
  renameSync(from, to);
  undo.push(() => rmSync(to, { recursive: true, force: true }));
  if (old.length > 0) {
    store.removeRuns(old.map((row) => row.id));
    undo.push(() => restore(old, store));
  }
  for (const result of trial.results) {
    store.saveResult(result, storedDetails(trial.manifest, to, result));
    undo.push(() => store.removeRuns([result.run]));
    if (trial.manifest.review !== undefined) store.saveReview(result.run, trial.manifest.review);
  }
}

function restore(rows: readonly StoredRunDetails[], store: Store): void {
  for (const row of rows) {
    store.saveResult(row.result, detailsOfRow(row));
    if (row.review !== undefined) store.saveReview(row.id, row.review);
  }
}

function folderState(folder: string): string | undefined {
  try {
    return readTrial(folder).manifest.state;
  } catch {
    return undefined; // not here, or damaged: either way not under way
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
