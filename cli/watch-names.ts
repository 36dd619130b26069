import type { RunAbout } from "../grader/grade-series.ts";
import { createRunIds } from "../grader/run-id.ts";

/** Ids of runs that are watched: known while they go on, and the same in their results. */
export interface RunNames {
  idFor(about: RunAbout): string;
  /** A newer capture begins in the log: what comes is another run. */
  forget(log: string): void;
}

/** Run ids by log, scenario and session. */
export function createRunNames(now: () => number = Date.now): RunNames {
  const newId = createRunIds(now);
  const known = new Map<string, Map<string, string>>();
  return {
    idFor: ({ log, scenario, session = "" }) => {
      const own = known.get(log) ?? new Map<string, string>();
      known.set(log, own);
      const key = `${scenario}\n${session}`;
      const id = own.get(key) ?? newId();
      own.set(key, id);
      return id;
    },
    forget: (log) => void known.delete(log),
  };
}
