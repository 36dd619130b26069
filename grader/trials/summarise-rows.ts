import { wallTimeOf } from "./amounts.ts";
import type { RunRow } from "./batch.ts";
import { sayEnd } from "./performance.ts";
import { isGradedBy, lastTries, outcomeOf, type SummedScenario } from "./summarise-runs.ts";
import type { Trial, TrialManifest } from "./trial.ts";

/** One row per scenario and run, those that were tried again among them. */
export function rowsOf(trials: readonly Trial[], scenarios: readonly SummedScenario[]): readonly RunRow[] {
  const last = new Set(lastTries(trials));
  return scenarios.flatMap((scenario) =>
    trials.flatMap((trial) => (isGradedBy(trial, scenario) ? [rowOf(trial, scenario, !last.has(trial))] : [])),
  );
}

function rowOf(trial: Trial, scenario: SummedScenario, superseded: boolean): RunRow {
  const { manifest } = trial;
  const { verdict, result } = outcomeOf(trial, scenario);
  const duration = wallTimeOf(trial);
  const note = noteOf(manifest);
  const claims = manifest.self_report?.claims_success;
  const isGraded = verdict === "pass" || verdict === "fail";
  return {
    trial: manifest.id,
    ...(result === undefined ? {} : { run: result.run }),
    index: manifest.index,
    retries: manifest.retries,
    superseded,
    scenario: scenario.id,
    ...(manifest.variant === undefined ? {} : { variant: manifest.variant }),
    ...(manifest.task === undefined ? {} : { task: manifest.task }),
    verdict,
    found: result?.found.length ?? 0,
    total: (result?.found.length ?? 0) + (result?.not_found.length ?? 0),
    ...(verdict !== "pass" && result?.waiting_for !== undefined ? { waiting_for: result.waiting_for } : {}),
    ...(duration === undefined ? {} : { duration_ms: duration }),
    ...(manifest.used?.cost_usd === undefined ? {} : { cost_usd: manifest.used.cost_usd }),
    ...(manifest.used?.at_least?.includes("cost") === true ? { cost_at_least: true } : {}),
    ...(manifest.self_report === undefined ? {} : { claim: manifest.self_report.claim }),
    ...(claims === undefined || !isGraded ? {} : { agrees: claims === (verdict === "pass") }),
    ...(note === undefined ? {} : { note }),
  };
}

/** What a row has to say besides its grade; a command that exited with 0 is no news. */
function noteOf({ end, error }: TrialManifest): string | undefined {
  if (end?.kind === "exited" && end.code === 0) return error?.code;
  const parts = [...(end === undefined ? [] : [sayEnd(end)]), ...(error === undefined ? [] : [error.code])];
  return parts.length === 0 ? undefined : parts.join(", ");
}
