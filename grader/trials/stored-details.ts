import type { RunDetails, Step } from "../store/store.ts";
import type { ScenarioResult } from "../verdict.ts";
import type { LaunchEnd, SelfReport, TrialManifest, TrialStep } from "./trial.ts";

/**
 * What the database keeps of a run beside a result: everything comes from the run's manifest, so that rows made anew
 * from the folder are the rows that were made when it was graded.
 */
export function storedDetails(manifest: TrialManifest, folder: string, result: ScenarioResult): RunDetails {
  const { used, self_report: said, end, steps, measures, artifacts } = manifest;
  return {
    gradedAt: manifest.graded_at ?? manifest.ended_at ?? manifest.started_at,
    trial: manifest.id,
    trialIndex: manifest.index,
    folder,
    provenance: manifest.provenance,
    versions: manifest.versions,
    labels: manifest.labels,
    ...(manifest.batch === undefined ? {} : { batch: manifest.batch }),
    ...(manifest.variant === undefined ? {} : { variant: manifest.variant }),
    ...(manifest.task === undefined ? {} : { task: manifest.task }),
    ended: end === undefined ? "not started" : sayEnd(end),
    ...(used?.cost_usd === undefined ? {} : { costUsd: used.cost_usd }),
    ...(used?.tokens_in === undefined ? {} : { tokensIn: used.tokens_in }),
    ...(used?.tokens_out === undefined ? {} : { tokensOut: used.tokens_out }),
    ...(measures === undefined ? {} : { measures }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(steps === undefined ? {} : { steps: steps.map(storedStep) }),
    ...(said === undefined ? {} : { selfReport: said.claim }),
    ...agreement(said, result),
  };
}

/** How a launch ended, in words: `exited with 0`. */
export function sayEnd(end: LaunchEnd): string {
  switch (end.kind) {
    case "exited":
      return `exited with ${end.code}`;
    case "killed":
      return `killed by ${end.signal}`;
    case "timeout":
      return `timed out after ${end.afterMs / 1000} s`;
    case "failed":
      return `could not be started: ${end.reason}`;
    case "stopped":
      return `stopped: ${end.reason}`;
    case "interrupted":
      return `interrupted: ${end.reason}`;
  }
}

/** A claim agrees or not only with a run that was decided. */
function agreement(said: SelfReport | undefined, { verdict }: ScenarioResult): { readonly agrees?: boolean } {
  const isDecided = verdict === "pass" || verdict === "fail";
  if (!isDecided || said?.claims_success === undefined) return {};
  return { agrees: said.claims_success === (verdict === "pass") };
}

function storedStep({ name, started_at, duration_ms, cost_usd, ...counted }: TrialStep): Step {
  const isApart = counted.tokens_in !== undefined || counted.tokens_out !== undefined;
  const tokens = counted.tokens ?? (isApart ? (counted.tokens_in ?? 0) + (counted.tokens_out ?? 0) : undefined);
  return {
    name,
    ...(started_at === undefined ? {} : { startedAt: started_at }),
    ...(duration_ms === undefined ? {} : { durationMs: duration_ms }),
    ...(cost_usd === undefined ? {} : { costUsd: cost_usd }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}
