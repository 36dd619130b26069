import { statSync } from "node:fs";
import { resolve } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import type { Store, StoredRun, StoredRunDetails } from "../store/store.ts";
import { placesIn, readTrial } from "./folder.ts";
import type { Trial, TrialManifest } from "./trial.ts";

export interface TrialSources {
  readonly store: Store;
  /** The folder of run folders; a run's folder is looked for there by its id when the database's path is gone. */
  readonly runs: string;
}

/**
 * The runs that words name, in the order of the words, each once: `latest`, `latest-failed`, `good`, `#12` or `12`, an id
 * or its beginning, `batch:ID` (or `batch:latest`), `variant:NAME`, `label:NAME`, `task:NAME`, or the path of a run's folder.
 * A word that several runs answer to gives them oldest first. Throws `WM_RUN_NOT_FOUND` for a word that none answers to.
 */
export async function selectTrials(words: readonly string[], sources: TrialSources): Promise<readonly Trial[]> {
  const trials = new Map<string, Trial>();
  for (const word of words) {
    const found = trialsNamed(word, sources);
    if (found.length === 0) throw waymarkError("WM_RUN_NOT_FOUND", `no stored run answers to "${word}"`);
    for (const trial of found) if (!trials.has(trial.manifest.id)) trials.set(trial.manifest.id, trial);
  }
  return [...trials.values()];
}

/** Stored results as runs: those of one launch together, each with its folder's manifest where the folder is there. */
export function trialsOf(stored: readonly StoredRun[], sources: TrialSources): readonly Trial[] {
  const groups = groupBy(stored, ({ trial, id }) => trial ?? id);
  return [...groups.entries()].map(([id, members]) => {
    const details = members.map((run) => sources.store.getRun(run.id));
    const folder = folderOf(id, details, sources);
    if (folder !== undefined) {
      const trial = readTrial(folder);
      return { ...trial, results: details.map(({ result }) => result) };
    }
    return { manifest: manifestOf(id, details), results: details.map(({ result }) => result) };
  });
}

function trialsNamed(word: string, sources: TrialSources): readonly Trial[] {
  const { store } = sources;
  const oldestFirst = (runs: readonly StoredRun[]): readonly Trial[] => trialsOf([...runs].reverse(), sources);
  const [, kind, name = ""] = /^(batch|variant|label|task):(.+)$/s.exec(word) ?? [];
  if (kind === "batch") {
    const batch = name === "latest" ? store.listBatches(1)[0]?.id : name;
    return batch === undefined ? [] : oldestFirst(store.listRuns({ batch }));
  }
  if (kind !== undefined) return oldestFirst(store.listRuns({ [kind]: name }));
  if (word === "good") return oldestFirst(store.listRuns({ label: "good" }));
  if (word === "latest") return trialsOf(store.listRuns({ limit: 1 }), sources);
  if (word === "latest-failed") return trialsOf(store.listRuns({ verdict: "fail", limit: 1 }), sources);
  if (statSync(placesIn(word).manifest, { throwIfNoEntry: false }) !== undefined) return [readTrial(resolve(word))];
  const run = store.getRun(/^[0-9]{1,9}$/.test(word) ? `#${word}` : word);
  const isAlone = run.trial === undefined || run.regradeOf !== undefined;
  return trialsOf(isAlone ? [run] : [...store.listRuns({ trial: run.trial ?? run.id })].reverse(), sources);
}

function folderOf(id: string, runs: readonly StoredRunDetails[], { runs: folder }: TrialSources): string | undefined {
  const candidates = [...runs.flatMap((run) => run.folder ?? []), `${folder}/${id}`].map((path) => resolve(path));
  return candidates.find((path) => statSync(placesIn(path).manifest, { throwIfNoEntry: false }) !== undefined);
}

/** What the database knows of a run whose folder is gone, or that was graded from a log and never had one. */
function manifestOf(id: string, runs: readonly StoredRunDetails[]): TrialManifest {
  const [first] = runs;
  const { batch, variant, task, versions, labels, selfReport, measures, review } = first ?? {};
  return {
    schema: "waymark.trial/1",
    id,
    state: "graded",
    index: first?.trialIndex ?? 1,
    retries: 0,
    command: [],
    started_at: first?.startedAt ?? first?.gradedAt ?? "",
    provenance: first?.provenance ?? "live",
    versions: versions ?? {},
    labels: labels ?? [],
    ...(batch === undefined ? {} : { batch }),
    ...(variant === undefined ? {} : { variant }),
    ...(task === undefined ? {} : { task }),
    ...(first?.endedAt === undefined ? {} : { ended_at: first.endedAt }),
    ...(selfReport === undefined ? {} : { self_report: { claim: selfReport } }),
    ...(measures === undefined ? {} : { measures }),
    ...(review === undefined ? {} : { review }),
    used: {
      ...(first?.costUsd === undefined ? {} : { cost_usd: first.costUsd }),
      ...(first?.tokensIn === undefined ? {} : { tokens_in: first.tokensIn }),
      ...(first?.tokensOut === undefined ? {} : { tokens_out: first.tokensOut }),
    },
  };
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
