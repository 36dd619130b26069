import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import { worstExit } from "../combine.ts";
import type { ScenarioResult, Verdict } from "../verdict.ts";
import type { Regrade, RegradedTrial, RegradeProblem } from "./regrade.ts";

/** The document `regrade --json` prints. */
export interface RegradeDocument {
  readonly schema: "waymark.regrade/1";
  readonly waymark: string;
  readonly exit_code: number;
  /** False with `--dry-run`. */
  readonly kept: boolean;
  readonly counts: {
    readonly graded: number;
    readonly same: number;
    /** Results by a scenario that had not graded the run before. */
    readonly fresh: number;
    /** By turn, such as `fail → pass`. */
    readonly flips: Readonly<Record<string, number>>;
    readonly gone: number;
    readonly skipped: number;
  };
  readonly runs: readonly RegradedRun[];
  readonly problems: readonly RegradeProblem[];
  readonly skipped: readonly { readonly run: string; readonly why: string }[];
}

export interface RegradedRun {
  readonly run: string;
  readonly folder?: string;
  readonly scenario: string;
  readonly session?: string;
  readonly flip: boolean;
  readonly old?: GradeInBrief;
  readonly new: GradeInBrief;
  readonly notes: readonly string[];
}

export interface GradeInBrief {
  readonly result: string;
  readonly verdict: Verdict;
  readonly markers_sha256: string;
  readonly coverage: number;
  readonly reason: string;
}

/**
 * The regrades as a document. Exit code 0 when every run was graded again, whatever the verdicts; 3 when a log is gone
 * or a scenario could not be graded; 4 when there was nothing to grade.
 */
export function regradeDocument(regraded: readonly RegradedTrial[], kept: boolean): RegradeDocument {
  const runs = regraded.flatMap((one) => (one.kind === "regraded" ? one.regrades.map((each) => runOf(one, each)) : []));
  const problems = regraded.flatMap((one) => (one.kind === "gone" ? [one.problem] : []));
  const skipped = regraded.flatMap((one) =>
    one.kind === "skipped" ? [{ run: one.trial.manifest.id, why: one.why }] : [],
  );
  const isBroken = problems.length > 0 || runs.some((run) => run.new.verdict === "error");
  return {
    schema: "waymark.regrade/1",
    waymark: WAYMARK_VERSION,
    exit_code: worstExit([runs.length + problems.length === 0 ? 4 : 0, ...(isBroken ? [3] : [])]),
    kept,
    counts: {
      graded: runs.length,
      same: runs.filter(({ flip, old }) => old !== undefined && !flip).length,
      fresh: runs.filter(({ old }) => old === undefined).length,
      flips: flipsOf(runs),
      gone: problems.length,
      skipped: skipped.length,
    },
    runs,
    problems,
    skipped,
  };
}

function runOf({ trial }: RegradedTrial, { scenario, old, result, isFlip, notes }: Regrade): RegradedRun {
  return {
    run: trial.manifest.id,
    ...(trial.folder === undefined ? {} : { folder: trial.folder }),
    scenario,
    ...(result.session === undefined ? {} : { session: result.session }),
    flip: isFlip,
    ...(old === undefined ? {} : { old: brief(old) }),
    new: brief(result),
    notes,
  };
}

function brief({ run, verdict, markers_sha256: hash, coverage, reason }: ScenarioResult): GradeInBrief {
  return { result: run, verdict, markers_sha256: hash, coverage, reason };
}

function flipsOf(runs: readonly RegradedRun[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { flip, old, new: now } of runs) {
    if (!flip || old === undefined) continue;
    const turn = `${old.verdict} → ${now.verdict}`;
    counts[turn] = (counts[turn] ?? 0) + 1;
  }
  return counts;
}
