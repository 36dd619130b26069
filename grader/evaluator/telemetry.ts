import type { Fault } from "../../proxy/record/fault.ts";
import { isObject, type JsonObject, type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import { worstExit } from "../combine.ts";
import { type FoundLogs, findLogs } from "../read/series.ts";
import type { LoadedScenario } from "../scenario/load.ts";
import type { RunDetails, Store } from "../store/store.ts";
import type { ResultDocument, ScenarioResult } from "../verdict.ts";
import { parseDuration, showWait } from "./duration.ts";
import type { Done, GradeJob, Sight } from "./lanes/job.ts";
import { TimeLimit } from "./lanes/lane.ts";
import type { Pool } from "./lanes/pool.ts";
import { lastEventOf } from "./last-event.ts";
import type { Locator } from "./locator.ts";
import { OutsideRoot } from "./locator.ts";
import { identityOf, type Selected } from "./scenarios.ts";
import { summaryOf } from "./words.ts";

/** What a telemetry item, a run or a page needs graded. */
export interface TelemetryOrder {
  readonly logs: readonly string[];
  readonly selected: Selected;
  readonly params?: JsonObject;
  readonly since?: string;
  readonly session?: string;
  readonly all?: boolean;
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  readonly details?: Omit<RunDetails, "gradedAt">;
  /** false: the result is for looking only, and is not stored. */
  readonly keep?: boolean;
  /** false: the scenarios' checks of the final state are not asked, because the run is not over. */
  readonly ends?: boolean;
}

export interface TelemetryDeps {
  readonly pool: Pool;
  readonly locator: Locator;
  readonly sight: Sight;
  readonly store: Store | undefined;
  readonly newRunId: () => string;
  readonly now: () => number;
}

/** A graded item: the keys of `waymark.result/1`, with what went wrong beside the grading. */
export interface TelemetryAnswer extends JsonObject {}

/**
 * Grades telemetry as `waymark grade` does: the same function, in a thread. Results are stored like the CLI's. Throws
 * `OutsideRoot` when a file of the series, or one it grew by meanwhile, leads out of the root.
 */
export async function gradeTelemetry(
  order: TelemetryOrder,
  deps: TelemetryDeps,
): Promise<{ document: ResultDocument; answer: TelemetryAnswer }> {
  if (order.selected.kind === "broken") return brokenScenarios(order.selected.faults);
  const found = await findLogs(order.logs);
  refuseOutside(found, deps.locator);
  const stream = found.series.find(({ kind }) => kind === "stream");
  if (stream !== undefined) return noFile(stream.label);
  const job = jobFor(order, order.selected.scenarios, deps.sight);
  const graded = await carryOut(job, found, { order, deps });
  if (graded === undefined) return overTime(order.selected.scenarios);
  refuseOutside(await findLogs(order.logs), deps.locator);
  const document = {
    ...graded.document,
    results: graded.document.results.map((result) => ({ ...result, run: deps.newRunId() })),
  };
  const problem = order.keep === false ? undefined : save(document.results, order.details, deps);
  const waited =
    order.waitMs === undefined
      ? {}
      : { waited: await waitedFor(document, { waitMs: order.waitMs, tookMs: graded.tookMs }) };
  return { document, answer: toAnswer(document, problem, waited) };
}

function jobFor(order: TelemetryOrder, scenarios: readonly LoadedScenario[], sight: Sight): GradeJob {
  const { since, session, waitMs, details } = order;
  return {
    kind: "grade",
    logs: order.logs,
    scenarios: scenarios.map(({ scenario, texts }) => ({ scenario, texts })),
    params: new Map(Object.entries(order.params ?? {})),
    all: order.all === true,
    cut: false,
    ...(since === undefined ? {} : { since }),
    ...(session === undefined ? {} : { session }),
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(details === undefined ? {} : { spending: spendingOf(details) }),
    ...(order.ends === false ? {} : { sight }),
  };
}

function spendingOf({ costUsd, steps }: Pick<RunDetails, "costUsd" | "steps">): Pick<RunDetails, "costUsd" | "steps"> {
  return { ...(costUsd === undefined ? {} : { costUsd }), ...(steps === undefined ? {} : { steps }) };
}

interface Context {
  readonly order: TelemetryOrder;
  readonly deps: TelemetryDeps;
}

/** undefined when the time was up. */
async function carryOut(job: GradeJob, found: FoundLogs, { order, deps }: Context): Promise<Done["grade"] | undefined> {
  const { signal } = order;
  try {
    if (job.waitMs !== undefined) return await deps.pool.wait(job, signal ?? new AbortController().signal);
    const key = sharedKey(job, found);
    const options = { ...(signal === undefined ? {} : { signal }), ...(key === undefined ? {} : { key }) };
    return await deps.pool.run(job, options);
  } catch (error) {
    if (error instanceof TimeLimit) return undefined;
    throw error;
  }
}

/**
 * Requests that ask the same of the same bytes share one pass while it is under way: every file of the series has the
 * device, inode, size and times it had when the pass was asked for. Nothing is kept after the pass. What depends on the
 * time of asking (a `since` counted back, checks of the final state) or on the budget of one run is never shared.
 */
function sharedKey(job: GradeJob, { series, missing }: FoundLogs): string | undefined {
  const timed = job.since !== undefined && parseDuration(job.since) !== undefined;
  const looks = job.scenarios.some(({ scenario }) => scenario.checks.length > 0);
  if (timed || looks || job.spending !== undefined || missing.length > 0) return undefined;
  const files = series.flatMap(({ before, segments }) => [...before, ...segments].map(({ file }) => identityOf(file)));
  const scenarios = job.scenarios.map(({ scenario }) => [scenario.id, scenario.place.file, scenario.sha256]);
  const asked = [job.logs, scenarios, [...job.params], job.all, job.since ?? null, job.session ?? null, files];
  return stringifyJson(asked as unknown as JsonValue);
}

/** Throws `OutsideRoot` when a file of a series leads out of the root. */
export function refuseOutside({ series }: FoundLogs, locator: Locator): void {
  if (locator.root === undefined) return;
  for (const { before, segments, label, kind } of series) {
    if (kind === "stream") throw new OutsideRoot(label); // a pipe or device
    for (const { file } of [...before, ...segments]) locator.locate(file);
  }
}

function save(
  results: readonly ScenarioResult[],
  details: TelemetryOrder["details"],
  { store, now }: TelemetryDeps,
): string | undefined {
  if (store === undefined) return undefined;
  const gradedAt = new Date(now()).toISOString();
  try {
    for (const result of results) store.saveResult(result, { ...details, gradedAt });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface WaitContext {
  readonly waitMs: number;
  readonly tookMs: number;
}

/** What was awaited and what came last, so that a wait that was in vain says where it stood. */
async function waitedFor({ results }: ResultDocument, { waitMs, tookMs }: WaitContext): Promise<JsonObject> {
  const last = await lastEventOf(results.map(({ log }) => log));
  const awaited = results.flatMap(({ scenario, waiting_for: marker, verdict }) =>
    verdict === "pass" ? [] : [{ scenario, ...(marker === undefined ? {} : { marker }) }],
  );
  return { waited_ms: Math.round(tookMs), timed_out: tookMs >= waitMs, awaited, last_event: last ?? null };
}

/** In words: `waited 10 s for 'm3'; the last event was tab.switched at ...`; for summaries. */
export function sayWaited(waited: JsonValue | undefined): string {
  if (!isObject(waited) || waited["timed_out"] !== true) return "";
  const awaited = (waited["awaited"] as readonly JsonObject[]).flatMap(({ marker }) =>
    typeof marker === "string" ? [`'${marker}'`] : [],
  );
  const last = waited["last_event"];
  const event = isObject(last)
    ? `; the last event was ${String(last["name"])}${typeof last["at"] === "string" ? ` at ${last["at"]}` : ""}`
    : "; no event came";
  return ` (waited ${showWait(Number(waited["waited_ms"]))}${awaited.length === 0 ? "" : ` for ${awaited.join(", ")}`}${event})`;
}

function toAnswer(document: ResultDocument, problem: string | undefined, waited: JsonObject): TelemetryAnswer {
  const { verdict, exit_code, results } = document;
  return {
    verdict,
    success: verdict === "pass",
    exit_code: problem === undefined ? exit_code : worstExit([exit_code, 3]),
    summary: `${summaryOf(document)}${sayWaited(waited["waited"])}`,
    results: results as unknown as JsonValue,
    ...(problem === undefined ? {} : { warnings: [`the result could not be stored: ${problem}`] }),
    ...waited,
  };
}

function brokenScenarios(faults: readonly Fault[]): { document: ResultDocument; answer: TelemetryAnswer } {
  const [first] = faults;
  const message = faults
    .map(
      (one) =>
        `${one.place === undefined ? "" : `${one.place.file}:${one.place.line}:${one.place.column}: `}${one.message}`,
    )
    .join("; ");
  return inError(first?.code ?? "WM_BUG", message, 2);
}

/** A pipe or device may never end, and whoever opens one may wait for ever. */
function noFile(label: string): { document: ResultDocument; answer: TelemetryAnswer } {
  return inError("WM_LOG_UNREADABLE", `${label} is neither a file nor a folder`, 3);
}

function overTime(scenarios: readonly LoadedScenario[]): { document: ResultDocument; answer: TelemetryAnswer } {
  return inError(
    "WM_SERVE_TIME_LIMIT",
    `grading ${scenarios.map(({ scenario }) => scenario.id).join(", ")} took longer than the server's time limit`,
    3,
  );
}

/** An item that could not be graded: `error`, never `fail`. */
function inError(code: string, message: string, exit: number): { document: ResultDocument; answer: TelemetryAnswer } {
  const document: ResultDocument = {
    schema: "waymark.result/1",
    waymark: "",
    verdict: "error",
    exit_code: exit,
    results: [],
  };
  return {
    document,
    answer: {
      verdict: "error",
      success: false,
      exit_code: exit,
      summary: message,
      results: [],
      error: { code, message },
    },
  };
}
