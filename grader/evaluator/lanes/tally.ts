import type { JsonObject } from "../../../proxy/record/json.ts";
import type { RangeRule } from "../../read/range.ts";
import { readSeries } from "../../read/read.ts";
import { findLogs, type Series } from "../../read/series.ts";
import type { LogTally, TallyJob } from "./job.ts";

const LINE_BYTES = 16_777_216;
/** Names that are counted apart; an app that makes up names must not fill the memory. */
const MOST_NAMES = 10_000;

/** Reads a log once and counts its events by name; keeps the newest ones. */
export async function tallyLog({ log, since, name: wanted, limit }: TallyJob): Promise<LogTally> {
  const byName = new Map<string, number>();
  let events: JsonObject[] = [];
  const counts = { total: 0, undecoded: 0, bad: 0 };
  const sink = {
    event(event: JsonObject): void {
      const name = String(event["name"] ?? "");
      if (wanted !== undefined && name !== wanted) return;
      counts.total += 1;
      if (byName.has(name) || byName.size < MOST_NAMES) byName.set(name, (byName.get(name) ?? 0) + 1);
      events.push(event);
      if (events.length > 2 * limit + 1000) events = events.slice(events.length - limit);
    },
    restart(): void {
      byName.clear();
      events = [];
      counts.total = 0;
    },
    tick(): void {},
    gap(): void {},
  };
  for (const series of (await findLogs([log])).series) {
    const summary = await readSeries(series, {
      rule: ruleFor(series, since),
      sink: { ...sink, ...keepingEarlier(counts, sink) },
      lineBytes: LINE_BYTES,
    });
    counts.undecoded += summary.undecoded;
    counts.bad += summary.linesBad;
  }
  return {
    counts: { ...counts, by_name: Object.fromEntries(byName) },
    events: limit === 0 ? [] : events.slice(-limit),
  };
}

function ruleFor({ isNamedFile }: Series, since: string | undefined): RangeRule {
  if (since !== undefined) return { kind: "since", sinceMs: Date.parse(since) };
  return isNamedFile ? { kind: "from file" } : { kind: "newest" };
}

interface Restarting {
  restart(): void;
}

/** A series that begins anew must not take the counts of the series before it with it; only the first may clear. */
function keepingEarlier(counts: { readonly total: number }, sink: Restarting): Restarting {
  return counts.total === 0 ? { restart: sink.restart } : { restart: () => {} };
}
