import { WaymarkError } from "../../proxy/record/fault.ts";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { didYouMean } from "../../proxy/record/near.ts";
import { worstVerdict } from "../combine.ts";
import { parseSince } from "../read/range.ts";
import type { Verdict } from "../verdict.ts";
import { type AnyItem, evaluation, telemetryItem } from "./bodies.ts";
import { checkBody } from "./check-body.ts";
import { parseDuration, showWait } from "./duration.ts";
import type { Evaluator, Seen } from "./evaluators/evaluator.ts";
import { unseen } from "./evaluators/evaluator.ts";
import { EVALUATORS } from "./evaluators/index.ts";
import { TimeLimit } from "./lanes/lane.ts";
import { OutsideRoot } from "./locator.ts";
import { evaluatorNamed } from "./look.ts";
import { pointerTo, Refusal } from "./refusal.ts";
import { checkParams } from "./scenario-params.ts";
import type { ScenarioShelf, Selected } from "./scenarios.ts";
import { gradeTelemetry, type TelemetryDeps } from "./telemetry.ts";

export interface EvaluationDeps extends TelemetryDeps {
  readonly shelf: ScenarioShelf;
  readonly defaultLog: string;
  readonly maxWaitMs: number;
  /** ISO time of the last reset of a log; undefined when it was never reset. */
  readonly resetAt: (log: string) => string | undefined;
}

/** An item that is understood: what it asks for is known and allowed. */
interface Planned {
  readonly evaluator: string;
  readonly waitMs: number | undefined;
  run(signal: AbortSignal): Promise<JsonObject>;
}

/** An evaluation whose every item is understood. */
export interface Plan {
  /** The longest of its waits; undefined when none waits. */
  readonly waitMs: number | undefined;
  run(signal: AbortSignal): Promise<JsonObject>;
}

/**
 * Understands a whole request before anything of it is carried out. Throws a `Refusal`: 400 for a body that does not
 * fit, 404 for a name that is not known, 403 for a path out of the root.
 */
export async function planEvaluation(body: unknown, wait: string | undefined, deps: EvaluationDeps): Promise<Plan> {
  const { evaluation: items } = checkBody(evaluation, body);
  const planned: Planned[] = [];
  for (const [index, item] of items.entries())
    planned.push(await planItem(item, ["evaluation", index], { wait, deps }));
  const waits = planned.flatMap(({ waitMs }) => waitMs ?? []);
  return {
    waitMs: waits.length === 0 ? undefined : Math.max(...waits),
    run: async (signal) => toAnswer(await Promise.all(planned.map((item) => item.run(signal)))),
  };
}

interface PlanContext {
  readonly wait: string | undefined;
  readonly deps: EvaluationDeps;
}

async function planItem(item: AnyItem, at: readonly PropertyKey[], context: PlanContext): Promise<Planned> {
  const waitMs = waitOf(item.wait ?? context.wait, [...at, "wait"], context.deps.maxWaitMs);
  if (/_scenarios$/.test(item.evaluator)) return planTelemetry(item, at, { ...context, waitMs });
  const evaluator = evaluatorNamed(item.evaluator);
  if (evaluator === undefined) throw unknownEvaluator(item.evaluator, at);
  return planLook(evaluator, item, { at, waitMs, deps: context.deps });
}

function unknownEvaluator(name: string, at: readonly PropertyKey[]): Refusal {
  const known = ["*_scenarios", ...EVALUATORS.map((one) => one.name)];
  const message = `there is no evaluator "${name}"${didYouMean(name, known)}`;
  return new Refusal(404, "WM_SERVE_NOT_FOUND", message, { pointer: pointerTo([...at, "evaluator"]), known });
}

/** A wait in milliseconds. Throws a 400 for one that is longer than the server allows. */
export function waitOf(text: string | undefined, at: readonly PropertyKey[], mostMs: number): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  const pointer = pointerTo(at);
  if (ms === undefined)
    throw new Refusal(400, "WM_SERVE_BODY", `${pointer}: "${text}" is no duration with a unit`, { pointer });
  if (ms > mostMs)
    throw new Refusal(400, "WM_SERVE_BODY", `${pointer}: the longest wait here is ${showWait(mostMs)}`, { pointer });
  return ms;
}

interface Timed extends PlanContext {
  readonly waitMs: number | undefined;
}

