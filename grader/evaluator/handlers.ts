import * as z from "zod";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import type { OperationId } from "./api.ts";
import * as bodies from "./bodies.ts";
import { checkBody } from "./check-body.ts";
import { planEvaluation } from "./evaluation.ts";
import { EVALUATORS } from "./evaluators/index.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import type { Ask, Handler } from "./http/app.ts";
import { readChunks } from "./http/body.ts";
import { countEvents, resetLog, streamLog } from "./log-handlers.ts";
import { openApiDocument } from "./openapi.ts";
import { listRuns, reportRun, runAnswer, runMarkers, startedAnswer, stopRun, trialNamed } from "./run-handlers.ts";
import { attachEvidence } from "./runs/attach.ts";

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
    runMarkers: (ask) => runMarkers(ask, all),
    stopRun: (ask) => stopRun(ask, all),
    reportRun: working(async ({ id, body }) => {
      reportRun(id, checkBody(bodies.selfReport, body), all);
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
    events: working((ask) => countEvents(ask, all)),
    reset: working((ask) => resetLog(ask, all)),
    stream: async (ask) => streamLog(ask, all),
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
