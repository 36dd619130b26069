import type { Trial, TrialManifest } from "../../grader/trials/trial.ts";
import type { ScenarioResult } from "../../grader/verdict.ts";
import { sampleResult } from "./result.ts";

/** A graded run with one result; `manifest` and `result` replace single keys. */
export function sampleTrial(
  id: string,
  { manifest = {}, result = {} }: { manifest?: Partial<TrialManifest>; result?: Partial<ScenarioResult> } = {},
): Trial {
  return {
    manifest: {
      schema: "waymark.trial/1",
      id,
      state: "graded",
      index: 1,
      retries: 0,
      command: ["node", "agent.js"],
      started_at: "2026-01-01T00:00:00.000Z",
      provenance: "live",
      versions: {},
      labels: [],
      ...manifest,
    },
    results: [sampleResult(id, { verdict: "pass", success: true, ...result })],
  };
}
