import type { ScenarioStanding, SeriesStanding } from "../live-series.ts";
import type { MarkerOutcome } from "../match/outcome.ts";
import type { TraceOutcome } from "../match/trace.ts";
import type { LiveMarker, LiveRule, LiveRun, LiveScenario } from "./live-run.ts";
import { clauseInShort, ruleWords, verbOf } from "./section.ts";
import { type SessionTimes, timesOf } from "./times.ts";

/** What names a run that is under way. */
export type LiveName = Pick<LiveRun, "id" | "label" | "batch" | "variant" | "task" | "started_at">;

/** How a run stands, as the page shows it. Pure. */
export function liveRun(name: LiveName, series: readonly SeriesStanding[], nowMs: number): LiveRun {
  const last = series.map((one) => one.last).findLast((one) => one !== undefined);
  const ago = last?.seenAtMs === undefined ? {} : { ago_ms: Math.max(0, nowMs - last.seenAtMs) };
  return {
    ...name,
    events: [...eventsByLog(series).values()].reduce((sum, events) => sum + events, 0),
    ...(last === undefined ? {} : { last: { name: last.name, ...ago } }),
    over: series.length > 0 && series.every(({ hasEnded }) => hasEnded),
    scenarios: series.flatMap((one) => one.scenarios.flatMap((standing) => scenariosOf(standing, one, nowMs))),
  };
}

/** Scenarios may read a log apart. */
function eventsByLog(series: readonly SeriesStanding[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const { log, events } of series) most.set(log, Math.max(events, most.get(log) ?? 0));
  return most;
}

function scenariosOf(standing: ScenarioStanding, series: SeriesStanding, nowMs: number): readonly LiveScenario[] {
  const { scenario, sessions, error } = standing;
  if (error !== undefined) {
    const none = { events: 0, lit: 0, of: scenario.markers.length, markers: [], rules: [] };
    return [{ scenario: scenario.id, state: "error", error, ...none }];
  }
  return sessions.map((outcome) => sessionOf(outcome, { standing, series }, timesOf(outcome, series, nowMs)));
}

interface Where {
  readonly standing: ScenarioStanding;
  readonly series: SeriesStanding;
}

function sessionOf(outcome: TraceOutcome, { standing, series }: Where, times: SessionTimes): LiveScenario {
  const { scenario, isDecided } = standing;
  const isOver = isDecided || series.hasEnded;
  const limits = new Map(scenario.markers.map(({ name, withinMs }) => [name, withinMs]));
  const elapsed = isDecided ? outcome.durationMs : times.elapsedMs;
  return {
    scenario: scenario.id,
    ...(outcome.session === undefined ? {} : { session: outcome.session }),
    state: stateOf(outcome, isDecided, series.hasEnded),
    events: outcome.stream.events,
    ...(elapsed === undefined ? {} : { elapsed_ms: elapsed }),
    ...(times.waitedMs === undefined ? {} : { waited_ms: times.waitedMs }),
    lit: outcome.found.length,
    of: outcome.found.length + outcome.notFound.length,
    markers: outcome.markers.map((marker) => {
      const isWaiting = marker.name === outcome.waitingFor;
      return markerOf(marker, { isWaiting, isOver, withinMs: limits.get(marker.name) });
    }),
    rules: outcome.rules.map((rule): LiveRule => {
      const verb = verbOf(standing, rule);
      return { name: rule.name, verb, ...ruleWords(rule, verb) };
    }),
  };
}

function stateOf({ verdict }: TraceOutcome, isDecided: boolean, hasEnded: boolean): LiveScenario["state"] {
  if (verdict === "fail") return "fail";
  if (verdict === "pass" && isDecided) return "pass";
  return hasEnded ? "over" : "live";
}

function markerOf(
  { name, status, afterMs, progress, nearest }: MarkerOutcome,
  { isWaiting, isOver, withinMs }: { isWaiting: boolean; isOver: boolean; withinMs: number | undefined },
): LiveMarker {
  const light =
    status === "found"
      ? "found"
      : isWaiting
        ? isOver
          ? "missed"
          : "waiting"
        : status === "skipped"
          ? "skipped"
          : "open";
  const near = isWaiting ? nearest : undefined;
  return {
    name,
    light,
    ...(afterMs === undefined ? {} : { after_ms: afterMs }),
    ...(withinMs === undefined ? {} : { within_ms: withinMs }),
    ...(progress === undefined ? {} : { progress }),
    ...(near === undefined ? {} : { nearest: [...near.failed, ...near.passed].map(clauseInShort).join(", ") }),
  };
}
