import type { Readable } from "node:stream";
import { CATALOGUE } from "../proxy/record/fault.ts";
import { applyBudget, type Spending } from "./budget.ts";
import { gradeByLimit } from "./by-limit.ts";
import { applyChecks, type LookAtState } from "./checks.ts";
import { LiveSeries, type SeriesStanding } from "./live-series.ts";
import type { CaptureEnd } from "./match/outcome.ts";
import { Panel, type Seat, type SeatOutcome } from "./panel.ts";
import type { RangeRule } from "./read/range.ts";
import { readSeries } from "./read/read.ts";
import type { FoundLogs, MissingLog, Series } from "./read/series.ts";
import type { RangeSummary } from "./read/tally.ts";
import { type ResultContext, toEmptyResult, toErrorResult, toResult } from "./result.ts";
import { DEFAULT_LIMITS } from "./scenario/ast.ts";
import type { ScenarioResult } from "./verdict.ts";

/** What an id is made for. */
export interface RunAbout {
  readonly log: string;
  readonly scenario: string;
  readonly session?: string;
}

export type NewRunId = (about: RunAbout) => string;

/** Looks on while series are graded. */
export interface Watching {
  /** Told after each reading of a series; `standing` says how it stands then. */
  readonly onRead: (standing: () => SeriesStanding) => void;
  /** When reading ends, beside the signal of `follow`: once the verdict is final or the capture over, or not before the signal. */
  readonly until: "complete" | "signal";
}

export interface SeriesOptions {
  readonly seats: readonly Seat[];
  readonly newRunId: NewRunId;
  readonly all: boolean;
  readonly sinceMs?: number;
  readonly session?: string;
  readonly isCut: boolean;
  /** Lines that cannot matter are taken for readable. */
  readonly isFast?: boolean;
  /** How many threads read a log; by its size unless given. */
  readonly threads?: number;
  readonly follow?: AbortSignal;
  readonly stdin?: Readable;
  readonly watching?: Watching;
  readonly now: () => number;
  /** What the run used up, for scenarios with a budget. */
  readonly spending?: Spending;
  /** Answers the checks of the final state of a live run. */
  readonly look?: LookAtState;
}

/** The results of one series, per scenario, one for each of its sessions. */
export interface SeriesVerdicts {
  readonly scenarios: readonly { readonly sessions: "all" | "any"; readonly results: readonly ScenarioResult[] }[];
}

/** Grades every series found, and gives each missing log its results. Series that are followed are read side by side. */
export async function gradeSeries(found: FoundLogs, options: SeriesOptions): Promise<readonly SeriesVerdicts[]> {
  const missing = await Promise.all(found.missing.map((log) => gradeMissing(log, options)));
  if (options.follow !== undefined) {
    const followed = await Promise.all(found.series.map((series) => gradeByLimit(series, options, gradeOne)));
    return [...followed, ...missing];
  }
  const verdicts: SeriesVerdicts[] = [];
  for (const series of found.series) verdicts.push(await gradeByLimit(series, options, gradeOne));
  return [...verdicts, ...missing];
}

async function gradeOne(series: Series, options: SeriesOptions, source?: Readable): Promise<SeriesVerdicts> {
  const { follow, watching, session, now } = options;
  const live = new LiveSeries(options.seats, { now, ...(session === undefined ? {} : { session }) });
  const { panel } = live;
  const isDone = (): boolean => {
    if (watching === undefined) return panel.isDecided;
    live.goLive();
    watching.onRead(() => live.standing(series.label));
    return watching.until === "complete" && (panel.isDecided || live.hasEnded);
  };
  try {
    const summary = await readSeries(series, {
      rule: ruleFor(series, options),
      sink: watching === undefined ? panel : live,
      isQuick: options.isFast === true && follow === undefined,
      ...(options.threads === undefined ? {} : { threads: options.threads }),
      lineBytes: lineBytesOf(options.seats),
      ...(follow === undefined ? {} : { follow: { signal: follow, isDecided: isDone } }),
      ...(source === undefined ? {} : { source }),
    });
    const read = settle(panel, summary, options);
    const isSure = summary.linesUnchecked === undefined || read.outcomes.every(isPass);
    return isSure ? await judge(series.label, read, options) : await gradeOne(series, { ...options, isFast: false });
  } catch (error) {
    return allInError(series.label, error, options);
  }
}

/** The limit of them all; `gradeByLimit` sees to that. */
function lineBytesOf([first]: readonly Seat[]): number {
  return first?.scenario.limits.lineBytes ?? DEFAULT_LIMITS.lineBytes;
}

/**
 * Lines taken for readable can hide nothing from a pass: what was found stays found. Any other verdict could be
 * inconclusive instead, so the log is then read as if nothing had been taken for granted.
 */
