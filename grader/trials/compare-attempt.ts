import { combineSessions, worstVerdict } from "../combine.ts";
import type { ScenarioResult, Verdict } from "../verdict.ts";
import type { Trial } from "./trial.ts";

/** How one run did on one scenario. */
export interface Attempt {
  readonly trial: Trial;
  /** The run's results on the scenario: one, or one per session or log. Empty when the run was never graded. */
  readonly results: readonly ScenarioResult[];
  readonly verdict: Verdict | "interrupted";
  readonly reason: string;
}

/** What tells how the sessions of a scenario count together; a scenario that is not in it is unknown. */
export type SessionModes = ReadonlyMap<string, "all" | "any">;

/**
 * The runs that were to be graded by the scenario, in the order they were started: those with a result on it, and those
 * without any result (interrupted, or ended in `error`), which would otherwise drop out of sight.
 */
export function attemptsOf(
  trials: readonly Trial[],
  scenario: string,
  modes: SessionModes = new Map(),
): readonly Attempt[] {
  return [...trials].sort(byStart).flatMap((trial) => {
    const results = trial.results.filter((result) => result.scenario === scenario);
    if (results.length === 0 && trial.results.length > 0) return [];
    return [{ trial, results, ...judge(trial, results, modes.get(scenario)) }];
  });
}

/** The names of the scenarios that graded the runs, in order of appearance. */
export function scenariosOf(trials: readonly Trial[]): readonly string[] {
  return [...new Set(trials.flatMap(({ results }) => results.map(({ scenario }) => scenario)))];
}

/** True for a run that counts in a pass rate. */
export function isDecided({ verdict }: Attempt): boolean {
  return verdict === "pass" || verdict === "fail";
}

type Judged = Pick<Attempt, "verdict" | "reason">;

function judge({ manifest }: Trial, results: readonly ScenarioResult[], mode: "all" | "any" | undefined): Judged {
  if (manifest.state === "interrupted" || manifest.state === "running") {
    return { verdict: "interrupted", reason: `the run is ${manifest.state}` };
  }
  const [first] = results;
  if (first === undefined) return { verdict: "error", reason: manifest.error?.message ?? "the run was never graded" };
  const verdicts = results.map(({ verdict }) => verdict);
  const areSessions = results.length > 1 && results.every(({ session }) => session !== undefined);
  if (areSessions && mode === undefined && new Set(verdicts).size > 1 && !verdicts.includes("error")) {
    return { verdict: "inconclusive", reason: "its sessions differ, and how they count together is not known here" };
  }
  const verdict = areSessions ? combineSessions(verdicts, mode ?? "all") : worstVerdict(verdicts);
  return { verdict, reason: (results.find((result) => result.verdict === verdict) ?? first).reason };
}

function byStart({ manifest: a }: Trial, { manifest: b }: Trial): number {
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? -1 : 1;
  return a.index - b.index || (a.id < b.id ? -1 : 1);
}
