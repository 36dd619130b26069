import { WaymarkError } from "../../../proxy/record/fault.ts";
import type { Store } from "../../store/store.ts";
import { selectTrials, type TrialSources, trialsOf } from "../../trials/select.ts";
import type { Trial } from "../../trials/trial.ts";
import { Refusal } from "../refusal.ts";

export interface ShownSources {
  readonly store: Store | undefined;
  readonly runs: string;
  /** What stands in the folders of runs. */
  readonly trials: readonly Trial[];
}

/** Most runs of no batch that are shown. */
const MOST = 200;

/**
 * The runs that the page shows: those that words name; else the batch of the newest run, else the newest runs. Runs
 * under way have no grade and are left out. Throws a 400 for a word that would name a file, a 404 for one that no run
 * answers to.
 */
export async function shownRuns(words: readonly string[], sources: ShownSources): Promise<readonly Trial[]> {
  const { store, runs, trials } = sources;
  const wrong = words.find((word) => /[\\/]|\.zip$|^\.+$/i.test(word));
  if (wrong !== undefined)
    throw new Refusal(400, "WM_SERVE_BODY", `query runs: "${wrong}" names no run`, { pointer: "/runs" });
  if (words.length > 0 && store !== undefined) return (await named(words, { store, runs })).filter(isOver);
  const batch = trials.at(-1)?.manifest.batch;
  if (batch !== undefined) return trials.filter(({ manifest }) => manifest.batch === batch).filter(isOver);
  const stored = store === undefined ? [] : trialsOf(store.listRuns({ limit: MOST }), { store, runs });
  const known = new Set(stored.map(({ manifest }) => manifest.id));
  const others = trials.filter(({ manifest }) => !known.has(manifest.id)).slice(-MOST);
  return [...stored, ...others].filter(isOver);
}

async function named(words: readonly string[], sources: TrialSources): Promise<readonly Trial[]> {
  try {
    return await selectTrials(words, sources);
  } catch (cause) {
    if (cause instanceof WaymarkError && cause.code === "WM_RUN_NOT_FOUND") {
      throw new Refusal(404, "WM_SERVE_NOT_FOUND", `query runs: ${cause.message}`, { pointer: "/runs" });
    }
    throw cause;
  }
}

function isOver({ manifest }: Trial): boolean {
  return manifest.state !== "running" && manifest.state !== "ended";
}
