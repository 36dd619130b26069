import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import { type OutcomeSummary, summariseOutcomes } from "./outcomes.ts";
import type { ReadOutcomes } from "./outcomes-read.ts";

/** The document `compare --outcomes --json` prints. */
export interface OutcomesDocument extends OutcomeSummary {
  readonly schema: "waymark.outcomes/1";
  readonly waymark: string;
  readonly exit_code: number;
  readonly files: readonly string[];
  readonly notes: readonly string[];
}

/** The figures of outcome tables as a document; without any trial that succeeded or failed the exit code is 3. */
export function outcomesDocument(
  files: readonly string[],
  { outcomes, notes }: ReadOutcomes,
  ks: readonly number[],
): OutcomesDocument {
  const summary = summariseOutcomes(outcomes, ks);
  const isGraded = summary.variants.some(({ trials }) => trials > 0);
  const tooLarge = summary.ks.filter((k) => summary.variants.every(({ trials_per_task: { max } }) => max < k));
  return {
    schema: "waymark.outcomes/1",
    waymark: WAYMARK_VERSION,
    exit_code: isGraded ? 0 : 3,
    files,
    ...summary,
    notes: [...notes, ...tooLarge.map((k) => `no task has ${k} trials, so there is no pass@${k} and no pass^${k}`)],
  };
}
