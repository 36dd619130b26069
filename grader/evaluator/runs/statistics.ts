import type { Gate } from "../../statistics/gate.ts";
import { summariseAgreement } from "../../trials/agreement.ts";
import type { BatchDocument } from "../../trials/batch.ts";
import { comparisonsOf } from "../../trials/compare-cells.ts";
import type { Cell } from "../../trials/plan.ts";
import { summarise } from "../../trials/summarise.ts";
import { lastTries, type SummedScenario } from "../../trials/summarise-runs.ts";
import type { Trial } from "../../trials/trial.ts";

/** A run that is under way, with the scenarios that will grade it. */
export interface RunUnderWay {
  readonly trial: Trial;
  readonly scenarios: readonly string[];
}

/** What a batch that was made over HTTP consists of. */
export interface BatchFacts {
  readonly id: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly gate: Gate;
  /** Runs that are over, in order. */
  readonly trials: readonly Trial[];
  readonly underWay: readonly RunUnderWay[];
  /** Runs that are planned and were not begun. */
  readonly missing: number;
  /** All that grade one of the runs. */
  readonly scenarios: readonly SummedScenario[];
}

/** Sums up a batch as `waymark run` does. The server takes any function of this kind. */
export type SummariseBatch = (facts: BatchFacts) => BatchDocument;

/**
 * The gate and the statistics of a batch, with agents' claims against the grade and variants against each other: what
 * `waymark run` sums up of the same runs. Runs that are under way or missing leave gates open. Pure.
 */
export const summariseRuns: SummariseBatch = ({ gate, trials, underWay, missing, scenarios, ...facts }) => {
  const cells = cellsOf([...trials, ...underWay.map(({ trial }) => trial)]);
  const last = lastTries(trials);
  const agreement = summariseAgreement(last);
  const awaited = (scenario: SummedScenario, cell: Cell): number =>
    missing + underWay.filter((run) => run.scenarios.includes(scenario.id) && isIn(cell, run.trial)).length;
  return summarise({
    ...facts,
    design: { kind: "fixed", cells, runs: trials.length },
    aim: { kind: "gate", gate },
    scenarios,
    trials,
    awaited,
    hasProblems: false,
    exitZero: false,
    ...(agreement === undefined ? {} : { agreement }),
    comparisons: comparisonsOf(cells, last, scenarios),
  });
};

/** The variants and tasks that occur. */
function cellsOf(trials: readonly Trial[]): readonly Cell[] {
  const cells: Cell[] = [];
  for (const trial of trials) {
    if (cells.some((cell) => isIn(cell, trial))) continue;
    const { variant, task, command } = trial.manifest;
    const names = { ...(variant === undefined ? {} : { variant }), ...(task === undefined ? {} : { task }) };
    cells.push({ ...names, command, env: {}, params: new Map() });
  }
  return cells;
}

function isIn({ variant, task }: Cell, { manifest }: Trial): boolean {
  return manifest.variant === variant && manifest.task === task;
}
