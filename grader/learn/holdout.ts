import { learnRuns } from "./learn.ts";
import type { LearnOptions } from "./model.ts";
import { createPredictor, type HeldRun } from "./predict.ts";

/** What the scenario learned from all other runs says of one run. */
export interface HoldoutRow {
  readonly run: string;
  readonly verdict: "pass" | "fail" | "inconclusive";
  readonly coverage: number;
  readonly reason: string;
}

/** Leaves one good run out at a time. A run that fails says that the runs differ more than a scenario of the others allows. */
export function leaveOneOut(runs: readonly HeldRun[], options: LearnOptions = {}): readonly HoldoutRow[] {
  if (runs.length < 2) return [];
  return runs.map((run) => {
    const others = runs.filter((other) => other !== run);
    const { verdict, coverage, reason } = createPredictor(learnRuns(others, "holdout", options).text).grade(run);
    return { run: run.name, verdict, coverage, reason };
  });
}
