import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { findLogs } from "../read/series.ts";
import type { ScenarioResult } from "../verdict.ts";
import * as bodies from "./bodies.ts";
import { checkBody } from "./check-body.ts";
import { asRefusal, logFor } from "./evaluation.ts";
import { momentMs } from "./evaluators/arguments.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import type { Ask } from "./http/app.ts";
import { eventStream } from "./http/stream.ts";
import { Refusal } from "./refusal.ts";
import type { DeskDeps } from "./runs/desk.ts";
import { tailLog } from "./runs/tail.ts";
import { refuseOutside } from "./telemetry.ts";

interface EventQuery {
  readonly telemetry_file?: string;
  readonly name?: string;
  readonly since?: string;
  readonly limit: number;
}

/** Counts the events of a log, and gives the newest. */
export async function countEvents(ask: Ask, { deps, resets }: HandlerDeps): Promise<JsonObject> {
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

/** From now on, only what comes after this moment is counted in that log. */
export async function resetLog(ask: Ask, { deps, resets }: HandlerDeps): Promise<JsonObject> {
  const { telemetry_file } = checkBody(bodies.reset, ask.body);
  const log = logFor(telemetry_file, ["telemetry_file"], deps);
  const at = new Date(deps.now()).toISOString();
  if (resets.size >= MOST_RESETS) resets.clear();
  resets.set(log, at);
  return { at, telemetry_file: log, counts: { total: 0, undecoded: 0, bad: 0, by_name: {} } };
}

const MOST_RESETS = 10_000;

/** Results and a log's events as they come (server-sent events). */
export async function streamLog(ask: Ask, all: HandlerDeps): Promise<ReadableStream<Uint8Array>> {
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
