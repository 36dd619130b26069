import type { BatchDocument } from "../trials/batch.ts";
import type { ResultDocument, ScenarioResult } from "../verdict.ts";

/** Where a reporter's text goes; stdout or a file. Text is whole lines, with its own line breaks. */
export type Write = (text: string) => void;

export interface ReporterOptions {
  readonly write: Write;
  /** Whether ANSI colours may be used. */
  readonly colour: boolean;
  /** 0 quiet (verdict lines only), 1 normal, 2 verbose. */
  readonly detail: 0 | 1 | 2;
}

/** What a reporter may react to; each hook is optional. */
export interface ReporterHooks {
  /** One scenario has been graded on one series. */
  onResult?(result: ScenarioResult): void;
  /** All is graded; called once, last. */
  onEnd?(document: ResultDocument): void;
  /** All runs of a batch are made and summed up; called once, last, in place of the other hooks. */
  onBatch?(document: BatchDocument): void;
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
