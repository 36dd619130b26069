import { statSync } from "node:fs";
import { resolve } from "node:path";
import { WaymarkError, waymarkError } from "../../proxy/record/fault.ts";
import type { Store, StoredRun } from "../store/store.ts";
import { listTrialFolders, placesIn, readTrial } from "./folder.ts";
import { manifestOf } from "./manifest-of-rows.ts";
import { fixFor, nearMisses } from "./select-near.ts";
import type { Trial } from "./trial.ts";
import { isArchive, trialsInArchive } from "./unpacked.ts";

export interface TrialSources {
  readonly store: Store;
  /** The folder of run folders; a run's folder is looked for there by its id when the database's path is gone. */
  readonly runs: string;
}

/**
 * The runs that words name, in the order of the words, each once: `latest`, `latest-failed`, `good` (labelled so),
 * `running`, `#12` or `12`, `#3..#7`, an id or its beginning, `batch:ID` (or `batch:latest`), `variant:NAME`,
 * `label:NAME`, `task:NAME`, the path of a run's folder or of an exported zip, and several of these with commas between
 * them. A word that several runs answer to gives them oldest first. Throws `WM_RUN_NOT_FOUND` for a word that none
 * answers to.
 */
export async function selectTrials(words: readonly string[], sources: TrialSources): Promise<readonly Trial[]> {
  const trials = new Map<string, Trial>();
  for (const word of words) {
    for (const trial of await trialsNamed(word, sources)) {
      if (!trials.has(trial.manifest.id)) trials.set(trial.manifest.id, trial);
    }
  }
  return [...trials.values()];
}

/** The one run that a word names. Throws `WM_RUN_NOT_FOUND` when none answers, `WM_USAGE` when several do. */
export async function selectTrial(word: string, sources: TrialSources): Promise<Trial> {
  const [first, ...others] = await selectTrials([word], sources);
  if (first !== undefined && others.length === 0) return first;
  throw waymarkError("WM_USAGE", `"${word}" names ${others.length + 1} runs; this needs one`);
}

/** Stored results as runs: those of one launch together, each with its folder's manifest where the folder is there. */
export function trialsOf(stored: readonly StoredRun[], sources: TrialSources): readonly Trial[] {
  const groups = groupBy(stored, ({ trial, id }) => trial ?? id);
  return [...groups.entries()].map(([id, members]) => {
    const details = members.map((run) => sources.store.getRun(run.id));
    const results = details.map(({ result }) => result);
    const folder = folderOf(id, members, sources);
    return folder === undefined ? { manifest: manifestOf(id, details), results } : { ...readTrial(folder), results };
  });
}

/** The runs whose folders say that they have no grade: running, interrupted, or ended before they could be graded. Oldest first. */
export function ungradedTrials({ runs, store }: TrialSources): readonly Trial[] {
  return readableTrials(runs).filter(
    ({ manifest, results }) => results.length === 0 && store.listRuns({ trial: manifest.id, limit: 1 }).length === 0,
  );
}

async function trialsNamed(word: string, sources: TrialSources): Promise<readonly Trial[]> {
  const whole = await trialsAnswering(word, sources);
  if (whole.length > 0) return whole;
  const parts = word.split(",").map((part) => part.trim());
  if (parts.length > 1 && parts.every((part) => part !== "")) return selectTrials(parts, sources);
  throw waymarkError("WM_RUN_NOT_FOUND", `no stored run answers to "${word}"${nearMisses(word, sources)}`, {
    fix: fixFor(word),
  });
}

async function trialsAnswering(word: string, sources: TrialSources): Promise<readonly Trial[]> {
  const { store } = sources;
  const [, kind, name = ""] = /^(batch|variant|label|task):(.+)$/s.exec(word) ?? [];
  if (kind === "batch") {
    const batch = name === "latest" ? store.listBatches(1)[0]?.id : name;
    return batch === undefined ? [] : whole(store.listRuns({ batch }), sources);
  }
  if (kind !== undefined) return whole(store.listRuns({ [kind]: name }), sources);
  if (word === "good") return whole(store.listRuns({ label: "good" }), sources);
  if (word === "latest") return whole(store.listRuns({ limit: 1 }), sources);
  if (word === "latest-failed") return whole(store.listRuns({ verdict: "fail", limit: 1 }), sources);
  if (word === "running") return readableTrials(sources.runs).filter(({ manifest }) => manifest.state === "running");
  const range = /^#?([0-9]{1,9})\.\.#?([0-9]{1,9})$/.exec(word);
  if (range !== null) return inRange(Number(range[1]), Number(range[2]), sources);
  if (isThere(placesIn(word).manifest)) return [readTrial(resolve(word))];
  if (isArchive(word)) return trialsInArchive(word);
  return byId(word, sources);
}

function inRange(first: number, last: number, sources: TrialSources): readonly Trial[] {
  const runs = sources.store.listRuns({ withRegrades: true });
  return whole(
    runs.filter(({ number }) => number >= first && number <= last),
    sources,
  );
}

/** By number, id, or the beginning of an id; a run without a grade only has a folder. */
function byId(word: string, sources: TrialSources): readonly Trial[] {
  const { store, runs } = sources;
  const wanted = /^[0-9]{1,9}$/.test(word) ? `#${word}` : word;
  const stored = store.listRuns({ trial: word });
  if (stored.length > 0) return whole(stored, sources);
  try {
    return whole([store.getRun(wanted)], sources);
  } catch (cause) {
    if (!(cause instanceof WaymarkError) || cause.code !== "WM_RUN_NOT_FOUND") throw cause;
    const prefix = word.toUpperCase();
    const found = prefix === "" ? [] : readableTrials(runs).filter(({ manifest }) => manifest.id.startsWith(prefix));
    if (found.length > 1 || cause.message.includes("several runs")) {
      throw waymarkError("WM_RUN_NOT_FOUND", `several runs have an id that begins with "${word}"`);
    }
    return found;
  }
}

/** Results as runs with all their results, also those that the question left out; oldest first. */
function whole(newestFirst: readonly StoredRun[], sources: TrialSources): readonly Trial[] {
  const seen = new Set<string>();
  const complete = [...newestFirst].reverse().flatMap((run) => {
    const { trial = run.id } = run;
    if (run.regradeOf !== undefined) return [run];
    if (seen.has(trial)) return [];
    seen.add(trial);
    return run.trial === undefined ? [run] : [...sources.store.listRuns({ trial })].reverse();
  });
  return trialsOf(complete, sources);
}

function readableTrials(runs: string): readonly Trial[] {
  return listTrialFolders(runs).flatMap((folder) => {
    try {
      return [readTrial(folder)];
    } catch {
      return []; // a damaged folder is named by `runs rebuild` and `runs prune --damaged`; here it answers to nothing
    }
  });
}

function folderOf(id: string, members: readonly StoredRun[], { runs }: TrialSources): string | undefined {
  const candidates = [...members.flatMap((run) => run.folder ?? []), `${runs}/${id}`].map((path) => resolve(path));
  return candidates.find((path) => isThere(placesIn(path).manifest));
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a word that can be no path, such as one with a NUL
  }
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
