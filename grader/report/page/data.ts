import type { Verdict } from "../../verdict.ts";

/**
 * Everything the page shows, as one value: written into the file by `writePage`, or sent by a server. Figures that nobody
 * counted are absent, never 0. Times are milliseconds; those of a run count from its own `zero`.
 */
export interface PageData {
  readonly schema: "waymark.page/1";
  readonly waymark: string;
  readonly made_at: string;
  readonly title: string;
  readonly verdict: RunVerdict | "undecided";
  readonly gate?: PageGate;
  readonly counts: Readonly<Record<RunVerdict, number>>;
  /** One per scenario and version of its markers. */
  readonly scenarios: readonly PageScenario[];
  /** One per scenario, variant and task. */
  readonly groups: readonly PageGroup[];
  /** Oldest first. */
  readonly runs: readonly PageRun[];
  readonly comparisons: readonly PageComparison[];
  readonly agreement?: PageAgreement;
  /** Earlier batches of the same scenarios, oldest first, the shown one among them. */
  readonly history: readonly PageBatch[];
  /** Values that were redacted before anything was written; absent where nobody counted. */
  readonly redacted?: number;
  /** What a reader has to know before trusting the page: what was left out, and why. */
  readonly notes: readonly string[];
}

export type RunVerdict = Verdict | "interrupted";

export interface PageGate {
  readonly rule: string;
  /** null when it is open. */
  readonly met: boolean | null;
  readonly words: string;
}

export interface PageScenario {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly file: string;
  readonly sha256: string;
  readonly markers: readonly PageMarker[];
  readonly rules: readonly { readonly name: string; readonly violated: number }[];
  /** The file as it was read; absent when it is gone or has changed since. */
  readonly source?: string;
  /** Whether the text is still the one the runs were graded by. */
  readonly source_is?: "same" | "changed";
}

export interface PageMarker {
  readonly name: string;
  readonly line: number;
  readonly optional?: true;
  /** Most time since the marker before it. */
  readonly within_ms?: number;
  /** How many graded runs found it, and how many there were. */
  readonly reached: number;
  readonly of: number;
  /** Median time since the marker before it, over the runs that found it. */
  readonly median_ms?: number;
  /** What `waymark mutate` says of it: changes it noticed, of changes made. */
  readonly mutation?: { readonly noticed: number; readonly of: number };
}

export interface PageInterval {
  readonly low: number;
  readonly high: number;
}

export interface PageGroup {
  readonly scenario: number;
  readonly variant?: string;
  readonly task?: string;
  /** Positions in `runs`. */
  readonly runs: readonly number[];
  readonly passed: number;
  readonly failed: number;
  readonly unknown: number;
  readonly interrupted: number;
  readonly rate: number | null;
  readonly interval: PageInterval | null;
  readonly gate?: PageGate;
  /** The rate in words, and what so many runs can show. */
  readonly rate_words: string;
  readonly can_show: string;
  readonly words: readonly string[];
  readonly duration?: PageSpread;
  readonly cost?: PageSpread;
  readonly stalls: readonly { readonly after?: string; readonly before: string; readonly runs: number }[];
  readonly slowest?: { readonly marker: string; readonly median_ms: number };
}

export interface PageSpread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly counted: number;
}

export interface PageRun {
  readonly id: string;
  /** What people call it: the number behind `#`, or its place in the batch. */
  readonly label: string;
  readonly batch?: string;
  readonly variant?: string;
  readonly task?: string;
  readonly verdict: RunVerdict;
  readonly reason: string;
  readonly started_at: string;
  /** Milliseconds since 1970 from which the times of the run count. */
  readonly zero: number;
  /** Wall time of the command, else the time between first and last event. */
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  readonly tokens?: number;
  readonly claim?: string;
  readonly claims_success?: boolean;
  readonly said?: string;
  readonly agrees?: boolean;
  readonly review?: string;
  /** `NAME`: value, in the order in which they are shown. */
  readonly environment: readonly (readonly [name: string, value: string])[];
  readonly steps: readonly PageStep[];
  readonly media: readonly PageMedia[];
  readonly results: readonly PageResult[];
  /** Files of the log, by the positions markers use. */
  readonly files: readonly string[];
  /** Chunk with the log's lines; absent when they were left out, and `events_why` says why. */
  readonly events_chunk?: string;
  readonly events_why?: string;
  /** Chunk with the ends of stdout and stderr. */
  readonly process_chunk?: string;
  readonly folder?: string;
}