function isPass(outcome: SeatOutcome): boolean {
  const traces = outcome.kind === "graded" ? outcome.outcomes : [];
  return traces.length > 0 && traces.every(({ verdict, stream }) => verdict === "pass" && stream.events > 0);
}

function ruleFor(series: Series, { all, sinceMs }: SeriesOptions): RangeRule {
  if (sinceMs !== undefined) return { kind: "since", sinceMs };
  if (all) return { kind: "all" };
  return { kind: series.isNamedFile ? "from file" : "newest" };
}

interface Read {
  readonly summary: RangeSummary;
  /** One for each seat. */
  readonly outcomes: readonly SeatOutcome[];
}

/** Nothing more comes. */
function settle(panel: Panel, read: RangeSummary, { isCut }: SeriesOptions): Read {
  const summary = isCut && read.cut === undefined ? { ...read, cut: "said so by --cut" } : read;
  const end: CaptureEnd = summary.cut === undefined ? { kind: "complete" } : { kind: "cut", why: summary.cut };
  return { summary, outcomes: panel.finish(end) };
}

async function judge(log: string, { summary, outcomes }: Read, options: SeriesOptions): Promise<SeriesVerdicts> {
  const scenarios = options.seats.map(async ({ scenario, error }, index) => {
    const newContext = (session?: string): ResultContext => {
      const about = { log, scenario: scenario.id, ...(session === undefined ? {} : { session }) };
      return { scenario, log, summary, run: options.newRunId(about) };
    };
    const results = resultsOf(outcomes[index] ?? { kind: "error", error }, newContext, options.session);
    const judged = results.map((result) => {
      const budgeted = applyBudget(result, scenario, options.spending ?? {});
      return applyChecks(budgeted, scenario, options.look);
    });
    return { sessions: scenario.events.sessions, results: await Promise.all(judged) };
  });
  return { scenarios: await Promise.all(scenarios) };
}

function resultsOf(
  outcome: SeatOutcome,
  newContext: (session?: string) => ResultContext,
  session: string | undefined,
): readonly ScenarioResult[] {
  if (outcome.kind === "error") return [toErrorResult(outcome.error, newContext())];
  if (outcome.outcomes.length === 0) return [toEmptyResult(whyNoTrace(session), newContext())];
  return outcome.outcomes.map((trace) => {
    const context = newContext(trace.session);
    const result = toResult(trace, context);
    return trace.stream.events > 0 ? result : asInconclusive(result, whyEmpty(context.summary, session));
  });
}

/** A log without a single event says nothing, whatever the scenario asks (LANGUAGE.md section 6). */
function asInconclusive(result: ScenarioResult, reason: string): ScenarioResult {
  return { ...result, verdict: "inconclusive", success: false, reason };
}

function whyEmpty({ events, undecoded, linesBad }: RangeSummary, session: string | undefined): string {
  if (events > 0 && session !== undefined) return `no event of session "${session}"`;
  if (undecoded > 0) return `no telemetry event could be read: ${undecoded} undecoded bodies and nothing else`;
  if (linesBad > 0) return `no telemetry event: no line of the log can be read (${linesBad} bad)`;
  return `no telemetry event in the graded range. ${CATALOGUE.WM_LOG_NO_EVENTS.fix}`;
}

function whyNoTrace(session: string | undefined): string {
  return session === undefined ? "no event carries the session field" : `no event of session "${session}"`;
}

async function gradeMissing({ name, why }: MissingLog, options: SeriesOptions): Promise<SeriesVerdicts> {
  const reason = `no log to grade: ${why}`;
  const summary: RangeSummary = {
    range: "no log",
    files: [],
    events: 0,
    undecoded: 0,
    linesBad: 0,
    badLines: [],
    cut: reason,
  };
  const verdicts = await judge(name, settle(new Panel(options.seats), summary, options), options);
  return {
    scenarios: verdicts.scenarios.map(({ sessions, results }) => ({
      sessions,
      results: results.map((result) => (result.error === undefined ? asInconclusive(result, reason) : result)),
    })),
  };
}

/** The log itself cannot be graded, so no scenario can. */
function allInError(log: string, error: unknown, options: SeriesOptions): SeriesVerdicts {
  const summary: RangeSummary = {
    range: `none of ${log}`,
    files: [],
    events: 0,
    undecoded: 0,
    linesBad: 0,
    badLines: [],
  };
  return {
    scenarios: options.seats.map(({ scenario, error: own }) => ({
      sessions: scenario.events.sessions,
      results: [
        toErrorResult(own ?? error, { scenario, log, summary, run: options.newRunId({ log, scenario: scenario.id }) }),
      ],
    })),
  };
}
