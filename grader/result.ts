import { CATALOGUE, WaymarkError } from "../proxy/record/fault.ts";
import type { MarkerOutcome, NearMiss } from "./match/outcome.ts";
import type { RuleOutcome, TraceOutcome } from "./match/trace.ts";
import type { RangeSummary } from "./read/tally.ts";
import type { Scenario } from "./scenario/ast.ts";
import type { MarkerResult, RuleResult, ScenarioResult, StreamResult } from "./verdict.ts";

/** What a result says beside the outcome of its trace. */
export interface ResultContext {
  readonly scenario: Scenario;
  readonly run: string;
  /** Name of the log where the range does not say: it was not found, or holds nothing. */
  readonly log: string;
  readonly summary: RangeSummary;
}

/** Puts the outcome of one trace into the keys of DESIGN.md section 4. Paths stay as the user wrote them. */
export function toResult(outcome: TraceOutcome, context: ResultContext): ScenarioResult {
  const { summary } = context;
  return {
    ...identity(context),
    ...(outcome.session === undefined ? {} : { session: outcome.session }),
    verdict: outcome.verdict,
    success: outcome.verdict === "pass",
    matched_in_order: outcome.matchedInOrder,
    coverage: round(outcome.coverage),
    found: outcome.found,
    not_found: outcome.notFound,
    match_indices: outcome.matchIndices,
    reason: outcome.reason,
    ...(outcome.reached === undefined ? {} : { reached: outcome.reached }),
    ...(outcome.waitingFor === undefined ? {} : { waiting_for: outcome.waitingFor }),
    seen: outcome.seen,
    score: round(outcome.score),
    events: outcome.stream.events,
    ...linesOf(summary),
    bad_lines: summary.badLines,
    ...(outcome.startedAtMs === undefined ? {} : { started_at: new Date(outcome.startedAtMs).toISOString() }),
    duration_ms: outcome.durationMs,
    markers: outcome.markers.map(toMarker),
    rules: outcome.rules.map(toRule),
    checks: [],
    stream: toStream(outcome, summary),
  };
}

/** The result of a scenario that could not be graded: verdict `error`, with the code and what went wrong. */
export function toErrorResult(error: unknown, context: ResultContext): ScenarioResult {
  const { code, message } = describeError(error);
  return { ...toEmptyResult(message, context), verdict: "error", error: { code, message } };
}

/** An inconclusive result of a scenario that found nothing to grade in the range. */
export function toEmptyResult(reason: string, context: ResultContext): ScenarioResult {
  const { summary } = context;
  return {
    ...identity(context),
    verdict: "inconclusive",
    success: false,
    matched_in_order: false,
    coverage: 0,
    found: [],
    not_found: context.scenario.markers.filter(({ optional }) => !optional).map(({ name }) => name),
    match_indices: [],
    reason,
    seen: [],
    score: 0,
    events: summary.events,
    ...linesOf(summary),
    bad_lines: summary.badLines,
    duration_ms: 0,
    markers: [],
    rules: [],
    checks: [],
    stream: emptyStream(summary),
  };
}

/** Exit code of an `error` result: that of its code, 70 for a bug. */
export function exitOfError(code: string): number {
  const entry = Object.entries(CATALOGUE).find(([known]) => known === code)?.[1];
  return entry?.exit ?? 70;
}

type Identity = Pick<ScenarioResult, "scenario" | "file" | "markers_sha256" | "run" | "log" | "range">;

function identity({ scenario, run, log, summary }: ResultContext): Identity {
  return {
    scenario: scenario.id,
    file: scenario.place.file,
    markers_sha256: scenario.sha256,
    run,
    log: summary.files[0] ?? log,
    range: summary.range,
  };
}

function describeError(error: unknown): { code: string; message: string } {
  if (error instanceof WaymarkError) {
    return { code: error.code, message: error.faults.map(({ message }) => message).join("; ") };
  }
  return { code: "WM_BUG", message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}

function toMarker(outcome: MarkerOutcome): MarkerResult {
  const { name, status, source, evidence, afterMs, progress, nearest } = outcome;
  const [first] = evidence;
  return {
    name,
    status,
    ...(first === undefined ? {} : { file: first.file, line: first.line, record: first.record }),
    ...(first?.at === undefined ? {} : { at: first.at }),
    ...(afterMs === undefined ? {} : { after_ms: afterMs }),
    ...(progress === undefined ? {} : { progress }),
    source: { file: source.file, line: source.line, column: source.column },
    ...(nearest === undefined ? {} : { nearest: toNearest(nearest) }),
  };
}

function toNearest({ file, line, failed, passed }: NearMiss): NonNullable<MarkerResult["nearest"]> {
  return { file, line, failed, passed };
}

function toRule(outcome: RuleOutcome): RuleResult {
  return {
    name: outcome.name,
    verdict: outcome.verdict,
    running: outcome.running,
    exercised: outcome.exercised,
    severity: outcome.severity,
    violations: outcome.violations.map(({ at, trigger, reason }) => ({
      file: at.file,
      line: at.line,
      ...(trigger === undefined ? {} : { trigger_line: trigger.line }),
      reason,
    })),
    violation_count: outcome.violationCount,
  };
}

/** How many lines were bad is known only when all were read. */
function linesOf({ linesBad, linesUnchecked }: RangeSummary): Pick<ScenarioResult, "lines_bad" | "lines_unchecked"> {
  return linesUnchecked === undefined ? { lines_bad: linesBad } : { lines_bad: null, lines_unchecked: linesUnchecked };
}

function toStream({ stream }: TraceOutcome, summary: RangeSummary): StreamResult {
  const cut = stream.end.kind === "cut" ? stream.end.why : undefined;
  return {
    events: stream.events,
    steps_back: stream.stepsBack,
    late: stream.late,
    duplicates: stream.duplicates,
    undecoded: summary.undecoded,
    without_session: stream.withoutSession,
    unreadable: summary.linesBad,
    end: stream.end.kind,
    ...(cut === undefined ? {} : { cut_because: cut }),
    limits_hit: stream.limitsHit,
  };
}

function emptyStream(summary: RangeSummary): StreamResult {
  return {
    events: summary.events,
    steps_back: 0,
    late: 0,
    duplicates: 0,
    undecoded: summary.undecoded,
    without_session: 0,
    unreadable: summary.linesBad,
    end: summary.cut === undefined ? "complete" : "cut",
    ...(summary.cut === undefined ? {} : { cut_because: summary.cut }),
    limits_hit: [],
  };
}

/** Four digits, as the documents show them. */
function round(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
