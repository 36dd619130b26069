import * as z from "zod";
import { WaymarkError } from "../../proxy/record/fault.ts";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import { worstVerdict } from "../combine.ts";
import { findLogs } from "../read/series.ts";
import { placesIn } from "../trials/folder.ts";
import { selectTrials } from "../trials/select.ts";
import type { Trial } from "../trials/trial.ts";
import type { ScenarioResult } from "../verdict.ts";
import type { OperationId } from "./api.ts";
import * as bodies from "./bodies.ts";
import { checkBody } from "./check-body.ts";
import { parseDuration } from "./duration.ts";
import { asRefusal, logFor, planEvaluation, waitOf } from "./evaluation.ts";
import { momentMs } from "./evaluators/arguments.ts";
import { EVALUATORS } from "./evaluators/index.ts";
import type { Ask, Handler } from "./http/app.ts";
import { readChunks } from "./http/body.ts";
import { eventStream } from "./http/stream.ts";
import type { Turnstile } from "./http/turnstile.ts";
import { openApiDocument } from "./openapi.ts";
import { Refusal } from "./refusal.ts";
import { attachEvidence } from "./runs/attach.ts";
import type { Batches } from "./runs/batches.ts";
import { agreesWith, claimOf } from "./runs/claim.ts";
import type { Desk, DeskDeps } from "./runs/desk.ts";
import { whereItStands } from "./runs/markers.ts";
import { readOrder } from "./runs/order.ts";
import { DEFAULT_QUIET } from "./runs/quiet.ts";
import { tailLog } from "./runs/tail.ts";
import { refuseOutside } from "./telemetry.ts";
import { summaryOf } from "./words.ts";

export interface HandlerDeps {
  readonly deps: DeskDeps;
  readonly desk: Desk;
  readonly batches: Batches;
  readonly turnstile: Turnstile;
  /** When each log was reset. */
  readonly resets: Map<string, string>;
  readonly listeners: Set<(result: ScenarioResult) => void>;
  readonly maxUploadBytes: number;
  readonly startedAt: number;
  /** Called after each evaluation. */
  readonly tidy: () => void;
}

/** One handler per operation of the API. */
export function createHandlers(all: HandlerDeps): Readonly<Record<OperationId, Handler>> {
  const openapi = openApiDocument();
  const { deps, desk, batches, turnstile, startedAt } = all;
  const working =
    <T>(handler: (ask: Ask) => Promise<T>) =>
    async (ask: Ask): Promise<T> => {
      const leave = turnstile.enter("working");
      try {
        return await handler(ask);
      } finally {
        leave();
      }
    };
  const evaluate: Handler = async (ask) => {
    const plan = await planEvaluation(ask.body, ask.query["wait"] as string | undefined, deps);
    const leave = turnstile.enter(plan.waitMs === undefined ? "working" : "waiting");
    try {
      return await plan.run(ask.signal);
    } finally {
      leave();
      all.tidy();
    }
  };
  return {
    evaluate,
    evaluateAtRoot: evaluate,
    health: async () => ({
      status: "ok",
      waymark: WAYMARK_VERSION,
      uptime_ms: deps.now() - startedAt,
      jobs: deps.pool.counts(),
    }),
    openapi: async () => openapi,
    evaluators: async () => describeEvaluators(await deps.shelf.known()),
    startRun: working(async ({ body }) => {
      const { manifest, folder } = await desk.start(checkBody(bodies.runStart, body));
      return startedAnswer(manifest, folder);
    }),
    listRuns: async ({ query }) => listRuns(query, deps),
    getRun: async ({ id }) => runAnswer(await trialNamed(id, all)),
    runMarkers: (ask) => markers(ask, all),
    stopRun: (ask) => stop(ask, all),
    reportRun: working(async ({ id, body }) => {
      report(id, checkBody(bodies.selfReport, body), all);
      return { id };
    }),
    addSteps: working(async ({ id, body }) => {
      desk.addSteps(id, checkBody(bodies.runSteps, body));
      return { id };
    }),
    attach: working(async ({ id, query, request, signal }) => {
      const trial = await trialNamed(id, all);
      const { name, kind, at } = query as { name: string; kind: string; at?: string };
      const chunks = readChunks(request, all.maxUploadBytes, signal);
      const attached = await attachEvidence(
        trial,
        { name, kind, ...(at === undefined ? {} : { at }) },
        { chunks, store: deps.store },
      );
      return { id, ...attached };
    }),
    startBatch: working(async ({ body }) => {
      const { id, startedAt: at, gate } = batches.start(checkBody(bodies.batchStart, body));
      return { id, started_at: at, gate };
    }),
    getBatch: async ({ id }) => (await batches.get(id)) as unknown as JsonObject,
    events: working((ask) => events(ask, all)),
    reset: working((ask) => reset(ask, all)),
    stream: async (ask) => stream(ask, all),
  };
}

