import type { JsonValue } from "../../proxy/record/json.ts";
import type { Place } from "../../proxy/record/place.ts";

/** Where an event stands: its file, its line in that file (from 1), its physical line in the series (from 0). */
export interface EventPlace {
  readonly file: string;
  readonly line: number;
  readonly record: number;
}

/** Whether the evidence is whole. `cut` names why it is not. */
export type CaptureEnd = { readonly kind: "complete" } | { readonly kind: "cut"; readonly why: string };

export type Verdict = "pass" | "fail" | "inconclusive" | "error";

/** One field test of a near miss: what was wanted, what the event had, and a cause where one can be named. */
export interface ClauseResult {
  readonly path: string;
  readonly want: JsonValue | string;
  /** Absent when the event has no such field. */
  readonly got?: JsonValue;
  readonly ok: boolean;
  /** Such as `other case` or `did you mean data.chatID?`. */
  readonly hint?: string;
}

/** The event that came closest to a marker that was not found. */
export interface NearMiss extends EventPlace {
  readonly at?: string;
  readonly failed: readonly ClauseResult[];
  readonly passed: readonly ClauseResult[];
}

export interface MarkerOutcome {
  readonly name: string;
  readonly status: "found" | "missing" | "skipped" | "undecided";
  readonly optional: boolean;
  readonly source: Place;
  /** For a found marker: the events used, in order (several with repeat and in blocks). */
  readonly evidence: readonly (EventPlace & { readonly at?: string })[];
  /** Milliseconds after the marker found before it (0 for the first). */
  readonly afterMs?: number;
  /** Such as `3 of 5`, while a repetition is under way. */
  readonly progress?: string;
  readonly nearest?: NearMiss;
}
