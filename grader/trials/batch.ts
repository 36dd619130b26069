import type { ScenarioResult, Verdict } from "../verdict.ts";
import type { TrialManifest } from "./trial.ts";

/** The document `run --json` prints. Figures that cannot be had (no run decided, nobody counted) are null or absent, never 0. */
export interface BatchDocument {
  readonly schema: "waymark.batch/1";
  readonly waymark: string;
  readonly batch: string;
  readonly verdict: Verdict | "undecided";
  readonly exit_code: number;
  readonly started_at: string;
  readonly ended_at: string;
  /** True when not all planned runs were made, because waymark was stopped. */
  readonly interrupted: boolean;
  readonly gate: GateResult;
  /** One per scenario, variant and task. */
  readonly groups: readonly GroupSummary[];
  /** Over several scenarios or tasks: means clustered by scenario or task, in words and figures. */
  readonly overall?: readonly OverallSummary[];
  readonly sprt?: SprtSummary;
  readonly agreement?: AgreementSummary;
  /** One per pair of variants, filled by `compareGroups`. */
  readonly comparisons?: readonly unknown[];
  /** One row per run and scenario, in order: what a table of the batch shows. */
  readonly runs: readonly RunRow[];
  /** The launches, in order. */
  readonly trials: readonly TrialManifest[];
  /** As `grade --json` has them, one per run and scenario. */
  readonly results: readonly ScenarioResult[];
}

/** How one run did by one scenario. */
export interface RunRow {
  /** The launch, as in `trials`, and its result, as in `results`; none for a run that was stopped. */
  readonly trial: string;
  readonly run?: string;
  readonly index: number;
  readonly retries: number;
  /** It ended in `error` and was tried again, so that it counts in no figure. */
  readonly superseded: boolean;
  readonly scenario: string;
  readonly variant?: string;
  readonly task?: string;
  readonly verdict: Verdict | "interrupted";
  /** Markers found, and how many had to be. */
  readonly found: number;
  readonly total: number;
  /** The marker that never came. */
  readonly waiting_for?: string;
  /** Wall time of the command. */
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  /** More was used than could be counted. */
  readonly cost_at_least?: boolean;
  /** What the agent said of the run, and whether the grade agrees. */
  readonly claim?: string;
  readonly agrees?: boolean;
  /** How the launch ended, unless it exited with 0; or why it did not begin. */
  readonly note?: string;
}

export interface GateResult {
  readonly rule: string;
  /** null when errors leave it open. */
  readonly met: boolean | null;
  /** A sentence for people: `gate "all": not met by 1 run`. */
  readonly words: string;
}

export interface GroupSummary {
  readonly scenario: string;
  readonly variant?: string;
  readonly task?: string;
  readonly markers_sha256: string;
  readonly stats: GroupStatistics;
  readonly gate: GateResult;
  /** With `--until-sure`. */
  readonly sprt?: SprtSummary;
  readonly duration?: Spread;
  readonly cost?: Total;
  readonly tokens?: Total;
  /** Where failing runs stopped, most frequent first: after which marker, before which. */
  readonly stalls: readonly { readonly after?: string; readonly before: string; readonly runs: number }[];
  /** Runs that passed but took ten times the median (or more) of time or cost. */
  readonly outliers: readonly { readonly run: string; readonly of: "duration" | "cost"; readonly times: number }[];
  /** How the agents went about it (docs/measures.md); absent when no run has any. */
  readonly measures?: readonly MeasureSummary[];
  /** Measures of effort, each beside what is easily lost when it is pressed. */
  readonly counterparts?: readonly MeasuresTogether[];
  /** Sentences a person can act on. */
  readonly words: readonly string[];
}

/** A measure over the runs of a group. */
export interface MeasureSummary {
  readonly name: string;
  readonly words: string;
  readonly unit: "count" | "share" | "ratio" | "ms" | "usd" | "tokens";
  readonly better: "less" | "more";
  readonly median: number;
  /** 95% interval of the median; absent under six runs. */
  readonly interval?: { readonly low: number; readonly high: number };
  /** Share of runs in which it is more than 0, for counts and yes-or-no measures: medians hide what is rare. */
  readonly share_above_zero?: number;
  /** How many runs have it. */
  readonly counted: number;
  /** All of it in words, for people. */
  readonly said: string;
}

/** Names of two measures that are to be read together; no counterpart where no run has it. */
export interface MeasuresTogether {
  readonly effort: string;
  readonly counterpart?: string;
  readonly words: string;
}

export interface GroupStatistics {
  readonly n: number;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  readonly errors: number;
  /** Stopped runs; never graded, never in a rate. */
  readonly interrupted: number;
  /** Runs that ended in `error` and were tried again (`--retry-errors`); only the last try is counted above. */
  readonly retried: number;
  /** passed / (passed + failed); null when none decided. */
  readonly rate: number | null;
  /** passed / (all but interrupted): errors and inconclusive counted as not passed. */
  readonly rate_of_all: number | null;
  readonly interval: {
    readonly level: number;
    readonly method: string;
    readonly low: number;
    readonly high: number;
  } | null;
  readonly pass_at_k: Readonly<Record<string, number>>;
  readonly pass_hat_k: Readonly<Record<string, number>>;
  /** Passed only after a retry of an error, or passing and failing in turn. */
  readonly flaky: boolean;
}

/** Median, extremes and the interval of the median; milliseconds, US dollars or tokens. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly interval?: { readonly low: number; readonly high: number };
  readonly counted: number;
}

/** Median and extremes are of the `counted` runs whose figure is known whole, absent when there is none; `total` is of all. */
export interface Total extends Partial<Spread> {
  readonly counted: number;
  readonly total: number;
  /** Set when more was used than could be counted: `total` is a lower bound. */
  readonly at_least?: boolean;
}

export interface OverallSummary {
  /** Set when the batch has several variants: each has its own. */
  readonly variant?: string;
  readonly by: "scenario" | "task";
  readonly clusters: number;
  readonly rate: number;
  readonly interval: { readonly level: number; readonly low: number; readonly high: number } | null;
  readonly words: string;
}

export interface SprtSummary {
  readonly p0: number;
  readonly p1: number;
  readonly alpha: number;
  readonly beta: number;
  readonly maximum: number;
  readonly decision: "accept" | "reject" | "undecided";
  readonly runs: number;
  readonly words: string;
}

/** The agent's claims against the grade, over the runs that have both. */
export interface AgreementSummary {
  readonly claimed_passed: number;
  readonly claimed_failed: number;
  readonly denied_passed: number;
  readonly denied_failed: number;
  readonly accuracy: number | null;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
  readonly kappa: number | null;
  /** The runs whose claim the grade contradicts. */
  readonly disagreeing: readonly string[];
  readonly words: string;
  /** Present when a person reviewed a run: their word is the last one, so both are held against it. */
  readonly reviews?: {
    /** The grade against the review. */
    readonly grade: ReviewAgreement;
    /** The agent's claims against the review; absent when no reviewed run has a claim. */
    readonly claim?: ReviewAgreement;
    readonly words: string;
  };
}

/** Two answers about the same runs, the review being the second: what the first said passed, and what the review said. */
export interface ReviewAgreement {
  readonly passed_passed: number;
  readonly passed_failed: number;
  readonly failed_passed: number;
  readonly failed_failed: number;
  readonly accuracy: number | null;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
  readonly kappa: number | null;
  readonly disagreeing: readonly string[];
}
