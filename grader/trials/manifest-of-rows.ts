import type { StoredRunDetails } from "../store/store.ts";
import type { TrialManifest } from "./trial.ts";

/** What the database knows of a run whose folder is gone, or that was graded from a log and never had one. */
export function manifestOf(id: string, runs: readonly StoredRunDetails[]): TrialManifest {
  const [first] = runs;
  const { batch, variant, task, versions, labels, selfReport, measures, review } = first ?? {};
  return {
    schema: "waymark.trial/1",
    id,
    state: "graded",
    index: first?.trialIndex ?? 1,
    retries: 0,
    command: [],
    started_at: first?.startedAt ?? first?.gradedAt ?? "",
    provenance: first?.provenance ?? "live",
    versions: versions ?? {},
    labels: labels ?? [],
    ...(batch === undefined ? {} : { batch }),
    ...(variant === undefined ? {} : { variant }),
    ...(task === undefined ? {} : { task }),
    ...(first === undefined ? {} : { graded_at: first.gradedAt }),
    ...(first?.endedAt === undefined ? {} : { ended_at: first.endedAt }),
    ...(selfReport === undefined ? {} : { self_report: { claim: selfReport } }),
    ...(measures === undefined ? {} : { measures }),
    ...(review === undefined ? {} : { review }),
    used: {
      ...(first?.costUsd === undefined ? {} : { cost_usd: first.costUsd }),
      ...(first?.tokensIn === undefined ? {} : { tokens_in: first.tokensIn }),
      ...(first?.tokensOut === undefined ? {} : { tokens_out: first.tokensOut }),
    },
  };
}
