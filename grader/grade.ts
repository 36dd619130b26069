import type { Readable } from "node:stream";
import { type Fault, fault, WaymarkError, waymarkError } from "../proxy/record/fault.ts";
import type { JsonValue } from "../proxy/record/json.ts";
import { WAYMARK_VERSION } from "../proxy/record/version.ts";
import type { LookAtState } from "./checks.ts";
import { combineSessions, exitOf, worstExit, worstVerdict } from "./combine.ts";
import { deadlineOf } from "./deadline.ts";
import { gradeSeries, type NewRunId, type SeriesVerdicts, type Watching } from "./grade-series.ts";
import { type GradableScenario, type Seat, seatScenarios } from "./panel.ts";
import { followChanges } from "./read/follow.ts";
import { parseSince } from "./read/range.ts";
import { type FoundLogs, findLogs } from "./read/series.ts";
import { exitOfError } from "./result.ts";
import { createRunIds } from "./run-id.ts";
import { type Slowness, whatSlows } from "./slow.ts";
import type { RunDetails, Store } from "./store/store.ts";
import type { ResultDocument, ScenarioResult } from "./verdict.ts";

/** What to grade, and how. Only `logs` and `scenarios` are needed. */
export interface GradeRequest {
  /** As the user names them: files, folders, globs, `-`. */
  readonly logs: readonly string[];
  readonly scenarios: readonly GradableScenario[];
  readonly params?: ReadonlyMap<string, JsonValue>;
  /** The whole series instead of one capture. */
  readonly all?: boolean;
  /** ISO time, or a duration back from now. */
  readonly since?: string;
  readonly session?: string;
  /** The evidence is known to be cut. */
  readonly cut?: boolean;
  /** Lines that cannot match are taken for readable; `lines_bad` is then null (docs/grading.md). */
  readonly fast?: boolean;
  /** How many threads read a large log; by its size unless given. The result is the same. */
  readonly threads?: number;
  /** Wait this long for a final verdict; what stands there then is graded as complete. */
  readonly waitMs?: number;
  /** Follow the logs until the verdict is final or this signal comes. */
  readonly follow?: AbortSignal;
  /** Where results are kept. */
  readonly store?: Pick<Store, "saveResult">;
  /** What is stored with each result. */
  readonly details?: Omit<RunDetails, "gradedAt">;
  /** Answers the scenarios' checks of the final state; given at the end of a live run, absent for an old log. */
  readonly look?: LookAtState;
  /** Told before anything is read why it will take longer than it could; not called where it does not. */
  readonly onSlow?: (slowness: Slowness) => void;
  /** Looks on while the logs are followed. */
  readonly watching?: Watching;
  readonly now?: () => number;
  /** The id of the result that is made next; given what it is for. */
  readonly newRunId?: NewRunId;
  readonly stdin?: Readable;
}

export interface Graded {
  readonly document: ResultDocument;
  /** What went wrong beside the grading, such as a database that could not be written. */
  readonly warnings: readonly Fault[];
}

/**
 * Grades logs against scenarios. The one function that does: the CLI, the evaluator server and the library all call it.
 * Logs that do not exist or cannot be read give results (`inconclusive`, `error`), never a throw. Throws
 * `WaymarkError` only on a wrong request: no scenario, an unknown parameter, a `since` that is none, too long a wait.
 */
export async function gradeLogs(request: GradeRequest): Promise<Graded> {
  const now = request.now ?? Date.now;
  const sinceMs = request.since === undefined ? undefined : parseSince(request.since, now());
  const params = request.params ?? new Map();
  refuseWrong(request, params);
  refuseLongWait(request.waitMs);
  const seats = seatScenarios(request.scenarios, params);
  const deadline = deadlineOf(request.waitMs, request.follow);
  try {
    const verdicts = await gradeSeats(request, { seats, sinceMs, now, follow: deadline?.signal });
    const warnings = save(verdicts, request, now);
    return { document: toDocument(verdicts, warnings), warnings };
  } finally {
    deadline?.clear();
  }
}

interface Seated {
  readonly seats: readonly Seat[];
  readonly sinceMs: number | undefined;
  readonly now: () => number;
  readonly follow: AbortSignal | undefined;
}

