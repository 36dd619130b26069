import { wilson } from "../statistics/interval.ts";
import type { Verdict } from "../verdict.ts";
import type { Attempt } from "./compare-attempt.ts";
import { type FunnelStep, funnelOf, stallsOf } from "./compare-funnel.ts";
import { figureOf } from "./compare-shift.ts";
import type { Stall } from "./stalls.ts";

/** One side of a comparison on one scenario. */
export interface ComparedSide {
  readonly name: string;
  /** All runs but the interrupted ones: passed + failed + inconclusive + errors. */
  readonly n: number;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  readonly errors: number;
  readonly interrupted: number;
  /** passed / (passed + failed); null when no run has a grade. */
  readonly rate: number | null;
  /** passed / n: errors and inconclusive runs counted as not passed. */
  readonly rate_of_all: number | null;
  /** Wilson's 95 % interval of `rate`. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly provenance: Readonly<Record<string, number>>;
  readonly funnel: readonly FunnelStep[];
  readonly stalls: readonly Stall[];
  readonly runs: readonly ComparedRun[];
}

/** A run of a side, with what it takes to open it: `waymark runs show RUN`, or its folder. */
export interface ComparedRun {
  readonly run: string;
  readonly folder?: string;
  readonly task?: string;
  readonly verdict: Verdict | "interrupted";
  readonly reason: string;
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  readonly claim?: string;
  readonly review?: "pass" | "fail";
}

/** Sums up a side. Runs without a grade are counted apart and never left out without a word. */
export function sideOf(name: string, attempts: readonly Attempt[]): ComparedSide {
  const count = (wanted: Attempt["verdict"]): number => attempts.filter(({ verdict }) => verdict === wanted).length;
  const [passed, failed, interrupted] = [count("pass"), count("fail"), count("interrupted")];
  const n = attempts.length - interrupted;
  const graded = { passed, runs: passed + failed };
  return {
    name,
    n,
    passed,
    failed,
    inconclusive: count("inconclusive"),
    errors: count("error"),
    interrupted,
    rate: graded.runs === 0 ? null : passed / graded.runs,
    rate_of_all: n === 0 ? null : passed / n,
    interval: graded.runs === 0 ? null : wilson(graded),
    provenance: provenanceOf(attempts),
    funnel: funnelOf(attempts),
    stalls: stallsOf(attempts),
    runs: attempts.map(runOf),
  };
}

function provenanceOf(attempts: readonly Attempt[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { trial } of attempts) {
    const { provenance } = trial.manifest;
    counts[provenance] = (counts[provenance] ?? 0) + 1;
  }
  return counts;
}

function runOf(attempt: Attempt): ComparedRun {
  const { trial, verdict, reason } = attempt;
  const { id, task, used, self_report: report, review } = trial.manifest;
  const duration = figureOf(attempt, "duration");
  return {
    run: id,
    ...(trial.folder === undefined ? {} : { folder: trial.folder }),
    ...(task === undefined ? {} : { task }),
    verdict,
    reason,
    ...(duration === undefined ? {} : { duration_ms: duration }),
    ...(used?.cost_usd === undefined ? {} : { cost_usd: used.cost_usd }),
    ...(report === undefined ? {} : { claim: report.claim }),
    ...(review === undefined ? {} : { review: review.verdict }),
  };
}
