import type { BatchDocument } from "../trials/batch.ts";
import type { ResultDocument, ScenarioResult, Verdict } from "../verdict.ts";

/** Where a reporter's text goes; stdout or a file. Text is whole lines, with its own line breaks. */
export type Write = (text: string) => void;

export interface ReporterOptions {
  readonly write: Write;
  /** Whether ANSI colours may be used. */
  readonly colour: boolean;
  /** 0 quiet (verdict lines only), 1 normal, 2 verbose. */
  readonly detail: 0 | 1 | 2;
  /** The file that `write` ends up in; absent for stdout. Known so that files can be put beside it. */
  readonly file?: string;
  /** The environment, for reporters that write where it says. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The file of the report that is written in the same go, when there is one. */
  readonly reportFile?: string;
}

/** A batch is about to begin. */
export interface BatchStart {
  readonly batch: string;
  readonly started_at: string;
  readonly scenarios: readonly string[];
  /** How many runs are planned; the most there can be, where a test decides when to stop. */
  readonly runs: number;
}

/** A run of a batch has been launched. */
export interface TrialStart {
  /** The launch's id. */
  readonly trial: string;
  readonly index: number;
  readonly retries: number;
  readonly variant?: string;
  readonly task?: string;
  readonly started_at: string;
}

/** A marker has been reached while its run went on. */
export interface MarkerReached {
  readonly trial: string;
  readonly scenario: string;
  readonly marker: string;
  /** From 1, in the order of the scenario. */
  readonly position: number;
  readonly at?: string;
  readonly file?: string;
  readonly line?: number;
}

/** The first event of a run that is watched; its result comes later under the same id. */
export interface WatchStart {
  readonly run: string;
  readonly scenario: string;
  readonly started_at?: string;
}

/** A run of a batch has ended and been graded, or could not be. */
export interface TrialEnd {
  readonly trial: string;
  readonly index: number;
  readonly verdict: Verdict | "interrupted";
  readonly duration_ms?: number;
  readonly results: readonly ScenarioResult[];
}

/** What a reporter may react to; each hook is optional. */
export interface ReporterHooks {
  /** One scenario has been graded on one series. */
  onResult?(result: ScenarioResult): void;
  /** All is graded; called once, last. */
  onEnd?(document: ResultDocument): void;
  /** A log is watched, and a run begins in it; `onMarker` may follow, and `onResult` when it is over. */
  onWatchStart?(start: WatchStart): void;
  /** The four that tell of a batch while it is under way; `onBatch` comes after them, whether they were called or not. */
  onBatchStart?(batch: BatchStart): void;
  onTrialStart?(trial: TrialStart): void;
  onMarker?(marker: MarkerReached): void;
  onTrialEnd?(trial: TrialEnd): void;
  /** All runs of a batch are made and summed up; called once, last, in place of `onResult` and `onEnd`. */
  onBatch?(document: BatchDocument): void;
  /** After the last hook: what takes longer, such as reading files. Awaited before the reporter's file is written. */
  finish?(): Promise<void>;
}

/**
 * One way to show results. To add one: a file in reporters/ and a line in reporters/index.ts; the contract suite in
 * test/contract covers it from then on. Everything that telemetry or files say is inserted as text (`asText`).
 */
export interface Reporter {
  readonly name: string;
  /** One sentence for `--help`. */
  readonly describe: string;
  create(options: ReporterOptions): ReporterHooks;
}
