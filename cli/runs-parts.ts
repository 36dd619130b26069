import type { LiveAccounting } from "../grader/trials/live-stop.ts";
import type { Trial } from "../grader/trials/trial.ts";

/** What `waymark runs` takes from the parts that count and compare. */
export interface RunsParts {
  /** Cost, steps, process measures and self-reports of a run that `runs stop` ends. */
  readonly accounting: LiveAccounting;
  /** Runs as one CSV table. */
  readonly tableOf?: (trials: readonly Trial[]) => string;
}

export const PARTS: RunsParts = { accounting: {} };
