import { type Attempt, isDecided } from "./compare-attempt.ts";

/** A pair of runs (the k-th run of the same task on each side) whose verdicts differ. */
export interface Flip {
  readonly task?: string;
  /** Which run of the task on its side, from 1, in the order they were started. */
  readonly trial: number;
  readonly direction: "pass_to_fail" | "fail_to_pass";
  readonly a: FlipRun;
  readonly b: FlipRun;
}

export interface FlipRun {
  readonly run: string;
  readonly folder?: string;
  readonly reason: string;
}

/** From A to B: the k-th run of a task on A beside the k-th on B, where one passed and the other failed; by task. */
export function flipsBetween(a: readonly Attempt[], b: readonly Attempt[]): readonly Flip[] {
  const others = new Map(numbered(b).map((one) => [keyOf(one), one]));
  const flips = numbered(a).flatMap((one) => {
    const other = others.get(keyOf(one));
    if (other === undefined || !isDecided(one.attempt) || !isDecided(other.attempt)) return [];
    if (one.attempt.verdict === other.attempt.verdict) return [];
    return [
      {
        ...(one.task === undefined ? {} : { task: one.task }),
        trial: one.trial,
        direction: one.attempt.verdict === "pass" ? ("pass_to_fail" as const) : ("fail_to_pass" as const),
        a: runOf(one.attempt),
        b: runOf(other.attempt),
      },
    ];
  });
  return flips.sort((one, other) => compareTexts(one.task ?? "", other.task ?? "") || one.trial - other.trial);
}

/** Texts by code units, the same in every locale. */
export function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

interface Numbered {
  readonly attempt: Attempt;
  readonly task: string | undefined;
  readonly trial: number;
}

function numbered(attempts: readonly Attempt[]): readonly Numbered[] {
  const counts = new Map<string | undefined, number>();
  return attempts.map((attempt) => {
    const { task } = attempt.trial.manifest;
    const trial = (counts.get(task) ?? 0) + 1;
    counts.set(task, trial);
    return { attempt, task, trial };
  });
}

function keyOf({ task, trial }: Numbered): string {
  return JSON.stringify([task, trial]);
}

function runOf({ trial, reason }: Attempt): FlipRun {
  return {
    run: trial.manifest.id,
    ...(trial.folder === undefined ? {} : { folder: trial.folder }),
    reason,
  };
}