export interface PageStep {
  readonly name: string;
  readonly kind: string;
  readonly from_ms?: number;
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  readonly tokens?: number;
}

export interface PageMedia {
  readonly kind: "video" | "screenshot";
  readonly name: string;
  readonly type: string;
  /** When it begins, or was taken, in the run's time; absent when nobody knows. */
  readonly at_ms?: number;
  /** One of the two: inside the page, or a file beside it. */
  readonly chunk?: string;
  readonly href?: string;
}

/**
 * A marker of a run, as a row: status (`f` found, `m` missing, `s` skipped, `u` undecided), time in the run, time since
 * the marker before, and its event's file, line (from 1) and physical line of the series (from 0); null where unknown.
 */
export type PageMark = readonly [
  status: "f" | "m" | "s" | "u",
  atMs: number | null,
  afterMs: number | null,
  file: number | null,
  line: number | null,
  record: number | null,
];

export interface PageResult {
  readonly scenario: number;
  readonly session?: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly found: number;
  readonly total: number;
  readonly events: number;
  readonly range: string;
  readonly reached?: string;
  readonly waiting_for?: string;
  /** One per marker of the scenario. */
  readonly marks: readonly PageMark[];
  readonly misses: readonly PageMiss[];
  readonly violations: readonly PageViolation[];
  readonly warnings: readonly string[];
  /** What the `agent` reporter says of it; absent when it passed. */
  readonly for_agent?: string;
}

/** The event that came closest to a marker that was not found. */
export interface PageMiss {
  readonly marker: number;
  readonly file: number;
  readonly line: number;
  readonly failed: readonly PageClause[];
  readonly passed: readonly PageClause[];
}

/** Values are JSON text; `got` is absent when the event has no such field. */
export interface PageClause {
  readonly path: string;
  readonly want: string;
  readonly got?: string;
  readonly hint?: string;
}

export interface PageViolation {
  readonly rule: string;
  readonly decides: boolean;
  readonly file: number;
  readonly line: number;
  readonly reason: string;
  readonly at_ms?: number;
}

export interface PageAgreement {
  readonly claimed_passed: number;
  readonly claimed_failed: number;
  readonly denied_passed: number;
  readonly denied_failed: number;
  readonly words: string;
  /** Positions in `runs`. */
  readonly disagreeing: readonly number[];
}

export interface PageBatch {
  readonly id: string;
  readonly at: string;
  readonly scenario: string;
  readonly sha256: string;
  readonly passed: number;
  readonly failed: number;
  readonly unknown: number;
  readonly rate: number | null;
  readonly interval: PageInterval | null;
  /** What differs from the batch before, such as `git 3f9a12c`. */
  readonly changed: readonly string[];
  readonly shown: boolean;
}

export interface PageComparison {
  readonly names: readonly [string, string];
  readonly scenario: number;
  readonly verdict: string;
  readonly words: readonly string[];
  readonly sides: readonly [PageSide, PageSide];
  /** A minus B, from -1 to 1. */
  readonly difference: { readonly estimate: number | null; readonly low: number; readonly high: number };
  readonly gaps: readonly PageShift[];
  readonly totals: readonly PageShift[];
  readonly flips: readonly {
    readonly task?: string;
    readonly a: number;
    readonly b: number;
    readonly to: "pass" | "fail";
  }[];
}

export interface PageSide {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly unknown: number;
  readonly rate: number | null;
  readonly interval: PageInterval | null;
  readonly funnel: readonly { readonly marker: string; readonly reached: number; readonly of: number }[];
  readonly runs: readonly number[];
}

/** Medians of both sides and how much larger A is; milliseconds, US dollars or tokens. */
export interface PageShift {
  readonly name: string;
  readonly unit: "ms" | "usd" | "tokens";
  readonly a: number | null;
  readonly b: number | null;
  readonly shift: number | null;
  readonly low: number | null;
  readonly high: number | null;
}
