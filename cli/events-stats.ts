import type { RangeSummary } from "../grader/read/tally.ts";
import { asText, plural, showCount } from "../grader/report/text.ts";
import { isObject, type JsonObject } from "../proxy/record/json.ts";
import { nameOf } from "./events-show.ts";

/** Names shown; of the others only the number is told. */
const MOST_SHOWN = 40;
/** Names counted apart; those beyond share one row, so that the memory is bounded. */
const MOST_KEPT = 100_000;

export interface EventStats {
  readonly events: number;
  readonly sessions: number;
  readonly retries: number;
  readonly first?: string;
  readonly last?: string;
  readonly by_name: Readonly<Record<string, number>>;
  readonly by_format: Readonly<Record<string, number>>;
  readonly by_host: Readonly<Record<string, number>>;
}

/** Counts events by name, format and host; memory grows with the number of different ones only. */
export function eventCounter() {
  const [names, formats, hosts, sessions] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
    new Set<string>(),
  ];
  let [events, retries] = [0, 0];
  let first: string | undefined;
  let last: string | undefined;
  return {
    add(event: JsonObject): void {
      const meta = isObject(event["$capture"]) ? event["$capture"] : {};
      events++;
      count(names, nameOf(event));
      count(formats, textOf(meta["format"]));
      count(hosts, textOf(meta["host"]));
      if (meta["retry"] === true) retries++;
      if (typeof meta["session"] === "string" && sessions.size < MOST_KEPT) sessions.add(meta["session"]);
      const at = typeof meta["at"] === "string" ? meta["at"] : event["time"];
      if (typeof at !== "string") return;
      first ??= at;
      last = at;
    },
    stats: (): EventStats => ({
      events,
      sessions: sessions.size,
      retries,
      ...(first === undefined ? {} : { first }),
      ...(last === undefined ? {} : { last }),
      by_name: sorted(names),
      by_format: sorted(formats),
      by_host: sorted(hosts),
    }),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "(unknown)";
}

function count(counts: Map<string, number>, key: string): void {
  const kept = counts.has(key) || counts.size < MOST_KEPT ? key : "(others)";
  counts.set(kept, (counts.get(kept) ?? 0) + 1);
}

function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}

/** The counts as tables, with what the reading of the log found. */
export function statsText(
  label: string,
  stats: EventStats,
  summary: Pick<RangeSummary, "undecoded" | "linesBad" | "cut">,
): string {
  const span = stats.first === undefined ? "" : `, ${asText(stats.first)} to ${asText(stats.last ?? "")}`;
  const odd = [
    stats.retries > 0 ? plural(stats.retries, "retry", "retries") : "",
    summary.undecoded > 0 ? plural(summary.undecoded, "undecoded body", "undecoded bodies") : "",
    summary.linesBad > 0 ? plural(summary.linesBad, "bad line") : "",
    summary.cut === undefined ? "" : `not whole: ${asText(summary.cut)}`,
  ].filter((part) => part !== "");
  return [
    `${asText(label)}: ${plural(stats.events, "event")} in ${plural(stats.sessions, "session")}${span}`,
    ...odd.map((part) => `  ${part}`),
    ...table("name", stats.by_name),
    ...table("format", stats.by_format),
    ...table("host", stats.by_host),
    "",
  ].join("\n");
}

function table(title: string, counts: Readonly<Record<string, number>>): string[] {
  const rows = Object.entries(counts);
  if (rows.length === 0) return [];
  const width = Math.max(...rows.slice(0, MOST_SHOWN).map(([, n]) => showCount(n).length), 1);
  const shown = rows
    .slice(0, MOST_SHOWN)
    .map(([key, n]) => `  ${showCount(n).padStart(width)}  ${asText(key).slice(0, 100)}`);
  const more =
    rows.length > MOST_SHOWN
      ? [`  ${"".padStart(width)}  ${plural(rows.length - MOST_SHOWN, `${title} more`, `${title}s more`)}`]
      : [];
  return ["", `by ${title}`, ...shown, ...more];
}
