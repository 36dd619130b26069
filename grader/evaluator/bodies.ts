import * as z from "zod";
import { durationText, pathText } from "./evaluators/arguments.ts";

const name = z.string().min(1).max(200);
const moment = z.string().min(1).max(100).describe("An ISO time, or a duration back from now such as 10m.");
const params = z.record(z.string(), z.unknown()).describe("Values of the scenario's parameters, by name.");
const usd = z.number().min(0).describe("US dollars.");
const tokens = z.number().int().min(0);

/** An item that grades telemetry; its evaluator's name ends in `_scenarios`. */
export const telemetryItem = z.strictObject({
  evaluator: z.string().regex(/_scenarios$/),
  scenarios: z
    .array(name)
    .max(1000)
    .optional()
    .describe("Which scenarios of the marker folder (then of the shipped ones); all of the folder when absent."),
  telemetry_file: pathText.optional().describe("Log file, or the folder of a series; the server's --log when absent."),
  since: moment
    .optional()
    .describe(
      "Only what arrived since then: an ISO time, a duration back from now, or `reset` for the last POST /v1/reset.",
    ),
  session: name.optional(),
  params: params.optional(),
  all: z.boolean().optional().describe("The whole series instead of its newest capture."),
  wait: durationText.optional().describe("Wait this long for a final verdict."),
});

/** Any item: what it holds beside `evaluator` and `wait` is the evaluator's. */
export const anyItem = z.looseObject({ evaluator: z.string().min(1).max(200), wait: durationText.optional() });

/** `POST /` and `POST /evaluate`. */
export const evaluation = z.strictObject({ evaluation: z.array(anyItem).min(1).max(100) });

/** `POST /v1/runs`. */
export const runStart = z.strictObject({
  scenarios: z.array(name).min(1).max(100),
  telemetry_file: pathText
    .optional()
    .describe(
      "The log that the proxy writes, for a proxy that serves several runs. Absent: the run's own folder `telemetry`.",
    ),
  batch: name.optional(),
  index: z.number().int().min(1).optional().describe("Number of the run in its batch; counted when absent."),
  variant: name.optional(),
  task: name.optional(),
  labels: z.array(name).max(50).optional(),
  versions: z.record(z.string(), z.string()).optional(),
  params: params.optional(),
  command: z.array(z.string()).optional().describe("What is run, for the record; the server runs nothing."),
});

/** `POST /v1/runs/:id/stop`. */
export const runStop = z.strictObject({
  settle: z
    .strictObject({ idle: durationText.optional(), max: durationText.optional() })
    .optional()
    .describe("Late events are waited for until none came for `idle` (2s), at most `max` (15s)."),
  exit_code: z.number().int().optional().describe("How the agent's process ended, for the record."),
});

/** `POST /v1/runs/:id/self-report`. */
export const selfReport = z.strictObject({
  claim: z.string().min(1).max(1000).describe("What the agent says of its run: done, failed, unsure, or its own word."),
  claims_success: z.boolean().optional(),
  text: z.string().max(100_000).optional(),
});

/** `POST /v1/runs/:id/steps`. */
export const runSteps = z.strictObject({
  steps: z
    .array(
      z.strictObject({
        name,
        started_at: z.iso.datetime({ offset: true }).optional(),
        duration_ms: z.number().min(0).optional(),
        cost_usd: usd.optional(),
        tokens_in: tokens.optional(),
        tokens_out: tokens.optional(),
      }),
    )
    .min(1)
    .max(10_000),
});

/** `POST /v1/batches`. */
export const batchStart = z.strictObject({
  gate: z.string().min(1).max(40).default("all").describe("What the runs must reach: all, any, 4/5, 80%, lower:60%."),
  runs: z.number().int().min(1).max(100_000).optional().describe("How many runs are planned."),
});

/** `POST /v1/reset`. */
export const reset = z.strictObject({ telemetry_file: pathText.optional() });

export type TelemetryItem = z.infer<typeof telemetryItem>;
export type AnyItem = z.infer<typeof anyItem>;
export type RunStart = z.infer<typeof runStart>;
export type RunStop = z.infer<typeof runStop>;
export type SelfReportBody = z.infer<typeof selfReport>;
export type RunSteps = z.infer<typeof runSteps>;
export type BatchStart = z.infer<typeof batchStart>;