function describeEvaluators(scenarios: readonly string[]): JsonObject {
  const schemaOf = (schema: z.ZodType): JsonValue => {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, {
      target: "draft-2020-12",
      io: "input",
      unrepresentable: "any",
    });
    return rest as JsonValue;
  };
  const telemetry = {
    name: "*_scenarios",
    summary: "Grades telemetry against scenarios of the marker folder.",
    schema: schemaOf(bodies.telemetryItem),
  };
  const looks = EVALUATORS.map(({ name, summary, schema }) => ({
    name,
    summary,
    schema: schemaOf(schema),
  }));
  return { evaluators: [telemetry, ...looks], scenarios };
}

function startedAnswer({ id, index, started_at, batch }: Trial["manifest"], folder: string): JsonObject {
  const { telemetry, evidence, selfReport, steps } = placesIn(folder);
  const env = {
    WAYMARK_ACTIVE: "1",
    WAYMARK_RUN_ID: id,
    WAYMARK_RUN_INDEX: String(index),
    WAYMARK_RUN_DIR: folder,
    WAYMARK_SELF_REPORT: selfReport,
    WAYMARK_STEPS: steps,
  };
  return { id, index, folder, telemetry, evidence, started_at, ...(batch === undefined ? {} : { batch }), env };
}

function listRuns(query: Ask["query"], { store }: DeskDeps): JsonObject {
  const { scenario, batch, limit = 50 } = query as { scenario?: string; batch?: string; limit?: number };
  const found =
    store?.listRuns({
      limit,
      ...(scenario === undefined ? {} : { scenario }),
      ...(batch === undefined ? {} : { batch }),
    }) ?? [];
  return { runs: found as unknown as JsonValue };
}

/** A run that was begun here, or any that is stored. Throws a 404. */
async function trialNamed(id: string, { desk, deps }: HandlerDeps): Promise<Trial> {
  try {
    return desk.get(id);
  } catch (error) {
    if (!(error instanceof Refusal) || deps.store === undefined || !/^[0-9A-Za-z]{6,26}$/.test(id)) throw error;
    const found = await selectTrials([id], { store: deps.store, runs: deps.runs }).catch((cause: unknown) => {
      if (cause instanceof WaymarkError && cause.code === "WM_RUN_NOT_FOUND") throw error;
      throw cause;
    });
    const [trial] = found;
    if (trial === undefined) throw error;
    return trial;
  }
}

function runAnswer({ manifest, folder, results }: Trial): JsonObject {
  const verdict = results.length === 0 ? null : worstVerdict(results.map((one) => one.verdict));
  const words =
    results.length === 0 ? `the run is ${manifest.state}` : summaryOf({ results } as Parameters<typeof summaryOf>[0]);
  return {
    id: manifest.id,
    state: manifest.state,
    verdict,
    success: verdict === "pass",
    summary: words,
    folder: folder ?? null,
    manifest: manifest as unknown as JsonValue,
    results: results as unknown as JsonValue,
  };
}

async function markers(ask: Ask, all: HandlerDeps): Promise<JsonObject> {
  const { deps } = all;
  const { marker } = ask.query as { marker?: string };
  const waitMs = waitOf(ask.query["wait"] as string | undefined, ["wait"], deps.maxWaitMs);
  const trial = await trialNamed(ask.id, all);
  const order = trial.folder === undefined ? undefined : readOrder(trial.folder);
  if (trial.manifest.state !== "running" || order === undefined) {
    return {
      id: trial.manifest.id,
      state: trial.manifest.state,
      decided: true,
      results: trial.results as unknown as JsonValue,
    };
  }
  const leave = all.turnstile.enter(waitMs === undefined ? "working" : "waiting");
  try {
    const standing = {
      trial,
      order,
      signal: ask.signal,
      ...(marker === undefined ? {} : { marker }),
      ...(waitMs === undefined ? {} : { waitMs }),
    };
    return await whereItStands(standing, deps);
  } finally {
    leave();
  }
}

