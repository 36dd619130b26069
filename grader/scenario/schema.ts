import * as z from "zod";
import { DURATION } from "./duration.ts";

/** What each kind of value is called in messages; the codes of wrong ones are chosen by these words. */
export const A_DURATION = "a duration with a unit, such as 5s or 500ms";
export const A_PATTERN = "a pattern (a name, a map of field tests, or a list of them)";
const A_PATH = "a field path as text, such as data.user.id";
const PATHS = "a field path or a list of field paths";
const A_FLAG = "true or false";

const text = z.string({ error: "text" });
const flag = z.boolean({ error: A_FLAG });
const duration = z.string({ error: A_DURATION }).regex(DURATION, { error: A_DURATION });
const path = z.string({ error: A_PATH });
const paths = z.union([path, z.array(path, { error: PATHS }).min(1, { error: PATHS })], { error: PATHS });
const atLeastOne = whole(1);
const atLeastNone = whole(0);
const amount = z.number({ error: "a number" }).min(0, { error: "a number that is not negative" });
const captures = z
  .record(z.string(), path, { error: "a map from variable names to field paths" })
  .describe("Values to remember: variable name to field path. Used later as $name.");
/** Any value; a field test's value is read by the loader, which knows its modifiers. */
const anything = z.unknown();

const where: z.ZodType = z
  .looseObject(
    {
      event: anything.optional().describe("The event's name (the field of events.name): text, or a list of which one."),
      get all() {
        return z.array(pattern, { error: "a list of patterns" }).optional().describe("All of these patterns hold.");
      },
      get any() {
        return z.array(pattern, { error: "a list of patterns" }).optional().describe("At least one of these holds.");
      },
      get not() {
        return pattern.optional().describe("This pattern does not hold; absent fields count as not holding.");
      },
    },
    { error: "a map of field tests" },
  )
  .describe("Field tests: `path|modifier: value`. All of them must hold for one event; a list of values means any.")
  .meta({ id: "where" });

const pattern: z.ZodType = z
  .union(
    [
      z.string().describe("Name of a pattern under define:, or of a marker."),
      z.lazy(() => where),
      z.array(z.lazy(() => pattern)).min(1),
    ],
    { error: A_PATTERN },
  )
  .describe("A pattern: a name, a map of field tests, or a list (any of).")
  .meta({ id: "pattern" });

const markers: z.ZodType = z.array(
  z.lazy(() => marker),
  { error: "a list of markers" },
);
const markerOrList = z.union([z.lazy(() => marker), markers], { error: "a marker or a list of markers" });

const markerMap = closed("a marker (a map)", {
  name: text.optional().describe("Shown in reasons; also usable as a pattern in rules."),
  event: anything.optional().describe("The event's name: text, or a list of which one. Also event|glob: and the like."),
  where: pattern.optional().describe("Field tests that one event has to fulfil."),
  pattern: pattern.optional().describe("A named pattern of define:."),
  with: z
    .record(z.string(), anything, { error: "a map of pattern parameters" })
    .optional()
    .describe("Values for the pattern's parameters."),
  within: duration.optional().describe("At most so long after the previous matched marker (inclusive)."),
  without: pattern.optional().describe("No such event between the previous matched marker and this one."),
  immediately: flag.optional().describe("It has to be the very next event of the session."),
  optional: flag.optional().describe("May be skipped."),
  repeat: atLeastOne.optional().describe("So many different events (at least)."),
  distinct: paths.optional().describe("The repetitions have pairwise different values there."),
  same: paths.optional().describe("The repetitions have one value there."),
  timespan: duration.optional().describe("From first to last event of this marker or block."),
  capture: captures.optional(),
  weight: amount.optional().describe("Weight in the score (default 1)."),
  advisory: flag.optional().describe("Counts in coverage, not in the verdict."),
  any_order: z
    .array(markerOrList, { error: "a list of markers" })
    .min(1, { error: "at least one marker" })
    .max(12, { error: "at most 12 markers" })
    .optional()
    .describe("All of them, in any order; a list inside keeps its own order."),
  one_of: z
    .array(markerOrList, { error: "a list of markers" })
    .min(1, { error: "at least one marker" })
    .optional()
    .describe("One alternative is enough; a list inside is a chain."),
  sequence: z
    .array(
      z.lazy(() => marker),
      { error: "a list of markers" },
    )
    .min(1, { error: "at least one marker" })
    .optional()
    .describe("A group, for repeat, same, distinct, timespan or optional."),
});

