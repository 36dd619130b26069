import { combineSessions } from "../combine.ts";
import type { ScenarioResult, Verdict } from "../verdict.ts";
import type { Trial } from "./trial.ts";

/** A scenario as a summary needs it. */
export interface SummedScenario {
  readonly id: string;
  readonly sha256: string;
  /** What a run with several sessions comes to. */
  readonly sessions: "all" | "any";
}

/** How one run did by one scenario. */
export interface RunOutcome {
  readonly trial: Trial;
  /** `interrupted` for a run that was stopped and never graded. */
  readonly verdict: Verdict | "interrupted";
  /** The result that decided; absent for an interrupted run. */
  readonly result?: ScenarioResult;
}

/** How a run did by a scenario: the verdict of its sessions together, with the result that decides it. */
export function outcomeOf(trial: Trial, { id, sessions }: SummedScenario): RunOutcome {
  const own = trial.results.filter(({ scenario }) => scenario === id);
  if (own.length === 0) return { trial, verdict: trial.manifest.state === "interrupted" ? "interrupted" : "error" };
  const verdict = combineSessions(
    own.map((result) => result.verdict),
    sessions,
  );
  const result = own.find((one) => one.verdict === verdict);
  return { trial, verdict, ...(result === undefined ? {} : { result }) };
}

/** Whether a run was to be graded by a scenario: it has a result on it, or none at all because it was stopped. */
export function isGradedBy({ results }: Trial, { id }: SummedScenario): boolean {
  return results.length === 0 || results.some(({ scenario }) => scenario === id);
}

/** Of each run the last try: those before it ended in `error` and were made again. */
export function lastTries(trials: readonly Trial[]): readonly Trial[] {
  return trials.filter(
    ({ manifest: { index, retries } }) =>
      !trials.some(({ manifest }) => manifest.index === index && manifest.retries > retries),
  );
}

/** Whether a run passed by each scenario; undefined where it has no grade. */
export function passedBy(trial: Trial, scenarios: readonly SummedScenario[]): readonly (boolean | undefined)[] {
  return scenarios.map((scenario) => {
    const { verdict } = outcomeOf(trial, scenario);
    return verdict === "pass" ? true : verdict === "fail" ? false : undefined;
  });
}

/** True for a run that says nothing by any scenario because it failed itself: no launch, no telemetry, an error of ours. */
export function isErrorRun({ manifest, results }: Trial): boolean {
  if (manifest.state === "interrupted" || results.length === 0) return false;
  const isSilent = manifest.error?.code === "WM_RUN_NO_TELEMETRY";
  return results.every(({ verdict }) => verdict === "error" || (isSilent && verdict === "inconclusive"));
}