async function stop(ask: Ask, { desk, deps, batches, turnstile }: HandlerDeps): Promise<JsonObject> {
  const { settle, exit_code: exitCode } = checkBody(bodies.runStop, ask.body);
  const ms = (text: string | undefined, fallback: number): number =>
    Math.min((text === undefined ? undefined : parseDuration(text)) ?? fallback, deps.maxWaitMs);
  const quiet = { idleMs: ms(settle?.idle, DEFAULT_QUIET.idleMs), maxMs: ms(settle?.max, DEFAULT_QUIET.maxMs) };
  const leave = turnstile.enter("waiting");
  try {
    // a run is ended whole even when its client has gone meanwhile
    const trial = await desk.stop(ask.id, {
      quiet,
      signal: new AbortController().signal,
      ...(exitCode === undefined ? {} : { exitCode }),
    });
    await batches.note(trial.manifest.batch);
    return runAnswer(trial);
  } finally {
    leave();
  }
}

function report(id: string, body: bodies.SelfReportBody, { desk, deps }: HandlerDeps): void {
  try {
    desk.report(id, body);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404 || deps.store === undefined) throw error;
    try {
      const said = claimOf(body);
      deps.store.saveSelfReport(id, said.claim, agreesWith(said, deps.store.getRun(id).verdict));
    } catch (cause) {
      throw cause instanceof WaymarkError && cause.code === "WM_RUN_NOT_FOUND" ? error : cause;
    }
  }
}

interface EventQuery {
  readonly telemetry_file?: string;
  readonly name?: string;
  readonly since?: string;
  readonly limit: number;
}

async function events(ask: Ask, { deps, resets }: HandlerDeps): Promise<JsonObject> {
  const { telemetry_file, name, since: asked, limit } = ask.query as unknown as EventQuery;
  const log = logFor(telemetry_file, ["telemetry_file"], deps);
  await refuseLinks(log, deps);
  const since = sinceAsked(asked, deps.now()) ?? resets.get(log);
  const tally = await deps.pool.run(
    { kind: "tally", log, limit, ...(since === undefined ? {} : { since }), ...(name === undefined ? {} : { name }) },
    { signal: ask.signal },
  );
  return { counts: tally.counts as unknown as JsonValue, since: since ?? null, events: tally.events };
}

function sinceAsked(text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined) return undefined;
  const ms = momentMs(text, nowMs);
  if (ms === undefined)
    throw new Refusal(400, "WM_SERVE_BODY", `since: "${text}" is neither an ISO time nor a duration`, {
      pointer: "/since",
    });
  return new Date(ms).toISOString();
}

async function refuseLinks(log: string, deps: DeskDeps): Promise<void> {
  const found = await findLogs([log]);
  try {
    refuseOutside(found, log === deps.defaultLog ? deps.own : deps.locator);
  } catch (error) {
    throw asRefusal(error, ["telemetry_file"]);
  }
  if (!found.series.some(({ kind }) => kind === "stream")) return;
  const pointer = "/telemetry_file";
  throw new Refusal(400, "WM_SERVE_BODY", `${pointer}: ${log} is neither a file nor a folder`, { pointer });
}

async function reset(ask: Ask, { deps, resets }: HandlerDeps): Promise<JsonObject> {
  const { telemetry_file } = checkBody(bodies.reset, ask.body);
  const log = logFor(telemetry_file, ["telemetry_file"], deps);
  const at = new Date(deps.now()).toISOString();
  if (resets.size >= MOST_RESETS) resets.clear();
  resets.set(log, at);
  return { at, telemetry_file: log, counts: { total: 0, undecoded: 0, bad: 0, by_name: {} } };
}

const MOST_RESETS = 10_000;

async function stream(ask: Ask, all: HandlerDeps): Promise<ReadableStream<Uint8Array>> {
  const { telemetry_file, name } = ask.query as { telemetry_file?: string; name?: string };
  const log = logFor(telemetry_file, ["telemetry_file"], all.deps);
  await refuseLinks(log, all.deps);
  const leave = all.turnstile.enter("waiting");
  const signal = ask.signal;
  return eventStream(signal, (send) => {
    const told = (result: ScenarioResult): void => send({ event: "result", data: result as unknown as JsonObject });
    all.listeners.add(told);
    signal.addEventListener(
      "abort",
      () => {
        all.listeners.delete(told);
        leave();
      },
      { once: true },
    );
    void tailLog(log, signal, (event) => {
      if (name === undefined || event["name"] === name) send({ event: "telemetry", data: event });
    }).catch(() => undefined); // the log went away; results still come
  });
}
