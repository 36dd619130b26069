import type { JsonObject } from "../../proxy/record/json.ts";
import type { EventKeys } from "../read/line-kernel.ts";
import type { PassedEvent } from "../read/passed-event.ts";
import type { PassedRun } from "../read/passed-run.ts";
import type { Interest, NumberTimes } from "../read/selection.ts";
import type { CaptureEnd, EventPlace, MarkerOutcome, Verdict } from "./outcome.ts";

/** Grades one series of lines against one scenario; made by `createTraceGrader(program)`. */
export interface TraceGrader {
  /** What lets a reader pass events over; undefined for a scenario that has to see each of them. */
  readonly selective: SelectiveGrader | undefined;
  /** The next event, in the order of its lines. */
  event(event: JsonObject, place: EventPlace): void;
  /** A `tick` control line: time goes on although nothing happens. */
  tick(atMs: number): void;
  /** A line that is no readable JSON, or an undecoded record of a telemetry endpoint: the trace has a gap here. */
  gap(place: EventPlace, why: string): void;
  /** True once no further line can change any verdict. */
  readonly decided: boolean;
  /** How it stands, while lines still come: what is open is undecided. Changes nothing. */
  standing(): readonly TraceOutcome[];
  /** Settles all obligations. One outcome per session, or exactly one when the scenario splits none. */
  finish(end: CaptureEnd): readonly TraceOutcome[];
}

/** The side of a grader that takes events nobody has parsed, with the same outcome as if it had seen them. */
export interface SelectiveGrader {
  /** Where the names and times stand by which events are told apart. */
  readonly keys: EventKeys;
  /** Which events of this name (without one, "") change more than counts and times; as long as `generation` is the same. */
  interests(name: string, isLarge?: boolean): readonly Interest[];
  readonly generation: number;
  /** How it reads times that are numbers from now on; undefined when that is open. */
  readonly numberTimes: NumberTimes | undefined;
  /** An event that is not wanted, in its place among the others. */
  pass(event: PassedEvent, place: EventPlace): void;
  /** Events in a row that are not wanted; `last` is the place of the last of them. */
  passRun(run: PassedRun, last: EventPlace): void;
}

export interface TraceOutcome {
  readonly session?: string;
  readonly verdict: Exclude<Verdict, "error">;
  /** One line: which marker or rule decided, and where. */
  readonly reason: string;
  readonly matchedInOrder: boolean;
  /** 0 to 1. */
  readonly coverage: number;
  readonly found: readonly string[];
  readonly notFound: readonly string[];
  /** Physical lines of the series (from 0), one per event used. */
  readonly matchIndices: readonly number[];
  readonly reached?: string;
  readonly waitingFor?: string;
  readonly seen: readonly string[];
  readonly score: number;
  readonly markers: readonly MarkerOutcome[];
  readonly rules: readonly RuleOutcome[];
  readonly stream: StreamOutcome;
  /** Time of the first event and from first to last, when events carry times. */
  readonly startedAtMs?: number;
  readonly durationMs: number;
}

export interface RuleOutcome {
  readonly name: string;
  readonly verdict: Exclude<Verdict, "error">;
  readonly running: "pass" | "fail" | "pass_so_far" | "fail_so_far";
  readonly exercised: number;
  readonly severity: "error" | "warn" | "info";
  readonly violations: readonly { readonly at: EventPlace; readonly trigger?: EventPlace; readonly reason: string }[];
  readonly violationCount: number;
  /** Why it is not decided; present exactly when the verdict is `inconclusive`. */
  readonly reason?: string;
}

export interface StreamOutcome {
  readonly events: number;
  readonly stepsBack: number;
  readonly late: number;
  readonly duplicates: number;
  readonly withoutSession: number;
  readonly gaps: number;
  /** Events that jumped more than an hour ahead, with `order: time`; absent when there was none. */
  readonly clockJumps?: number;
  /** Events after the end of the session (`session_end`, `idle`), when sessions are not split; absent when none. */
  readonly afterEnd?: number;
  readonly end: CaptureEnd;
  readonly limitsHit: readonly string[];
}
