import { readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { WaymarkError, waymarkError } from "../../proxy/record/fault.ts";
import { isObject, parseJson } from "../../proxy/record/json.ts";
import { openStore, type RunDetails, type Store } from "../store/store.ts";
import type { ScenarioResult } from "../verdict.ts";
import { placesIn, readTrial } from "./folder.ts";
import { type Old, readOld } from "./rebuild-old.ts";
import { storedDetails } from "./stored-details.ts";
import type { Trial } from "./trial.ts";

export interface Rebuilt {
  /** Runs read from their folders, and results stored for them. */
  readonly runs: number;
  readonly results: number;
  /** What only the old database knew: grades of logs that have no folder, old logs graded again, batches, changes. */
  readonly carried: { readonly results: number; readonly batches: number; readonly changes: number };
  /** Folders that could not be read, and why; they are left as they are. */
  readonly damaged: readonly { readonly folder: string; readonly why: string }[];
  /** Where the old database went, when it could not be read. */
  readonly oldAt?: string;
}

export interface RebuildOrder {
  readonly file: string;
  readonly runs: string;
  readonly now: () => number;
}

/**
 * Makes the database anew from the folders of runs, beside the old one, and puts it in its place when it is whole. What
 * only the old one knew is carried over when it can be read; one that cannot is moved aside. A folder that is damaged is
 * named and left out (rows the old database has for it stay). Doing it twice changes nothing. Throws `WM_STORE_BUSY`
 * when another program has the database open, and what `openStore` throws.
 */
export function rebuildDatabase({ file, runs, now }: RebuildOrder): Rebuilt {
  const { trials, damaged } = readFolders(runs);
  const old = readOld(file);
  const draft = `${file}.rebuild-${process.pid}`;
  removeDatabase(draft);
  try {
    const store = openStore(draft);
    let counts: Pick<Rebuilt, "results" | "carried">;
    try {
      counts = fill(store, trials, old);
    } finally {
      store.close();
    }
    const oldAt = old.state === "unreadable" ? moveAside(file, now()) : undefined;
    if (old.state === "read") refuseOpen(file);
    if (old.state === "absent") removeDatabase(file); // a write-ahead log without its database would be read into the new one
    renameSync(draft, file);
    return { runs: trials.length, ...counts, damaged, ...(oldAt === undefined ? {} : { oldAt }) };
  } finally {
    removeDatabase(draft);
  }
}

/** One row to be, with its place among the others. */
interface Entry {
  readonly result: ScenarioResult;
  readonly details: RunDetails;
  readonly review: Trial["manifest"]["review"];
}

function fill(store: Store, trials: readonly Trial[], old: Old): Pick<Rebuilt, "results" | "carried"> {
  const fromFolders = trials.flatMap((trial) => entriesOf(trial, old));
  const known = new Set(fromFolders.map(({ result }) => result.run));
  const carried = old.rows.filter(({ result }) => !known.has(result.run));
  const entries = [...fromFolders, ...carried].sort(inOrder);
  for (const { result, details, review } of entries) {
    store.saveResult(result, details);
    if (review !== undefined) store.saveReview(result.run, review);
  }
  const batches = [...old.batches, ...unknownBatches(trials, old)];
  for (const batch of batches) store.saveBatch(batch);
  for (const { seq: _, ...change } of old.changes) store.addChange(change);
  return {
    results: fromFolders.length,
    carried: { results: carried.length, batches: old.batches.length, changes: old.changes.length },
  };
}

function entriesOf(trial: Trial, old: Old): readonly Entry[] {
  const { manifest, folder = "" } = trial;
  const graderVersion = graderOf(folder);
  return trial.results.map((result) => {
    const number = old.numbers.get(result.run);
    const details = {
      ...storedDetails(manifest, old.folders.get(result.run) ?? folder, result),
      ...(number === undefined ? {} : { number }),
      ...(graderVersion === undefined ? {} : { graderVersion }),
    };
    return { result, details, review: manifest.review };
  });
}

/** Rows with a number first, so that none of the others can take it; the others as they were graded. */
function inOrder(a: Entry, b: Entry): number {
  const byNumber = (a.details.number ?? Number.MAX_SAFE_INTEGER) - (b.details.number ?? Number.MAX_SAFE_INTEGER);
  if (byNumber !== 0) return byNumber;
  const [keyA, keyB] = [a, b].map(({ details, result }) => `${details.gradedAt}\n${details.trial ?? result.run}`);
  return (keyA ?? "") < (keyB ?? "") ? -1 : keyA === keyB ? 0 : 1;
}

/** Batches whose document is gone with the old database: what their runs say of them. */
function unknownBatches(trials: readonly Trial[], old: Old) {
  const known = new Set(old.batches.map(({ id }) => id));
  const starts = new Map<string, string>();
  for (const { manifest } of trials) {
    const { batch, started_at } = manifest;
    if (batch === undefined || known.has(batch)) continue;
    const first = starts.get(batch);
    if (first === undefined || started_at < first) starts.set(batch, started_at);
  }
  return [...starts].map(([id, startedAt]) => ({ id, startedAt }));
}

function readFolders(runs: string): { readonly trials: readonly Trial[]; readonly damaged: Rebuilt["damaged"] } {
  const trials: Trial[] = [];
  const damaged: { folder: string; why: string }[] = [];
  for (const folder of foldersIn(runs)) {
    try {
      const trial = readTrial(folder);
      if (trial.results.length > 0) trials.push(trial);
    } catch (cause) {
      const why = cause instanceof WaymarkError ? (cause.faults[0]?.message ?? "") : String(cause);
      damaged.push({ folder, why });
    }
  }
  return { trials, damaged };
}

/** A folder that was made this moment gets its manifest in the next. */
const YOUNG_MS = 60_000;

/** The folders below `runs` that are named like runs, are not being made just now, and cannot be read as runs. */
export function damagedFolders(runs: string, nowMs: number): readonly string[] {
  return readFolders(runs)
    .damaged.map(({ folder }) => folder)
    .filter((folder) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(basename(folder)))
    .filter((folder) => nowMs - statSync(folder).mtimeMs > YOUNG_MS);
}

/** Every folder below `runs`, those without a manifest among them; what begins with a dot is waymark's own. */
function foldersIn(runs: string): readonly string[] {
  if (statSync(runs, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(runs, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
  return names.sort().map((name) => resolve(join(runs, name)));
}

function graderOf(folder: string): string | undefined {
  const document = parseJson(readFileSync(placesIn(folder).result, "utf8"));
  const version = isObject(document) ? document["waymark"] : undefined;
  return typeof version === "string" ? version : undefined;
}

function moveAside(file: string, nowMs: number): string {
  const aside = `${file}.damaged-${new Date(nowMs).toISOString().replaceAll(":", "-")}`;
  renameSync(file, aside);
  rmSync(`${file}-shm`, { force: true });
  if (isThere(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`);
  return aside;
}

/** SQLite takes its write-ahead log away when the last program closes the database; left over, another has it open. */
function refuseOpen(file: string): void {
  if (!isThere(`${file}-wal`)) return;
  throw waymarkError("WM_STORE_BUSY", `${file} is open in another program`, {
    fix: "Wait until no run is graded, close what reads the database, and rebuild it then.",
  });
}

function removeDatabase(file: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
