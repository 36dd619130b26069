import * as z from "zod";
import {
  A_PATTERN,
  amount,
  anything,
  atLeastNone,
  atLeastOne,
  closed,
  duration,
  flag,
  path,
  paths,
  text,
} from "./schema-kinds.ts";
import { markers, pattern, rule, where } from "./schema-markers.ts";

const events = closed("a map that says how to read events", {
  name: path.optional().describe("Field of the event's name (default name)."),
  order: z
    .enum(["line", "time"], { error: "line or time" })
    .optional()
    .describe("Grade by line (default) or by event time."),
  time: path.optional().describe("Field of the event's time (default time, else $capture.at)."),
  time_unit: z
    .enum(["ms", "s", "us", "ns"], { error: "ms, s, us or ns" })
    .optional()
    .describe("Unit of numeric times; guessed when absent."),
  lateness: duration.optional().describe("With order: time, how long to wait for older events (default 2s)."),
  session: paths.optional().describe("Field that separates sessions; one grader per value."),
  sessions: z
    .enum(["all", "any"], { error: "all or any" })
    .optional()
    .describe("What the verdict asks of the sessions."),
  sessionless: z
    .enum(["aside", "broadcast"], { error: "aside or broadcast" })
    .optional()
    .describe("What happens to lines without a session."),
  unreadable: z
    .enum(["gap", "ignore"], { error: "gap or ignore" })
    .optional()
    .describe("Whether unreadable lines count as a gap."),
  retries: z
    .enum(["drop", "count"], { error: "drop or count" })
    .optional()
    .describe("What happens to events an SDK sent again."),
  session_end: pattern.optional().describe("An event that ends its session."),
  idle: duration.optional().describe("A session ends after so long without an event."),
  id: path.optional().describe("Field of the delivery id, for duplicates."),
  dedupe: duration.optional().describe("How long delivery ids are remembered (default 10m)."),
});

const parameter = closed("a map with type, default or required", {
  type: z.enum(["string", "number", "boolean", "list"], { error: "string, number, boolean or list" }).optional(),
  default: anything.optional(),
  required: flag.optional(),
});

const definition = z.union([where, z.array(pattern).min(1), z.string()], { error: A_PATTERN });

const example = closed("a map with capture and verdict", {
  capture: text.describe("Log file, relative to this file."),
  mutate: text.optional().describe("A change to make first, such as `drop: Search Results`."),
  verdict: z.enum(["pass", "fail", "inconclusive"], { error: "pass, fail or inconclusive" }),
});

/** The whole file (LANGUAGE.md section 2): shape of every scenario, and source of `markers/scenario.schema.json`. */
export const fileSchema = closed("a scenario (a map)", {
  waymark: z.literal(1, { error: "1" }).describe("Version of the scenario language."),
  scenario: text.min(1, { error: "text" }).optional().describe("The scenario's id, as in --scenario."),
  title: text.optional().describe("One line for people."),
  description: text.optional().describe("More for people, in several lines."),
  use: z
    .array(text, { error: "a list of files" })
    .optional()
    .describe("Files whose define, params and events are taken over."),
  extends: text.optional().describe("A scenario to start from; what stands here wins."),
  events: events.optional().describe("How events are read."),
  params: z
    .record(z.string(), parameter, { error: "a map of parameters" })
    .optional()
    .describe("Values given per run with --param name=value."),
  define: z.record(z.string(), definition, { error: "a map of patterns" }).optional().describe("Named patterns."),
  markers: markers.optional().describe("What has to happen, in this order; anything may happen in between."),
  timespan: duration.optional().describe("From the first to the last marker at most."),
  rules: z.array(rule, { error: "a list of rules" }).optional().describe("What holds over the whole session."),
  checks: z
    .array(z.record(z.string(), anything, { error: "a map from an evaluator's name to its arguments" }), {
      error: "a list of checks",
    })
    .optional()
    .describe("Final state, checked at the end of a live run."),
  budget: closed("a map with cost, duration or tokens", {
    cost: amount.optional().describe("What language models cost, by the price list."),
    duration: duration.optional().describe("From the first to the last event of the run."),
    tokens: atLeastNone.optional().describe("Tokens to and from language models."),
  })
    .optional()
    .describe("Over it, an error rule fails."),
  on_cut: z
    .enum(["inconclusive", "complete"], { error: "inconclusive or complete" })
    .optional()
    .describe("How a capture that is known to be cut is read."),
  limits: closed("a map of limits", {
    runs: atLeastOne.optional().describe("Ways to match that are followed at once (default 4096)."),
    keys: atLeastOne.optional().describe("Different values that a rule or distinct tells apart (default 10,000)."),
    pending: atLeastOne.optional().describe("Events that a rule keeps until it can be decided (default 10,000)."),
    sessions: atLeastOne.optional().describe("Sessions that are graded at once (default 1,000)."),
    lateness_events: atLeastOne
      .optional()
      .describe("With order: time, events that wait for older ones (default 100,000)."),
    line_bytes: atLeastOne
      .optional()
      .describe("Longest line that is read (default 16 MiB); a longer one is a line that cannot be read."),
  })
    .optional()
    .describe("Bounds of memory. What depends on something dropped at a limit is inconclusive; limits_hit says which."),
  pass_at: amount.max(1, { error: "a number from 0 to 1" }).optional().describe("Pass from this score on."),
  provisional: flag.optional().describe("Learned from too little: a pass is reported as inconclusive."),
  examples: z
    .array(example, { error: "a list of examples" })
    .optional()
    .describe("Logs with the verdict that they have to get; waymark check grades them."),
});

/**
 * The JSON Schema (draft-07) of a scenario file, for editors: completion, hover and squiggles through
 * `# yaml-language-server: $schema=./scenario.schema.json`.
 */
export function scenarioSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(fileSchema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override: allowEventModifiers,
  });
  return { ...schema, title: "waymark scenario", $comment: "Generated from grader/scenario/schema.ts." };
}

/** `event|glob:` and the like beside `where:`; the check of shapes leaves these keys to the loader. */
function allowEventModifiers({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const properties = jsonSchema.properties;
  if (properties !== undefined && "any_order" in properties) jsonSchema.patternProperties = { "^event\\|": {} };
}
