import type { ScenarioStanding, SeriesStanding } from "../live-series.ts";
import type { MarkerOutcome } from "../match/outcome.ts";
import type { TraceOutcome } from "../match/trace.ts";
import { asText, plural, showDuration } from "../report/text.ts";
import { standingKey } from "./standing-key.ts";

/** Which scenario on which series, and in which session. */
export interface About {
  readonly log: string;
  readonly scenario: string;
  readonly session?: string;
}

/** Something that happened while a log was watched. */
export type News =
  | {
      readonly kind: "capture";
      readonly log: string;
      readonly part?: string | undefined;
      readonly isNewer: boolean;
      /** Ids of those that are graded by it. */
      readonly scenarios: readonly string[];
    }
  | { readonly kind: "begin"; readonly about: About; readonly startedAtMs?: number }
  | {
      readonly kind: "marker";
      readonly about: About;
      readonly marker: MarkerOutcome;
      /** From 1. */
      readonly position: number;
      readonly lit: number;
      readonly of: number;
    }
  | { readonly kind: "broken"; readonly about: About; readonly rule: string; readonly reason: string }
  | { readonly kind: "decided"; readonly about: About; readonly verdict: TraceOutcome["verdict"] }
  | { readonly kind: "over"; readonly log: string; readonly part?: string | undefined; readonly events: number };

/** Tells what is new each time it is shown how a series stands, each thing once. */
export class NewsReel {
  readonly #told = new Set<string>();
  readonly #lives = new Map<string, number>();

  take(series: SeriesStanding): readonly News[] {
    const { log, part, life, hasEnded, events } = series;
    const news: News[] = [];
    const own = standingKey(series);
    if (this.#lives.get(own) !== life) {
      const scenarios = series.scenarios.map(({ scenario }) => scenario.id);
      news.push({ kind: "capture", log, part, isNewer: this.#lives.has(own), scenarios });
      this.#lives.set(own, life);
    }
    for (const standing of series.scenarios) {
      for (const outcome of standing.sessions) news.push(...this.#session(outcome, standing, series));
    }
    if (hasEnded && this.#isNew(`over ${own} ${life} ${events}`)) news.push({ kind: "over", log, part, events });
    return news;
  }

  #session(outcome: TraceOutcome, { scenario, isDecided }: ScenarioStanding, { log, life }: SeriesStanding): News[] {
    if (outcome.stream.events === 0) return [];
    const { session, startedAtMs, found, notFound } = outcome;
    const about = { log, scenario: scenario.id, ...(session === undefined ? {} : { session }) };
    const key = [log, life, scenario.id, session ?? ""].join("\n");
    const news: News[] = [];
    if (this.#isNew(`begin ${key}`))
      news.push({ kind: "begin", about, ...(startedAtMs === undefined ? {} : { startedAtMs }) });
    for (const [at, marker] of outcome.markers.entries()) {
      if (marker.status !== "found" || !this.#isNew(`marker ${at} ${key}`)) continue;
      const lit = outcome.markers.slice(0, at + 1).filter(({ status }) => status === "found").length;
      news.push({ kind: "marker", about, marker, position: at + 1, lit, of: found.length + notFound.length });
    }
    for (const { name, running, violations } of outcome.rules) {
      if (running !== "fail" || !this.#isNew(`rule ${name} ${key}`)) continue;
      news.push({ kind: "broken", about, rule: name, reason: violations[0]?.reason ?? "it does not hold" });
    }
    if (isDecided && this.#isNew(`decided ${key}`)) news.push({ kind: "decided", about, verdict: outcome.verdict });
    return news;
  }

  #isNew(key: string): boolean {
    if (this.#told.has(key)) return false;
    this.#told.add(key);
    return true;
  }
}

/** One line about it, for output that is not repainted; undefined for what needs no line. Safe for a terminal. */
export function newsLine(news: News): string | undefined {
  switch (news.kind) {
    case "capture":
      return `watching ${logOf(news)}${news.isNewer ? ": a newer capture begins" : ""}`;
    case "begin":
      return undefined;
    case "marker": {
      const { marker, lit, of } = news;
      const after = marker.afterMs === undefined || lit === 1 ? "" : `  +${showDuration(marker.afterMs)}`;
      const [first] = marker.evidence;
      const where = first === undefined ? "" : `  ${asText(first.file)}:${first.line}`;
      return `${nameOf(news.about)}  ${lit}/${of} ● ${asText(marker.name)}${after}${where}`;
    }
    case "broken":
      return `${nameOf(news.about)}  ✗ ${asText(news.rule)}: ${asText(news.reason)}`;
    case "decided":
      return `${nameOf(news.about)}  final: ${news.verdict}`;
    case "over":
      return `${logOf(news)}: the capture is over after ${plural(news.events, "event")}`;
  }
}

function logOf({ log, part }: { readonly log: string; readonly part?: string | undefined }): string {
  return part === undefined ? asText(log) : `${asText(log)} (${part})`;
}

function nameOf({ scenario, session }: About): string {
  return session === undefined ? asText(scenario) : `${asText(scenario)} (${asText(session)})`;
}