async function gradeSeats(
  request: GradeRequest,
  { seats, sinceMs, now, follow }: Seated,
): Promise<readonly SeriesVerdicts[]> {
  const found = await findOrAwait(request.logs, follow);
  const slowness = whatSlows(seats, {
    session: request.session,
    isFast: request.fast === true,
    isFollowed: follow !== undefined,
    isStream: found.series.some(({ kind }) => kind === "stream"),
  });
  if (slowness.reasons.length > 0) request.onSlow?.(slowness);
  return gradeSeries(found, {
    seats,
    newRunId: request.newRunId ?? createRunIds(now),
    now,
    all: request.all === true,
    isCut: request.cut === true,
    isFast: request.fast === true,
    ...(request.threads === undefined ? {} : { threads: request.threads }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(request.session === undefined ? {} : { session: request.session }),
    ...(follow === undefined ? {} : { follow }),
    ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
    ...(request.watching === undefined ? {} : { watching: request.watching }),
    ...(request.look === undefined ? {} : { look: request.look }),
    ...(request.details === undefined ? {} : { spending: request.details }),
  });
}

function refuseWrong({ scenarios }: GradeRequest, params: ReadonlyMap<string, JsonValue>): void {
  if (scenarios.length === 0) throw waymarkError("WM_SCENARIO_NOT_FOUND", "no scenario to grade with");
  const known = new Set(scenarios.flatMap(({ scenario }) => scenario.params.map(({ name }) => name)));
  const unknown = [...params.keys()].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const list = known.size === 0 ? "the scenarios have none" : `there is ${[...known].join(", ")}`;
  throw waymarkError("WM_USAGE_PARAM", `no scenario has a parameter "${unknown.join('", "')}"; ${list}`);
}

/** Longest wait a timer can be set for. */
const MOST_WAIT_MS = 2 ** 31 - 1;

/** Throws `WM_USAGE_DURATION` for a wait that no timer can be set for. */
export function refuseLongWait(waitMs: number | undefined): void {
  if (waitMs === undefined || (waitMs >= 0 && waitMs <= MOST_WAIT_MS)) return;
  throw waymarkError("WM_USAGE_DURATION", `a wait of ${waitMs} ms cannot be set: the longest is 24 days`, {
    fix: "Give a shorter wait, such as 30s.",
  });
}

/** While following, a log that is not there yet is waited for. */
async function findOrAwait(logs: readonly string[], follow: AbortSignal | undefined): Promise<FoundLogs> {
  let found = await findLogs(logs);
  if (follow === undefined || found.missing.length === 0) return found;
  await followChanges(".", { signal: follow, isDecided: () => found.missing.length === 0 }, async () => {
    found = await findLogs(logs);
  });
  return found;
}

function save(verdicts: readonly SeriesVerdicts[], request: GradeRequest, now: () => number): readonly Fault[] {
  const { store, details } = request;
  if (store === undefined) return [];
  const gradedAt = new Date(now()).toISOString();
  try {
    for (const result of allResults(verdicts)) store.saveResult(result, { ...details, gradedAt });
    return [];
  } catch (error) {
    if (error instanceof WaymarkError) return error.faults; // the verdict stands, whatever becomes of its storing
    return [
      fault("WM_BUG", `the result could not be stored: ${error instanceof Error ? error.message : String(error)}`),
    ];
  }
}

function toDocument(verdicts: readonly SeriesVerdicts[], warnings: readonly Fault[]): ResultDocument {
  const results = allResults(verdicts);
  const combined = verdicts.flatMap(({ scenarios }) =>
    scenarios.map(({ sessions, results: own }) => ({
      verdict: combineSessions(
        own.map(({ verdict }) => verdict),
        sessions,
      ),
      error: own.find(({ error }) => error !== undefined)?.error,
    })),
  );
  const exits = combined.map(({ verdict, error }) => (error === undefined ? exitOf(verdict) : exitOfError(error.code)));
  return {
    schema: "waymark.result/1",
    waymark: WAYMARK_VERSION,
    verdict: worstVerdict(combined.map(({ verdict }) => verdict)),
    exit_code: worstExit(warnings.length === 0 ? exits : [...exits, 3]),
    results,
  };
}

function allResults(verdicts: readonly SeriesVerdicts[]): readonly ScenarioResult[] {
  return verdicts.flatMap(({ scenarios }) => scenarios.flatMap(({ results }) => results));
}
