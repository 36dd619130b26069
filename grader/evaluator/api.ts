import * as z from "zod";
import * as answers from "./answers.ts";
import * as bodies from "./bodies.ts";
import { durationText, pathText } from "./evaluators/arguments.ts";

/** One operation of the server, as the OpenAPI document shows it and as the server binds it. */
export interface Operation {
  readonly id: string;
  readonly method: "get" | "post";
  /** With `{id}` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  /** Absent: no body. `binary`: any bytes. */
  readonly body?: z.ZodType | "binary";
  readonly answer: z.ZodType | "event-stream";
  /** Other statuses than 200 it may answer with. */
  readonly refusals: readonly number[];
  /** Answers without the token too. */
  readonly open?: boolean;
}

const wait = durationText.optional().describe("Wait this long.");
const ALWAYS = [403, 401];
const POSTED = [...ALWAYS, 400, 413, 415, 429];

const evaluate = {
  method: "post",
  summary:
    "Evaluates items: telemetry against scenarios, and the final state. 200 whenever the request was understood.",
  query: z.strictObject({ wait }),
  body: bodies.evaluation,
  answer: answers.evaluationAnswer,
  refusals: [...POSTED, 404],
} as const;

/** Every operation, in the order of the documentation. */
export const OPERATIONS = [
  { ...evaluate, id: "evaluate", path: "/evaluate" },
  { ...evaluate, id: "evaluateAtRoot", path: "/" },
  {
    id: "health",
    method: "get",
    path: "/healthz",
    summary: "Whether the server works.",
    answer: answers.health,
    refusals: [403],
    open: true,
  },
  {
    id: "openapi",
    method: "get",
    path: "/openapi.json",
    summary: "This document.",
    answer: z.looseObject({ openapi: z.string() }),
    refusals: ALWAYS,
  },
  {
    id: "evaluators",
    method: "get",
    path: "/v1/evaluators",
    summary: "Every evaluator with the schema of its item, and every scenario.",
    answer: answers.evaluatorsAnswer,
    refusals: ALWAYS,
  },
  {
    id: "startRun",
    method: "post",
    path: "/v1/runs",
    summary: "Begins a run; the agent is started by whoever asks.",
    body: bodies.runStart,
    answer: answers.runStarted,
    refusals: [...POSTED, 404],
  },
  {
    id: "listRuns",
    method: "get",
    path: "/v1/runs",
    summary: "Stored results, newest first.",
    query: z.strictObject({
      scenario: z.string().optional(),
      batch: z.string().optional(),
      limit: z.coerce.number().int().min(1).max(1000).optional(),
    }),
    answer: answers.runsAnswer,
    refusals: [...ALWAYS, 400],
  },
  {
    id: "getRun",
    method: "get",
    path: "/v1/runs/{id}",
    summary: "A run, with its results once it is graded.",
    answer: answers.runAnswer,
    refusals: [...ALWAYS, 404],
  },
  {
    id: "runMarkers",
    method: "get",
    path: "/v1/runs/{id}/markers",
    summary:
      "Where a run stands. With `wait` it answers when `marker` was reached, else when every verdict is final, at the latest when the time is up.",
    query: z.strictObject({ wait, marker: z.string().min(1).optional() }),
    answer: answers.markersAnswer,
    refusals: [...ALWAYS, 400, 404, 429],
  },
  {
    id: "stopRun",
    method: "post",
    path: "/v1/runs/{id}/stop",
    summary: "Ends a run: waits for late events, grades and stores it.",
    body: bodies.runStop,
    answer: answers.runAnswer,
    refusals: [...POSTED, 404, 409],
  },
  {
    id: "reportRun",
    method: "post",
    path: "/v1/runs/{id}/self-report",
    summary: "Keeps what the agent says of its run, beside the grade.",
    body: bodies.selfReport,
    answer: answers.accepted,
    refusals: [...POSTED, 404],
  },
  {
    id: "addSteps",
    method: "post",
    path: "/v1/runs/{id}/steps",
    summary: "Adds steps with their time and cost to a run that is under way.",
    body: bodies.runSteps,
    answer: answers.accepted,
    refusals: [...POSTED, 404, 409],
  },
  {
    id: "attach",
    method: "post",
    path: "/v1/runs/{id}/attach",
    summary: "Hangs evidence (a video, a screenshot, a log) on a run; the body is the file.",
    query: z.strictObject({
      name: z.string().min(1).max(200),
      kind: z
        .string()
        .regex(/^[a-z][a-z0-9-]{0,39}$/)
        .default("log"),
      at: z.iso.datetime({ offset: true }).optional(),
    }),
    body: "binary",
    answer: answers.attached,
    refusals: [...ALWAYS, 400, 404, 413, 429],
  },
  {
    id: "startBatch",
    method: "post",
    path: "/v1/batches",
    summary: "Begins a batch, whose runs are counted together.",
    body: bodies.batchStart,
    answer: answers.batchStarted,
    refusals: POSTED,
  },
  {
    id: "getBatch",
    method: "get",
    path: "/v1/batches/{id}",
    summary: "The gate and the statistics of a batch, as `waymark run --json` prints them.",
    answer: answers.batchDocument,
    refusals: [...ALWAYS, 404],
  },
  {
    id: "events",
    method: "get",
    path: "/v1/events",
    summary: "What a log holds since its last reset: counts, and the newest events.",
    query: z.strictObject({
      telemetry_file: pathText.optional(),
      name: z.string().optional(),
      since: z.string().optional(),
      limit: z.coerce.number().int().min(0).max(10_000).default(100),
    }),
    answer: answers.eventsAnswer,
    refusals: [...ALWAYS, 400, 429],
  },
  {
    id: "reset",
    method: "post",
    path: "/v1/reset",
    summary: "Counts a log from now on; answers the new counts. Nothing is removed.",
    body: bodies.reset,
    answer: answers.resetAnswer,
    refusals: POSTED,
  },
  {
    id: "stream",
    method: "get",
    path: "/v1/stream",
    summary: "Server-sent events: `telemetry` for each event that arrives, `result` for each result that is stored.",
    query: z.strictObject({ telemetry_file: pathText.optional(), name: z.string().optional() }),
    answer: "event-stream",
    refusals: [...ALWAYS, 400, 429],
  },
] as const satisfies readonly Operation[];

export type OperationId = (typeof OPERATIONS)[number]["id"];
