import type { Trial, TrialManifest } from "../../grader/trials/trial.ts";
import type { ScenarioResult, Verdict } from "../../grader/verdict.ts";
import { sampleResult } from "./result.ts";

export interface TrialSketch {
  readonly verdict: Verdict | "interrupted" | "launch error";
  readonly manifest?: Partial<TrialManifest>;
  readonly result?: Partial<ScenarioResult>;
}

let made = 0;

/** A graded run of scenario `s`; without a result when it was interrupted or its launch failed. */
export function trialOf({ verdict, manifest = {}, result = {} }: TrialSketch): Trial {
  made++;
  const id = `01K${String(made).padStart(23, "0")}`;
  const states = { interrupted: "interrupted", "launch error": "error" } as const;
  const isGraded = verdict !== "interrupted" && verdict !== "launch error";
  return {
    manifest: {
      schema: "waymark.trial/1",
      id,
      state: isGraded ? "graded" : states[verdict],
      index: made,
      retries: 0,
      command: ["agent"],
      started_at: new Date(1_800_000_000_000 + made * 1000).toISOString(),
      provenance: "live",
      versions: {},
      labels: [],
      ...manifest,
    },
    results: isGraded ? [sampleResult(id, { verdict, success: verdict === "pass", ...result })] : [],
  };
}

/** `passed` passing runs and `failed` failing ones. */
export function group(passed: number, failed: number, more: Omit<TrialSketch, "verdict"> = {}): readonly Trial[] {
  return [
    ...Array.from({ length: passed }, () => trialOf({ verdict: "pass", ...more })),
    ...Array.from({ length: failed }, () => trialOf({ verdict: "fail", ...more })),
  ];
}
