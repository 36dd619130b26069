import * as z from "zod";
import { isFormatSource } from "./source-text.ts";

export const A_SOURCE = "where a value stands: $.path, body:$.path, query:NAME, form:NAME, header:NAME or text";
const TEXTS = "a text or a list of texts";
const CODINGS = "base64, gzip, url or json, or a list of them";

const text = z.string({ error: "text" });
const texts = z.union([text, z.array(text, { error: TEXTS }).min(1, { error: TEXTS })], { error: TEXTS });
const anything = z.unknown();
const source = z.string({ error: A_SOURCE }).refine(isFormatSource, { error: A_SOURCE });
const jsonPath = z.string({ error: "a JSONPath, such as $.events[*]" });
const coding = z.enum(["base64", "gzip", "url", "json"], { error: CODINGS });
const codings = z.union([coding, z.array(coding, { error: CODINGS }).min(1, { error: CODINGS })], { error: CODINGS });
const unit = z.enum(["s", "ms", "us", "ns"], { error: "s, ms, us or ns" });

/** A map that has these keys and no others; an unknown key's issue carries the known ones as its message. */
function closed<Shape extends z.core.$ZodLooseShape>(what: string, shape: Shape) {
  const known = Object.keys(shape).join(" ");
  return z.strictObject(shape, { error: (issue) => (issue.code === "unrecognized_keys" ? known : what) });
}

const from = source.optional().describe("Where the value stands.");
const decode = codings.optional().describe("How the value is written there; taken off in this order.");
const place = z.union(
  [source, closed(A_SOURCE, { from, decode, value: anything.optional().describe("A fixed value instead.") })],
  { error: A_SOURCE },
);
const timePlace = z.union(
  [
    source,
    closed(A_SOURCE, {
      from: source,
      decode,
      unit: unit.optional().describe("Unit of a number; else told by its size."),
    }),
  ],
  { error: A_SOURCE },
);

const SHAPE_TYPES = ["object", "list", "text", "number", "boolean", "any"] as const;
const A_SHAPE = `${SHAPE_TYPES.join(", ")}, or {is: VALUE}`;
const shape = z.union([z.enum(SHAPE_TYPES, { error: A_SHAPE }), closed(A_SHAPE, { is: anything })], { error: A_SHAPE });
const globs = (what: string) => z.record(text, text, { error: what });

const BODIES = ["json", "ndjson", "form", "query"] as const;
const A_BODY = `${BODIES.join(", ")}, or {from: form:NAME}`;

/** A format file: the shape of every one, and the source of `waymark schema format`. */
export const formatSchema = closed("a format (a map)", {
  waymark: z.literal(1, { error: "1" }).describe("Version of the language."),
  format: z
    .string({ error: "a name of lower-case letters, digits and hyphens" })
    .regex(/^[a-z0-9][a-z0-9-]{0,60}$/, { error: "a name of lower-case letters, digits and hyphens" })
    .describe("The format's name, written into $capture.format."),
  description: text.optional(),
  match: closed("a map that says how requests are recognised", {
    host: texts.optional().describe("Host patterns; such hosts are opened without --host."),
    path: texts.optional().describe("The whole path without its query; * is any text."),
    path_re: text.optional().describe("A regular expression (RE2) found in the path."),
    method: texts.optional().describe("Such as POST."),
    content_type: texts.optional().describe("Such as application/json; * is any text."),
    query: globs("a map from query parameters to patterns")
      .optional()
      .describe("Parameters of the query; * is any text."),
    header: globs("a map from headers to patterns").optional().describe("Headers; * is any text."),
    shape: z
      .record(text, shape, { error: "a map from JSONPath to a kind of value" })
      .optional()
      .describe("What the body has to hold."),
  }).describe("How requests are recognised; all that is given has to hold."),
  body: z
    .union(
      [
        z.enum(BODIES, { error: A_BODY }),
        closed(A_BODY, {
          from: source,
          decode,
          lines: z.boolean({ error: "true or false" }).optional().describe("One JSON value per line."),
        }),
      ],
      { error: A_BODY },
    )
    .optional()
    .describe("How the body is written (default json)."),
  events: jsonPath.optional().describe("The events in the body; absent: the items of a list, else the body itself."),
  name: place.describe("The event's name."),
  time: timePlace.optional().describe("The event's own time."),
  data: place.optional().describe("The event's properties."),
  session: place.optional(),
  id: place.optional().describe("An id that stays the same when the event is sent again; marks retries."),
  fields: z
    .record(text, place, { error: "a map from names to places" })
    .optional()
    .describe("Further fields of the record."),
  redact: z
    .array(text, { error: "a list of paths into the record" })
    .optional()
    .describe("Fields that never reach the log."),
  sink: closed("a map with status, content_type or body", {
    status: z.int({ error: "a status from 200 to 599" }).min(200).max(599).optional(),
    content_type: text.optional(),
    body: anything.optional().describe("Text, or what is written as JSON; {events} is how many were read."),
  })
    .optional()
    .describe("What --sink answers."),
});

export type FormatFile = z.infer<typeof formatSchema>;

/** The JSON Schema (draft-07) of a format file, for editors. */
export function formatJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(formatSchema, { target: "draft-7", io: "input", unrepresentable: "any" });
  return { ...schema, title: "waymark format", $comment: "Generated from proxy/formats/schema.ts." };
}
