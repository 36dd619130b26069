import { stat } from "node:fs/promises";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../proxy/record/json.ts";
import { queryReadOnly } from "../../store/query.ts";
import { parseDuration } from "../duration.ts";
import { durationText, pathText, whereTests, wholeCount } from "./arguments.ts";
import { type Evaluator, type Seen, seen, unseen } from "./evaluator.ts";
import { readTests } from "./field-tests.ts";

const schema = z.strictObject({
  path: pathText.describe("The database file."),
  query: z.string().min(1).max(20_000).describe("One SELECT."),
  params: z
    .array(z.union([z.string(), z.number(), z.bigint(), z.null()]))
    .max(100)
    .default([])
    .describe("Values for its `?` places."),
  where: whereTests.optional().describe("Field tests; at least one row has to satisfy them."),
  rows: z
    .strictObject({ min: wholeCount.optional(), max: wholeCount.optional() })
    .optional()
    .describe("How many rows (of those that satisfy `where`); at least one unless given."),
  timeout: durationText.default("5s"),
});

type Args = z.infer<typeof schema>;

const MOST_TIMEOUT_MS = 30_000;
const MOST_ROWS = 10_000;
const ROWS_SHOWN = 10;

/** `sqlite_query`: one SELECT on a SQLite database gives the rows wanted. It can never write. */
export const sqliteQuery: Evaluator<Args> = {
  name: "sqlite_query",
  summary: "One SELECT on a SQLite database, opened read-only, gives the rows wanted.",
  schema,
  example: { path: "app.db", query: "SELECT status FROM orders WHERE id = ?", params: [7], where: { status: "paid" } },
  paths: ({ path }) => [{ key: "path", path }],
  async look(args, { locator, signal }) {
    const read = args.where === undefined ? undefined : readTests(args.where as JsonObject);
    if (read?.ok === false) return unseen("WM_SERVE_BODY", `where: ${read.why}`);
    const place = locator.locate(args.path);
    if (place.kind === "elsewhere") return none(place.why);
    const stats = await stat(place.path).catch(() => undefined);
    if (stats === undefined) return none(`${place.path} does not exist`);
    if (!stats.isFile()) return none(`${place.path} is no regular file`);
    const answer = await queryReadOnly({
      file: place.path,
      sql: args.query,
      params: args.params,
      maxRows: MOST_ROWS,
      limitMs: Math.min(parseDuration(args.timeout) ?? 0, MOST_TIMEOUT_MS),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!answer.ok) return unseen("WM_SERVE_LOOK", `${place.path}: ${answer.why}`, { exists: true });
    const rows = read === undefined ? answer.rows : answer.rows.filter((row) => read.tests.test(row));
    const why =
      answer.rows[0] === undefined || read === undefined ? "" : `; nearest: ${read.tests.complain(answer.rows[0])}`;
    return judge(args, rows, { isMore: answer.isMore, why });
  },
};

function none(why: string): Seen {
  return seen(false, ["", why], { exists: false, rows: 0 });
}

function judge(
  { rows: wanted = { min: 1 } }: Args,
  rows: readonly JsonValue[],
  { isMore, why }: { isMore: boolean; why: string },
): Seen {
  const { min = 0, max } = wanted;
  const count = rows.length;
  const facts = { exists: true, rows: count, first: rows.slice(0, ROWS_SHOWN) };
  const limits =
    [...(min > 0 ? [`at least ${min}`] : []), ...(max === undefined ? [] : [`at most ${max}`])].join(" and ") ||
    "any number";
  if (isMore && (count < min || (max !== undefined && count <= max))) {
    return unseen(
      "WM_SERVE_LIMIT",
      `the query gives more than ${MOST_ROWS} rows, so that they cannot be counted`,
      facts,
    );
  }
  const words = `${count} row${count === 1 ? "" : "s"} found, wanted ${limits}`;
  return seen(count >= min && (max === undefined || count <= max), [words, `${words}${why}`], facts);
}
