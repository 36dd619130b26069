import type { ClauseResult, Verdict } from "./match/outcome.ts";

export type { Verdict } from "./match/outcome.ts";

/** The document `grade --json` prints; DESIGN.md section 4 fixes its shape. */
export interface ResultDocument {
  readonly schema: "waymark.result/1";
  readonly waymark: string;
  readonly verdict: Verdict;
  readonly exit_code: number;
  readonly results: readonly ScenarioResult[];
}

/** How one scenario did on one series (and one session, when the scenario splits them). */
export interface ScenarioResult {
  readonly scenario: string;
  readonly file: string;
  readonly markers_sha256: string;
  readonly run: string;
  readonly log: string;
  /** Which lines were graded, in words: `capture 2 of logs/telemetry/telemetry-1.log`. */
  readonly range: string;
  readonly session?: string;
  readonly verdict: Verdict;
  readonly success: boolean;
  readonly matched_in_order: boolean;
  readonly coverage: number;
  readonly found: readonly string[];
  readonly not_found: readonly string[];
  readonly match_indices: readonly number[];
  readonly reason: string;
  readonly reached?: string;
  readonly waiting_for?: string;
  readonly seen: readonly string[];
  readonly score: number;
  readonly events: number;
  /** null when the reader did not look at every line (`--fast`). */
  readonly lines_bad: number | null;
  readonly lines_unchecked?: number;
  readonly bad_lines: readonly BadLine[];
  readonly started_at?: string;
  readonly duration_ms: number;
  readonly markers: readonly MarkerResult[];
  readonly rules: readonly RuleResult[];
  readonly checks: readonly CheckResult[];
  readonly stream: StreamResult;
  /** Set when the verdict is `error`. */
  readonly error?: { readonly code: string; readonly message: string };
}

export interface BadLine {
  readonly file: string;
  readonly line: number;
  readonly why: string;
}

export interface MarkerResult {
  readonly name: string;
  readonly status: "found" | "missing" | "skipped" | "undecided";
  readonly file?: string;
  readonly line?: number;
  readonly record?: number;
  readonly at?: string;
  readonly after_ms?: number;
  readonly progress?: string;
  readonly source: { readonly file: string; readonly line: number; readonly column: number };
  readonly nearest?: {
    readonly file: string;
    readonly line: number;
    readonly failed: readonly ClauseResult[];
    readonly passed: readonly ClauseResult[];
  };
}

export interface RuleResult {
  readonly name: string;
  readonly verdict: Verdict;
  readonly running: "pass" | "fail" | "pass_so_far" | "fail_so_far";
  readonly exercised: number;
  readonly severity: "error" | "warn" | "info";
  readonly violations: readonly {
    readonly line: number;
    readonly file: string;
    readonly trigger_line?: number;
    readonly reason: string;
  }[];
  readonly violation_count: number;
}

export interface CheckResult {
  readonly name: string;
  readonly verdict: Verdict | "not_checked";
  readonly reason?: string;
}

export interface StreamResult {
  readonly events: number;
  readonly steps_back: number;
  readonly late: number;
  readonly duplicates: number;
  readonly undecoded: number;
  readonly without_session: number;
  readonly unreadable: number;
  readonly end: "complete" | "cut";
  readonly cut_because?: string;
  readonly limits_hit: readonly string[];
}
