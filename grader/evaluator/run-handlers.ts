import { WaymarkError } from "../../proxy/record/fault.ts";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { worstVerdict } from "../combine.ts";
import { runDocument } from "../store/run-document.ts";
import { placesIn } from "../trials/folder.ts";
import { selectTrials } from "../trials/select.ts";
import type { Trial } from "../trials/trial.ts";
import * as bodies from "./bodies.ts";
import { checkBody } from "./check-body.ts";
import { parseDuration } from "./duration.ts";
import { waitOf } from "./evaluation.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import type { Ask } from "./http/app.ts";
import { Refusal } from "./refusal.ts";
import { agreesWith, claimOf } from "./runs/claim.ts";
import type { DeskDeps } from "./runs/desk.ts";
import { whereItStands } from "./runs/markers.ts";
import { readOrder } from "./runs/order.ts";
import { DEFAULT_QUIET } from "./runs/quiet.ts";
import { summaryOf } from "./words.ts";

/** What a run that was just begun needs: its folder, and the environment of what plays it. */
export function startedAnswer({ id, index, started_at, batch }: Trial["manifest"], folder: string): JsonObject {
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

/** The stored runs, newest first. */
export function listRuns(query: Ask["query"], { store }: DeskDeps): JsonObject {
  const { scenario, batch, limit = 50 } = query as { scenario?: string; batch?: string; limit?: number };
  const found =
    store?.listRuns({
      limit,
      ...(scenario === undefined ? {} : { scenario }),
      ...(batch === undefined ? {} : { batch }),
    }) ?? [];
  return { runs: found.map(runDocument) };
}

/** A run that was begun here, or any that is stored. Throws a 404. */
export async function trialNamed(id: string, { desk, deps }: HandlerDeps): Promise<Trial> {
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

/** A run as it stands, with its grades so far. */
export function runAnswer({ manifest, folder, results }: Trial): JsonObject {
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

/** Which markers a run has reached; with `wait`, once that is decided or the time is up. */
export async function runMarkers(ask: Ask, all: HandlerDeps): Promise<JsonObject> {
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

/** Ends a run when its log has fallen quiet, and grades it. */
export async function stopRun(ask: Ask, { desk, deps, batches, turnstile }: HandlerDeps): Promise<JsonObject> {
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

/** Keeps what the agent says of its run, also of one that is only stored. Throws a 404. */
export function reportRun(id: string, body: bodies.SelfReportBody, { desk, deps }: HandlerDeps): void {
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