const marker: z.ZodType = z
  .union([markerMap, z.string().describe("A named pattern, as the whole marker.")], {
    error: "a marker (a map, or the name of a pattern)",
  })
  .meta({ id: "marker" });

const rule = closed("a rule (a map)", {
  name: text.optional().describe("Shown in results."),
  never: pattern.optional().describe("No such event (in the scope)."),
  expect: pattern.optional().describe("Such an event has to happen (in the scope)."),
  count: pattern.optional().describe("How many such events there may be: with min, max or exactly."),
  each: pattern.optional().describe("Every such event satisfies must:."),
  must: pattern.optional().describe("What every event of each: has to fulfil."),
  span: closed("a map with start, end and max", {
    start: pattern.describe("What opens the span."),
    end: pattern.describe("What closes it."),
    max: duration.describe("The longest it may be open (inclusive)."),
    must_end: flag.optional().describe("A span that is still open at the end fails."),
  })
    .optional()
    .describe("From start to the next end, at most max."),
  if: pattern.optional().describe("With expect: or never:; the order does not matter."),
  first: pattern.optional().describe("The first event of the session is one."),
  last: pattern.optional().describe("The last event of the session is one."),
  after: pattern.optional().describe("Scope: after such an event."),
  before: pattern.optional().describe("Scope: before such an event."),
  between: z
    .array(pattern, { error: "a list of two patterns" })
    .length(2, { error: "a list of two patterns" })
    .optional()
    .describe("Scope: from the first pattern to the next event of the second."),
  until: pattern.optional().describe("With after: the scope ends with such an event."),
  within: duration.optional().describe("So long at most (inclusive)."),
  without: pattern.optional().describe("No such event in between."),
  immediately: flag.optional().describe("As the very next (or previous) event."),
  min: atLeastNone.optional().describe("At least so many."),
  max: atLeastNone.optional().describe("At most so many."),
  exactly: atLeastNone.optional().describe("Just so many."),
  distinct: paths.optional().describe("Count different values there instead of events."),
  per: paths.optional().describe("Count for each value there on its own."),
  timespan: duration.optional().describe("Count in every sliding window of this length."),
  capture: captures.optional(),
  severity: z
    .enum(["error", "warn", "info"], { error: "error, warn or info" })
    .optional()
    .describe("Only error decides the verdict."),
  weight: amount.optional().describe("Weight in the score."),
  require_trigger: flag.optional().describe("Fail when the trigger was never seen."),
}).meta({ id: "rule" });

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
  description: text.optional(),
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
    cost: amount.optional(),
    duration: duration.optional(),
    tokens: atLeastNone.optional(),
  })
    .optional()
    .describe("Over it, an error rule fails."),
  on_cut: z
    .enum(["inconclusive", "complete"], { error: "inconclusive or complete" })
    .optional()
    .describe("How a capture that is known to be cut is read."),
  limits: closed("a map of limits", {
    runs: atLeastOne.optional(),
    keys: atLeastOne.optional(),
    pending: atLeastOne.optional(),
    sessions: atLeastOne.optional(),
    lateness_events: atLeastOne.optional(),
    line_bytes: atLeastOne.optional(),
  }).optional(),
  pass_at: amount.max(1, { error: "a number from 0 to 1" }).optional().describe("Pass from this score on."),
  provisional: flag.optional().describe("Learned from too little: a pass is reported as inconclusive."),
  examples: z.array(example, { error: "a list of examples" }).optional(),
});

function whole(least: number) {
  const error = `a whole number from ${least} on`;
  return z.int({ error }).min(least, { error });
}

/** A map that has these keys and no others; an unknown key's issue carries the known ones as its message. */
function closed<Shape extends z.core.$ZodLooseShape>(what: string, shape: Shape) {
  const known = Object.keys(shape).join(" ");
  return z.strictObject(shape, { error: (issue) => (issue.code === "unrecognized_keys" ? known : what) });
}

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
