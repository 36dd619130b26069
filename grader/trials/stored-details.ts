import type { RunDetails } from "../store/store.ts";
import type { ScenarioResult } from "../verdict.ts";
import { sayEnd } from "./performance.ts";
import { spendingDetails } from "./spending.ts";
import type { SelfReport, TrialManifest } from "./trial.ts";

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
    ...spendingDetails({ ...(used === undefined ? {} : { used }), ...(steps === undefined ? {} : { steps }) }),
    ...(measures === undefined ? {} : { measures }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(said === undefined ? {} : { selfReport: said.claim }),
    ...agreement(said, result),
  };
}

/** A claim agrees or not only with a run that was decided. */
function agreement(said: SelfReport | undefined, { verdict }: ScenarioResult): { readonly agrees?: boolean } {
  const isDecided = verdict === "pass" || verdict === "fail";
  if (!isDecided || said?.claims_success === undefined) return {};
  return { agrees: said.claims_success === (verdict === "pass") };
}
