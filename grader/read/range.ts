import { type WaymarkError, waymarkError } from "../../proxy/record/fault.ts";
import { isObject, type JsonObject } from "../../proxy/record/json.ts";

/** Which lines of a series are graded (DESIGN.md section 4, "Which lines are graded"). */
export type RangeRule =
  /** From the last `start` line on. */
  | { readonly kind: "newest" }
  /** The capture that the first file belongs to, from that file on: a `start` line in a later file ends it. */
  | { readonly kind: "from file" }
  | { readonly kind: "all" }
  /** From the first event that arrived at this time or later, in milliseconds since 1970. */
  | { readonly kind: "since"; readonly sinceMs: number };

const DURATION = /^(?<amount>[0-9]+(?:\.[0-9]+)?)\s*(?<unit>ms|s|m|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Longest duration that is counted back. */
const MOST_DAYS = 10_000;
const ISO = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}.*)?$/;

/**
 * Reads `--since`: an ISO 8601 time, or a duration such as `10m` counted back from `nowMs`. Returns milliseconds since
 * 1970; throws `WM_USAGE_SINCE` on anything else, and on more than MOST_DAYS.
 */
export function parseSince(text: string, nowMs: number): number {
  const groups = DURATION.exec(text.trim())?.groups;
  const unit = UNIT_MS[groups?.["unit"] ?? ""];
  if (groups !== undefined && unit !== undefined) {
    const backMs = Number(groups["amount"]) * unit;
    if (backMs > MOST_DAYS * 86_400_000) throw tooLongAgo(text);
    return nowMs - backMs;
  }
  const time = ISO.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  if (Number.isNaN(time)) throw notASince(text);
  return time;
}

function notASince(text: string): WaymarkError {
  return waymarkError("WM_USAGE_SINCE", `"${text}" is neither an ISO 8601 time nor a duration`);
}

function tooLongAgo(text: string): WaymarkError {
  return waymarkError("WM_USAGE_SINCE", `"${text}" is more than ${MOST_DAYS} days ago`, {
    fix: "Give a shorter duration, or --all for the whole log.",
  });
}

/** When a record arrived: `$capture.at`, else its own `time`; undefined when it has neither in a form that can be read. */
export function arrivalMs(record: JsonObject): number | undefined {
  const meta = record["$capture"];
  return timeMs(isObject(meta) ? meta["at"] : undefined) ?? timeMs(record["time"]);
}

function timeMs(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** What a range turned out to be; `describeRange` puts it in words. */
export interface RangeFacts {
  readonly rule: RangeRule;
  /** Files read within the range, in order. */
  readonly files: readonly string[];
  /** Line of the first file that the range begins with. */
  readonly firstLine: number;
  /** `at` of the `start` line the range begins with. */
  readonly startedAt?: string;
}

/** The range for every output: `capture of 2026-01-31T12:00:00.000Z, logs/telemetry/telemetry-1.log to telemetry-3.log`. */
export function describeRange(facts: RangeFacts): string {
  const { rule, startedAt } = facts;
  if (rule.kind === "all") return `all of ${filesOf(facts)}`;
  if (rule.kind === "since") return `since ${new Date(rule.sinceMs).toISOString()}, ${filesOf(facts)}`;
  return startedAt === undefined ? `whole of ${filesOf(facts)}` : `capture of ${startedAt}, ${filesOf(facts)}`;
}

function filesOf({ files, firstLine }: RangeFacts): string {
  const [first = "no file", ...others] = files;
  const last = others.at(-1);
  const from = firstLine > 1 ? `${first} from line ${firstLine}` : first;
  return last === undefined ? from : `${from} to ${last.replace(/^.*[\\/]/, "")}`;
}
