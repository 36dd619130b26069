import type { Gate } from "../../statistics/gate.ts";
import type { BatchDocument } from "../../trials/batch.ts";
import type { Cell } from "../../trials/plan.ts";
import { summarise } from "../../trials/summarise.ts";
import type { SummedScenario } from "../../trials/summarise-runs.ts";
import type { Trial } from "../../trials/trial.ts";

/** What a batch that was made over HTTP consists of. */
export interface BatchFacts {
  readonly id: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly gate: Gate;
  /** In order; those that are still under way are not among them. */
  readonly trials: readonly Trial[];
  readonly sessionsOf: ReadonlyMap<string, "all" | "any">;
}

/** Sums up a batch as `waymark run` does. The server takes any function of this kind. */
export type SummariseBatch = (facts: BatchFacts) => BatchDocument;

/** The gate and the statistics of a batch: one group per scenario, variant and task. Pure. */
export const summariseRuns: SummariseBatch = ({ gate, trials, sessionsOf, ...facts }) =>
  summarise({
    ...facts,
    design: { kind: "fixed", cells: cellsOf(trials), runs: trials.length },
    aim: { kind: "gate", gate },
    scenarios: scenariosOf(trials, sessionsOf),
    trials,
    hasProblems: false,
    exitZero: false,
  });

/** The variants and tasks that occur. */
function cellsOf(trials: readonly Trial[]): readonly Cell[] {
  const cells = new Map<string, Cell>();
  for (const { manifest } of trials) {
    const { variant, task, command } = manifest;
    const key = JSON.stringify([variant ?? null, task ?? null]);
    const names = { ...(variant === undefined ? {} : { variant }), ...(task === undefined ? {} : { task }) };
    if (!cells.has(key)) cells.set(key, { ...names, command, env: {}, params: new Map() });
  }
  return [...cells.values()];
}

/** The scenarios that graded one of the runs. */
function scenariosOf(
  trials: readonly Trial[],
  sessionsOf: ReadonlyMap<string, "all" | "any">,
): readonly SummedScenario[] {
  const hashes = new Map(trials.flatMap(({ results }) => results.map((one) => [one.scenario, one.markers_sha256])));
  return [...hashes].map(([id, sha256]) => ({ id, sha256, sessions: sessionsOf.get(id) ?? "all" }));
}
