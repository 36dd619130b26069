import * as z from "zod";

const verdict = z.enum(["pass", "fail", "inconclusive", "error"]);
const text = z.string();
const count = z.number().int().min(0);

/** How a scenario did: the result of DESIGN.md section 4, as `grade --json` has it. */
export const scenarioResult = z.looseObject({
  scenario: text,
  file: text,
  markers_sha256: text,
  run: text,
  log: text,
  range: text,
  session: text.optional(),
  verdict,
  success: z.boolean(),
  matched_in_order: z.boolean(),
  coverage: z.number().min(0).max(1),
  found: z.array(text),
  not_found: z.array(text),
  match_indices: z.array(count),
  reason: text,
  reached: text.optional(),
  waiting_for: text.optional(),
  events: count,
  lines_bad: count.nullable(),
  duration_ms: z.number(),
  markers: z.array(z.looseObject({ name: text, status: z.enum(["found", "missing", "skipped", "undecided"]) })),
  rules: z.array(z.looseObject({ name: text, verdict })),
  checks: z.array(
    z.looseObject({ name: text, verdict: z.enum(["pass", "fail", "inconclusive", "error", "not_checked"]) }),
  ),
});

const waited = z.looseObject({
  waited_ms: count,
  timed_out: z.boolean(),
  awaited: z.array(z.looseObject({ scenario: text, marker: text.optional() })),
  last_event: z.looseObject({ name: text.nullable(), file: text }).nullable(),
});

/** An answer that is no success. */
export const errorAnswer = z.looseObject({
  error: z.looseObject({
    code: text,
    message: text,
    pointer: text.optional(),
    known: z.array(text).optional(),
    fix: text,
  }),
});

/** One item of an evaluation. A telemetry item has `results`, others the facts that their evaluator saw. */
export const itemAnswer = z.looseObject({
  evaluator: text,
  verdict,
  success: z.boolean(),
  summary: text,
  exit_code: z.number().int().optional(),
  results: z.array(scenarioResult).optional(),
  exists: z.boolean().optional(),
  running: z.boolean().optional(),
  waited: waited.optional(),
  error: z.looseObject({ code: text, message: text }).optional(),
});

export const evaluationAnswer = z.looseObject({
  verdict,
  success: z.boolean(),
  summary: text,
  results: z.array(itemAnswer),
});

export const health = z.looseObject({ status: z.literal("ok"), waymark: text });

export const evaluatorsAnswer = z.looseObject({
  evaluators: z.array(z.looseObject({ name: text, summary: text, schema: z.looseObject({}) })),
  scenarios: z.array(text),
});

const state = z.enum(["running", "ended", "graded", "interrupted", "error"]);

/** What `POST /v1/runs` answers. */
export const runStarted = z.looseObject({
  id: text,
  index: z.number().int().min(1),
  folder: text,
  telemetry: text,
  started_at: text,
  env: z.record(z.string(), text).describe("Variables for the agent's process."),
});

/** A run, with its results once it is graded. */
export const runAnswer = z.looseObject({
  id: text,
  state,
  verdict: verdict.nullable(),
  success: z.boolean(),
  summary: text,
  folder: text.nullable(),
  manifest: z.looseObject({ schema: z.literal("waymark.trial/1"), id: text, state, started_at: text }),
  results: z.array(scenarioResult),
});

export const runsAnswer = z.looseObject({ runs: z.array(z.looseObject({ id: text, scenario: text, verdict })) });

/** Where a run stands. */
export const markersAnswer = z.looseObject({
  id: text,
  state,
  decided: z.boolean(),
  results: z.array(scenarioResult),
  waited: waited.optional(),
});

export const accepted = z.looseObject({ id: text });

export const attached = z.looseObject({ id: text, kind: text, path: text, sha256: text, bytes: count });

export const batchStarted = z.looseObject({ id: text, started_at: text, gate: text });

/** `waymark.batch/1`, as `waymark run --json` prints it. */
export const batchDocument = z.looseObject({
  schema: z.literal("waymark.batch/1"),
  batch: text,
  verdict: z.enum(["pass", "fail", "inconclusive", "error", "undecided"]),
  exit_code: z.number().int(),
  gate: z.looseObject({ rule: text, met: z.boolean().nullable(), words: text }),
  groups: z.array(
    z.looseObject({
      scenario: text,
      stats: z.looseObject({
        n: count,
        passed: count,
        failed: count,
        inconclusive: count,
        errors: count,
        rate: z.number().nullable(),
      }),
      words: z.array(text),
    }),
  ),
  trials: z.array(z.looseObject({ id: text, state })),
  results: z.array(scenarioResult),
});

/** What a log holds. */
export const eventsAnswer = z.looseObject({
  counts: z.looseObject({ total: count, undecoded: count, bad: count, by_name: z.record(z.string(), count) }),
  since: text.nullable(),
  events: z.array(z.looseObject({})),
});

export const resetAnswer = z.looseObject({ at: text, counts: z.looseObject({ total: count }) });