async function planTelemetry(item: AnyItem, at: readonly PropertyKey[], { waitMs, deps }: Timed): Promise<Planned> {
  const asked = checkBody(telemetryItem, item, at);
  const selected = await deps.shelf.select(asked.scenarios ?? [], [...at, "scenarios"]);
  const params = checkParams(selected, asked.params as JsonObject | undefined, [...at, "params"]);
  const log = logFor(asked.telemetry_file, [...at, "telemetry_file"], deps);
  const since = sinceOf(asked.since, { log, at: [...at, "since"], deps });
  return {
    evaluator: asked.evaluator,
    waitMs,
    run: async (signal) => {
      const order = {
        logs: [log],
        selected,
        params,
        signal,
        all: asked.all === true,
        ...(since === undefined ? {} : { since }),
        ...(asked.session === undefined ? {} : { session: asked.session }),
        ...(waitMs === undefined ? {} : { waitMs }),
      };
      const { answer } = await insideRoot(() => gradeTelemetry(order, deps), [...at, "telemetry_file"]);
      return { evaluator: asked.evaluator, ...answer };
    },
  };
}

/** The log a request names, else the server's own; links resolved when there is a root. Throws a 403 out of the root. */
export function logFor(
  named: string | undefined,
  at: readonly PropertyKey[],
  { locator, defaultLog }: Pick<EvaluationDeps, "locator" | "defaultLog">,
): string {
  if (named === "-")
    throw new Refusal(400, "WM_SERVE_BODY", `${pointerTo(at)}: the server has no stdin to grade`, {
      pointer: pointerTo(at),
    });
  if (named === undefined) return defaultLog;
  const place = locate(named, at, locator);
  return place.kind === "here" ? place.path : named;
}

function locate(path: string, at: readonly PropertyKey[], locator: EvaluationDeps["locator"]) {
  try {
    return locator.locate(path);
  } catch (error) {
    throw asRefusal(error, at);
  }
}

async function insideRoot<T>(action: () => Promise<T>, at: readonly PropertyKey[]): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw asRefusal(error, at);
  }
}

/** A 403 for a path out of the root; every other error stays as it is. */
export function asRefusal(error: unknown, at: readonly PropertyKey[]): unknown {
  if (!(error instanceof OutsideRoot)) return error;
  return new Refusal(403, "WM_SERVE_FORBIDDEN", `${pointerTo(at)}: the path leads out of the root`, {
    pointer: pointerTo(at),
  });
}

function sinceOf(
  since: string | undefined,
  { log, at, deps }: { log: string; at: readonly PropertyKey[]; deps: EvaluationDeps },
): string | undefined {
  if (since === "reset") return deps.resetAt(log);
  if (since === undefined) return undefined;
  try {
    parseSince(since, deps.now());
    return since;
  } catch (cause) {
    if (!(cause instanceof WaymarkError)) throw cause;
    const pointer = pointerTo(at);
    throw new Refusal(400, "WM_SERVE_BODY", `${pointer}: "${since}" is neither an ISO 8601 time nor a duration`, {
      pointer,
    });
  }
}

interface LookContext {
  readonly at: readonly PropertyKey[];
  readonly waitMs: number | undefined;
  readonly deps: EvaluationDeps;
}

function planLook(evaluator: Evaluator, item: AnyItem, { at, waitMs, deps }: LookContext): Planned {
  const { evaluator: name, wait: _, ...args } = item;
  const checked = checkBody(evaluator.schema, args, at);
  for (const { key, path } of evaluator.paths(checked)) locate(path, [...at, key], deps.locator);
  const look = (signal: AbortSignal): Promise<Seen> =>
    deps.pool
      .run({ kind: "look", evaluator: name, args: args as JsonObject, sight: deps.sight }, { signal })
      .catch((error: unknown) => {
        if (error instanceof TimeLimit)
          return unseen("WM_SERVE_TIME_LIMIT", `${name} took longer than the server's time limit`);
        throw asRefusal(error, [...at, "path"]);
      });
  return {
    evaluator: name,
    waitMs,
    run: async (signal) => {
      const { verdict, reason, facts } = await untilPassed(look, { waitMs: waitMs ?? 0, signal });
      return { evaluator: name, verdict, success: verdict === "pass", summary: `${name}: ${reason}`, ...facts };
    },
  };
}

const POLL_MS = 200;

/** Looks again until it passes or the time is up. */
async function untilPassed(
  look: (signal: AbortSignal) => Promise<Seen>,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<Seen> {
  const end = performance.now() + waitMs;
  for (;;) {
    const now = await look(signal);
    const leftMs = end - performance.now();
    if (now.verdict === "pass" || leftMs <= 0 || signal.aborted) return now;
    await pause(Math.min(POLL_MS, leftMs), signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}

function toAnswer(results: readonly JsonObject[]): JsonObject {
  const verdict = worstVerdict(results.map((one) => one["verdict"] as Verdict));
  const summaries = results.filter((one) => one["verdict"] !== "pass").map((one) => String(one["summary"]));
  const passed = results.length - summaries.length;
  const all = results.length === 1 ? String(results[0]?.["summary"]) : `${passed} of ${results.length} items passed`;
  const summary = summaries.length === 0 || results.length === 1 ? all : `${all}: ${summaries.join("; ")}`;
  return { verdict, success: verdict === "pass", summary, results: results as readonly JsonValue[] };
}

export type { Selected };
