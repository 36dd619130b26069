import type { JsonValue } from "../../proxy/record/json.ts";
import type { TraceOutcome } from "../match/trace.ts";
import { type GradableScenario, Panel, seatScenarios } from "../panel.ts";
import { readSeries } from "../read/read.ts";
import type { Scenario } from "../scenario/ast.ts";

/** How far a run has come by one scenario, while it goes on. */
export interface Progress {
  readonly scenario: string;
  /** Markers found, and how many have to be. */
  readonly lit: number;
  readonly of: number;
  readonly waitingFor?: string;
  readonly isDecided: boolean;
}

/** Reads a log while it grows. Only for people and for the settle rule: the grade is made anew, from the whole log. */
export interface LogWatch {
  /** True once nothing that comes could change a verdict. */
  isDecided(): boolean;
  /** As the log stands, one per scenario. */
  progress(): readonly Progress[];
  /** What is still waited for, in words. */
  awaited(): readonly string[];
  stop(): Promise<void>;
}

export interface WatchedLog {
  /** Folder and name of the log series; the folder has to exist. */
  readonly folder: string;
  readonly name: string;
  readonly scenarios: readonly GradableScenario[];
  readonly params: ReadonlyMap<string, JsonValue>;
  /** Told when something was read. */
  readonly onChange?: () => void;
}

/** Follows a log series from its beginning. Nothing that goes wrong here touches a run: then nothing is ever decided. */
export function watchLog({ folder, name, scenarios, params, onChange }: WatchedLog): LogWatch {
  const panel = new Panel(
    seatScenarios(
      scenarios.map((one) => ({ ...one, scenario: watchable(one.scenario) })),
      params,
    ),
  );
  // An event may still be put before others that stand in the log, so that only the end decides.
  const isByTime = scenarios.some(({ scenario }) => scenario.events.order === "time");
  const stopping = new AbortController();
  let isBroken = false;
  const isDecided = (): boolean => !isByTime && !isBroken && panel.isDecided;
  const series = { label: folder, segments: [], before: [], isNamedFile: false, grows: { folder, name } };
  const reading = readSeries(
    { ...series, kind: "files" },
    {
      rule: { kind: "newest" },
      sink: panel,
      lineBytes: Math.max(...scenarios.map(({ scenario }) => scenario.limits.lineBytes)),
      follow: {
        signal: stopping.signal,
        isDecided: () => {
          onChange?.();
          return isDecided();
        },
      },
    },
  ).then(
    () => undefined,
    () => {
      isBroken = true; // grading reads the same log and says what is wrong with it
    },
  );
  const progress = (): readonly Progress[] => {
    const outcomes = panel.finish({ kind: "cut", why: "the run goes on" });
    return scenarios.map(({ scenario }, index) => {
      const outcome = outcomes[index];
      return progressOf(scenario.id, outcome?.kind === "graded" ? outcome.outcomes : [], isDecided());
    });
  };
  return {
    isDecided,
    progress,
    awaited: () => progress().flatMap(wordsFor),
    stop: async () => {
      stopping.abort();
      await reading;
    },
  };
}

/**
 * Settling a session as cut leaves it as it is, so that one can look at it while events still come; settling it as
 * complete does not, nor does taking events out of the buffer that sorts them by time.
 */
function watchable(scenario: Scenario): Scenario {
  return { ...scenario, onCut: "inconclusive", events: { ...scenario.events, order: "line" } };
}

/** Of several sessions, the one that came furthest. */
function progressOf(scenario: string, outcomes: readonly TraceOutcome[], isDecided: boolean): Progress {
  const furthest = outcomes.reduce<TraceOutcome | undefined>(
    (best, outcome) => (best === undefined || outcome.found.length > best.found.length ? outcome : best),
    undefined,
  );
  const { found = [], notFound = [], waitingFor } = furthest ?? {};
  const of = found.length + notFound.length;
  return { scenario, lit: found.length, of, isDecided, ...(waitingFor === undefined ? {} : { waitingFor }) };
}

function wordsFor({ scenario, lit, of, waitingFor, isDecided }: Progress): readonly string[] {
  if (isDecided || (lit === of && waitingFor === undefined)) return [];
  return [`${scenario}: ${waitingFor ?? "more events"}`];
}
