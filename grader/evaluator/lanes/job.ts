import type { JsonObject, JsonValue } from "../../../proxy/record/json.ts";
import type { GradableScenario } from "../../panel.ts";
import type { RunDetails } from "../../store/store.ts";
import type { ResultDocument } from "../../verdict.ts";
import type { Seen } from "../evaluators/evaluator.ts";

/** What evaluators may look at, in a form that can be sent to a thread. */
export interface Sight {
  readonly root?: string;
  readonly cwd?: string;
  readonly commands: ReadonlyMap<string, readonly string[]>;
}

/** A grading, in a form that can be sent to a thread. Nothing is stored there. */
export interface GradeJob {
  readonly kind: "grade";
  readonly logs: readonly string[];
  readonly scenarios: readonly GradableScenario[];
  readonly params: ReadonlyMap<string, JsonValue>;
  readonly all: boolean;
  readonly cut: boolean;
  readonly since?: string;
  readonly session?: string;
  readonly waitMs?: number;
  /** What the run used up, for budgets. */
  readonly spending?: Pick<RunDetails, "costUsd" | "steps">;
  /** Absent: the scenarios' checks are not asked. */
  readonly sight?: Sight;
}

/** One look at the final state. */
export interface LookJob {
  readonly kind: "look";
  readonly evaluator: string;
  readonly args: JsonValue;
  readonly sight: Sight;
}

/** Counts the events of a log and keeps the newest. */
export interface TallyJob {
  readonly kind: "tally";
  readonly log: string;
  /** ISO time. */
  readonly since?: string;
  readonly name?: string;
  readonly limit: number;
}

export interface LogTally {
  readonly counts: {
    readonly total: number;
    readonly undecoded: number;
    readonly bad: number;
    readonly by_name: Readonly<Record<string, number>>;
  };
  /** Oldest first. */
  readonly events: readonly JsonObject[];
}

export type Job = GradeJob | LookJob | TallyJob;

export interface Done {
  readonly grade: { readonly document: ResultDocument; readonly tookMs: number };
  readonly look: Seen;
  readonly tally: LogTally;
}

/** What a lane's thread is told, and what it answers. */
export type ToLane = { readonly id: number; readonly job: Job } | { readonly id: number; readonly stop: true };

export type FromLane =
  | { readonly id: number; readonly kind: "done"; readonly value: Done[keyof Done] }
  | {
      readonly id: number;
      readonly kind: "failed";
      readonly faults?: readonly unknown[];
      readonly message: string;
      readonly outside: boolean;
    };
