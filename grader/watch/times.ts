import type { SeriesStanding } from "../live-series.ts";
import type { MarkerOutcome } from "../match/outcome.ts";
import type { TraceOutcome } from "../match/trace.ts";

/** Times of one session as somebody sees them who looks now, in milliseconds; undefined where events carry no time. */
export interface SessionTimes {
  /** From its first event to now, or to its last when it is over. */
  readonly elapsedMs: number | undefined;
  /** Since the marker found last, or since the first event. */
  readonly waitedMs: number | undefined;
  /** From the first event of the session to the first of a marker. */
  sinceStart(marker: MarkerOutcome): number | undefined;
  /** How long ago something happened that carries this time. */
  ago(at: string | undefined): number | undefined;
}

/**
 * The clock of the app may be another than ours, so time since the latest event is measured by ours, time between events
 * by theirs.
 */
export function timesOf(outcome: TraceOutcome, series: SeriesStanding, nowMs: number): SessionTimes {
  const { startedAtMs, durationMs } = outcome;
  const latestMs = startedAtMs === undefined ? undefined : startedAtMs + durationMs;
  const now = latestMs === undefined ? undefined : latestMs + sinceLast(series, latestMs, nowMs);
  const since = (from: number | undefined): number | undefined =>
    from === undefined || now === undefined ? undefined : Math.max(0, now - from);
  const parse = (at: string | undefined): number | undefined => {
    const ms = at === undefined ? Number.NaN : Date.parse(at);
    return Number.isNaN(ms) ? undefined : ms;
  };
  const found = outcome.markers.flatMap(({ status, evidence }) => (status === "found" ? evidence : []));
  const reached = found.flatMap(({ at }) => parse(at) ?? []);
  return {
    elapsedMs: since(startedAtMs),
    waitedMs: since(reached.length === 0 ? startedAtMs : Math.max(...reached)),
    sinceStart: ({ evidence }) => {
      const at = parse(evidence[0]?.at);
      return at === undefined || startedAtMs === undefined ? undefined : Math.max(0, at - startedAtMs);
    },
    ago: (at) => since(parse(at)),
  };
}

function sinceLast({ last, hasEnded }: SeriesStanding, latestMs: number, nowMs: number): number {
  if (hasEnded) return 0;
  return Math.max(0, nowMs - (last?.seenAtMs ?? latestMs));
}
