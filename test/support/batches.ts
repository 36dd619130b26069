import { parseGate } from "../../grader/statistics/gate.ts";
import type { SprtPlan } from "../../grader/statistics/sprt.ts";
import type { BatchDocument } from "../../grader/trials/batch.ts";
import type { Cell, Design } from "../../grader/trials/plan.ts";
import { type BatchFacts, summarise } from "../../grader/trials/summarise.ts";
import type { Trial, TrialManifest } from "../../grader/trials/trial.ts";
import type { Verdict } from "../../grader/verdict.ts";
import { sampleResult } from "./result.ts";

const BEGIN = Date.parse("2026-01-31T12:00:00.000Z");

/** A run as a batch gives it; `verdict` undefined is one that was stopped. */
export function trialOf(
  index: number,
  verdict: Verdict | undefined,
  more: Partial<TrialManifest> & { readonly scenario?: string; readonly ms?: number } = {},
): Trial {
  const { scenario = "s", ms = 1000, ...manifest } = more;
  const id = `01RUN${String(index).padStart(4, "0")}${more.retries === undefined ? "" : `R${more.retries}`}`;
  const startedAt = BEGIN + index * 60_000;
  const isStopped = verdict === undefined;
  return {
    manifest: {
      schema: "waymark.trial/1",
      id,
      state: isStopped ? "interrupted" : verdict === "error" ? "error" : "graded",
      batch: "01BATCH",
      index,
      retries: 0,
      command: ["node", "agent.js"],
      started_at: new Date(startedAt).toISOString(),
      ended_at: new Date(startedAt + ms).toISOString(),
      end: isStopped ? { kind: "interrupted", reason: "waymark was stopped" } : { kind: "exited", code: 0 },
      provenance: "live",
      versions: {},
      labels: [],
      ...manifest,
    },
    results: isStopped ? [] : [resultOf(id, scenario, verdict)],
  };
}

function resultOf(run: string, scenario: string, verdict: Verdict) {
  const success = verdict === "pass";
  const isError = verdict === "error";
  return sampleResult(run, {
    scenario,
    verdict,
    success,
    events: isError || verdict === "inconclusive" ? 0 : 7,
    found: success ? ["a", "b"] : ["a"],
    not_found: success ? [] : ["b"],
    ...(success || isError ? {} : { reached: "a", waiting_for: "b" }),
    ...(isError ? { error: { code: "WM_RUN_LAUNCH", message: "the command could not be started" } } : {}),
  });
}

export const CELL: Cell = { command: ["node", "agent.js"], env: {}, params: new Map() };

/** The facts of a batch of one scenario and one cell, gate `all` unless told otherwise. */
export function factsOf(
  trials: readonly Trial[],
  { gate = "all", sprt, ...more }: Partial<BatchFacts> & { readonly gate?: string; readonly sprt?: SprtPlan } = {},
): BatchFacts {
  const parsed = parseGate(gate);
  if (!parsed.ok) throw new Error(parsed.why);
  const runs = new Set(trials.map(({ manifest }) => manifest.index)).size;
  const design: Design =
    sprt === undefined ? { kind: "fixed", cells: [CELL], runs } : { kind: "sequential", cells: [CELL], sprt };
  return {
    id: "01BATCH",
    startedAt: "2026-01-31T12:00:00.000Z",
    endedAt: "2026-01-31T12:30:00.000Z",
    design,
    aim: sprt === undefined ? { kind: "gate", gate: parsed.gate } : { kind: "sprt", plan: sprt },
    scenarios: [{ id: "s", sha256: "0".repeat(64), sessions: "all" }],
    trials,
    hasProblems: false,
    exitZero: false,
    ...more,
  };
}

/** A batch whose runs ended so: `P` pass, `F` fail, `I` inconclusive, `E` error, `-` stopped. */
export function batchOf(verdicts: string, more: Parameters<typeof factsOf>[1] = {}): BatchDocument {
  return summarise(factsOf(trialsOf(verdicts), more));
}

export function trialsOf(verdicts: string, more: Parameters<typeof trialOf>[2] = {}): readonly Trial[] {
  return [...verdicts].map((letter, at) => trialOf(at + 1, VERDICTS[letter], more));
}

const VERDICTS: Readonly<Record<string, Verdict | undefined>> = {
  P: "pass",
  F: "fail",
  I: "inconclusive",
  E: "error",
  "-": undefined,
};
