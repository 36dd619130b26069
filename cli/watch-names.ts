import type { RunAbout } from "../grader/grade-series.ts";
import { createRunIds } from "../grader/run-id.ts";

/** Ids of runs that are watched: known while they go on, and the same in their results. */
export interface RunNames {
  idFor(about: RunAbout): string;
  /** A newer capture begins in the log for these scenarios: what comes is another run. */
  forget(log: string, scenarios: readonly string[]): void;
}

/** Run ids by log, scenario and session. */
export function createRunNames(now: () => number = Date.now): RunNames {
  const newId = createRunIds(now);
  /** By log and scenario, then by session. */
  const known = new Map<string, Map<string, string>>();
  return {
    idFor: ({ log, scenario, session = "" }) => {
      const key = keyOf(log, scenario);
      const own = known.get(key) ?? new Map<string, string>();
      known.set(key, own);
      const id = own.get(session) ?? newId();
      own.set(session, id);
      return id;
    },
    forget: (log, scenarios) => {
      for (const scenario of scenarios) known.delete(keyOf(log, scenario));
    },
  };
}

function keyOf(log: string, scenario: string): string {
  return `${log}\n${scenario}`;
}
