import * as z from "zod";
import {
  A_PATTERN,
  amount,
  anything,
  atLeastNone,
  atLeastOne,
  captures,
  closed,
  duration,
  flag,
  paths,
  text,
} from "./schema-kinds.ts";

/** Field tests of one event. */
export const where: z.ZodType = z
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

/** A pattern wherever one is expected. */
export const pattern: z.ZodType = z
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

/** The ordered list. */
export const markers: z.ZodType = z.array(
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

/** One rule. */
export const rule = closed("a rule (a map)", {
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
