import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { MarkerResult, RuleResult, ScenarioResult } from "../verdict.ts";
import { encodeText } from "./text.ts";

/** Where a run's numbers come from. */
export type Provenance = "live" | "replay" | "simulated";

/** What is stored with a result although grading does not know it. */
export interface RunDetails {
  /** When it was graded, ISO time. */
  readonly gradedAt: string;
  readonly batch?: string;
  readonly variant?: string;
  readonly costUsd?: number;
  /** `live` unless said otherwise. */
  readonly provenance?: Provenance;
  /** What the agent said of its own run; stored beside the grade, never part of it. */
  readonly selfReport?: string;
  readonly agrees?: boolean;
  /** The run's folder, with its telemetry, result and evidence. */
  readonly folder?: string;
  readonly steps?: readonly Step[];
  readonly artifacts?: readonly Artifact[];
  /** The launch this result grades (several scenarios may grade one), and its number within its batch, from 1. */
  readonly trial?: string;
  readonly trialIndex?: number;
  /** The task the agent was given, when a batch has several. */
  readonly task?: string;
  /** How the launch ended, in words: `exited with 0`. */
  readonly ended?: string;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  /** All tokens, also those that nobody told apart. Budgets count them; no column holds them. */
  readonly tokens?: number;
  /** Which of cost and tokens are lower bounds, for budgets; the run's `run.json` keeps it. */
  readonly atLeast?: readonly ("cost" | "tokens")[];
  /** What the run ran with, by element: `{"app": "1.4.2", "model": "m-7"}`. */
  readonly versions?: Readonly<Record<string, string>>;
  /** Process measures over the trace, by name. */
  readonly measures?: Readonly<Record<string, number>>;
  /** The run whose log was graded again. */
  readonly regradeOf?: string;
  readonly labels?: readonly string[];
  /** The number behind `#` that the run had before; the next free one unless given. */
  readonly number?: number;
  /** The waymark that graded it; this one unless given. */
  readonly graderVersion?: string;
}

/** One step of an agent's run. */
export interface Step {
  readonly name: string;
  readonly startedAt?: string;
  readonly durationMs?: number;
  readonly costUsd?: number;
  readonly tokens?: number;
}

/** Evidence that hangs on a run: a video, a screenshot, a log. */
export interface Artifact {
  readonly kind: string;
  readonly path: string;
  readonly sha256?: string;
}

export type Cell = string | number | null;
/** A row of the database, by column. */
export type Row = Readonly<Record<string, Cell>>;

/** The row of table `runs`. */
export function runRow(result: ScenarioResult, details: RunDetails, graderVersion: string): Row {
  return {
    seq: details.number ?? null,
    ...resultCells(result),
    grader_version: details.graderVersion ?? graderVersion,
    batch: text(details.batch),
    variant: text(details.variant),
    graded_at: details.gradedAt,
    cost_usd: details.costUsd ?? null,
    provenance: details.provenance ?? "live",
    self_report: text(details.selfReport),
    agrees: details.agrees === undefined ? null : Number(details.agrees),
    folder: text(details.folder),
    ...trialCells(details),
  };
}

function trialCells(details: RunDetails): Row {
  return {
    trial: text(details.trial),
    trial_index: details.trialIndex ?? null,
    task: text(details.task),
    ended: text(details.ended),
    tokens_in: details.tokensIn ?? null,
    tokens_out: details.tokensOut ?? null,
    versions: json(details.versions),
    measures: json(details.measures),
    regrade_of: text(details.regradeOf),
  };
}

function json(value: Readonly<Record<string, string | number>> | undefined): Cell {
  return value === undefined ? null : stringifyJson(value);
}

function resultCells(result: ScenarioResult): Row {
  return {
    id: result.run,
    scenario: encodeText(result.scenario),
    file: encodeText(result.file),
    markers_sha256: result.markers_sha256,
    started_at: text(result.started_at),
    ended_at: endOf(result),
    verdict: result.verdict,
    success: Number(result.success),
    coverage: result.coverage,
    found: result.found.length,
    total: result.found.length + result.not_found.length,
    reason: encodeText(result.reason),
    events: result.events,
    duration_ms: result.duration_ms,
    log: encodeText(result.log),
    range: encodeText(result.range),
    session: text(result.session),
    result: stringifyJson(result as unknown as JsonValue),
  };
}

/** The row of table `marker_results`. */
export function markerRow(run: string, position: number, marker: MarkerResult): Row {
  return {
    run,
    position,
    name: encodeText(marker.name),
    status: marker.status,
    file: text(marker.file),
    line: marker.line ?? null,
    record: marker.record ?? null,
    at: text(marker.at),
    after_ms: marker.after_ms ?? null,
  };
}

/** The row of table `rule_results`. */
export function ruleRow(run: string, position: number, rule: RuleResult): Row {
  return {
    run,
    position,
    name: encodeText(rule.name),
    verdict: rule.verdict,
    severity: rule.severity,
    exercised: rule.exercised,
    violation_count: rule.violation_count,
    reason: text(rule.violations[0]?.reason),
  };
}

/** The row of table `steps`. */
export function stepRow(run: string, position: number, step: Step): Row {
  return {
    run,
    position,
    name: encodeText(step.name),
    started_at: text(step.startedAt),
    duration_ms: step.durationMs ?? null,
    cost_usd: step.costUsd ?? null,
    tokens: step.tokens ?? null,
  };
}

/** The row of table `artifacts`. */
export function artifactRow(run: string, artifact: Artifact): Row {
  return { run, kind: encodeText(artifact.kind), path: encodeText(artifact.path), sha256: text(artifact.sha256) };
}

function text(value: string | undefined): Cell {
  return value === undefined ? null : encodeText(value);
}

function endOf(result: ScenarioResult): Cell {
  const start = Date.parse(result.started_at ?? "");
  return Number.isNaN(start) ? null : new Date(start + result.duration_ms).toISOString();
}
