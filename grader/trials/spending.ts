import type { Fault } from "../../proxy/record/fault.ts";
import { fault } from "../../proxy/record/fault.ts";
import type { RunDetails, Step } from "../store/store.ts";
import { tokensOf } from "./amounts.ts";
import type { TrialPlaces } from "./folder.ts";
import type { PriceList } from "./prices.ts";
import { type ModelCall, modelCallIn } from "./spending-calls.ts";
import { readCapture } from "./spending-capture.ts";
import { type Cost, costOf } from "./spending-cost.ts";
import { joinSteps } from "./spending-join.ts";
import { roundUsd, sumOf } from "./spending-numbers.ts";
import { mergeCalls } from "./spending-same.ts";
import { toolStepIn } from "./spending-spans.ts";
import { postedStepsIn, readStepLog, stepWarnings } from "./steps-file.ts";
import type { TrialManifest, TrialStep, Used } from "./trial.ts";

export interface SpendingOptions {
  /** Without prices, only what the agent itself says it cost is known. */
  readonly prices?: PriceList | undefined;
  /** The agent's step log; the run's own place for it unless given. */
  readonly steps?: string | undefined;
}

/** What a run used up, and what could not be counted. */
export interface Spent {
  /** Absent when nobody counted anything. */
  readonly used?: Used;
  /** One per logged step, captured call that no step tells of, and tool span; their figures add up to `used`. */
  readonly steps?: readonly TrialStep[];
  readonly warnings: readonly Fault[];
}

/**
 * Counts what a run used up: the model calls in its capture, priced by `prices`, and the steps the agent logged or posted.
 * A call that a step tells of counts once: the step's cost wins where it has one, else the call's (docs/cost.md has the
 * whole rule). Resolves before grading, so that budgets can decide; never rejects for what stands in a file.
 */
export async function spend(
  places: TrialPlaces,
  manifest: Pick<TrialManifest, "id">,
  options: SpendingOptions = {},
): Promise<Spent> {
  const { costs, warnings } = await readCosts(places, options);
  const used = totalOf(costs);
  const found = [...warnings, ...unpricedWarnings(used, options, manifest)];
  if (costs.length === 0) return { warnings: found };
  return { ...(used === undefined ? {} : { used }), steps: costs.map(({ shown }) => shown), warnings: found };
}

/** Everything that cost something or is a step of its own, with what could not be read. */
export async function readCosts(
  places: TrialPlaces,
  { prices, steps = places.steps }: SpendingOptions,
): Promise<{ readonly costs: readonly Cost[]; readonly warnings: readonly Fault[] }> {
  const calls: ModelCall[] = [];
  const tools: Cost[] = [];
  const unread = await readCapture(places.telemetry, (event, place) => {
    const call = modelCallIn(event, place);
    const tool = toolStepIn(event, place);
    if (call !== undefined) calls.push(call);
    if (tool !== undefined) tools.push(tool);
  });
  const logs = [readStepLog(steps, "log"), readStepLog(postedStepsIn(places.folder), "posted")];
  const outlays = joinSteps(
    logs.flatMap((log) => log.steps),
    mergeCalls(calls),
  );
  return {
    costs: [...outlays.map((outlay) => costOf(outlay, prices)), ...tools],
    warnings: [...unread, ...logs.flatMap(stepWarnings)],
  };
}

/** The sum of all costs; undefined when none of them counts anything. Each figure is absent when nobody counted it. */
export function totalOf(costs: readonly Cost[]): Used | undefined {
  const usd = sumOf(costs.map(({ shown }) => shown.cost_usd));
  const tokensIn = sumOf(costs.map(({ shown }) => shown.tokens_in));
  const tokensOut = sumOf(costs.map(({ shown }) => shown.tokens_out));
  const tokens = sumOf(costs.map(({ shown }) => shown.tokens));
  const unpriced = [...new Set(costs.flatMap((cost) => cost.unpriced))];
  const atLeast = [
    ...(usd !== undefined && costs.some(({ isCostWhole }) => !isCostWhole) ? (["cost"] as const) : []),
    ...(tokens !== undefined && costs.some(({ areTokensWhole }) => !areTokensWhole) ? (["tokens"] as const) : []),
  ];
  if (usd === undefined && tokens === undefined && unpriced.length === 0) return undefined;
  return {
    ...(usd === undefined ? {} : { cost_usd: roundUsd(usd) }),
    ...(tokensIn === undefined ? {} : { tokens_in: tokensIn }),
    ...(tokensOut === undefined ? {} : { tokens_out: tokensOut }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(atLeast.length === 0 ? {} : { at_least: atLeast }),
    ...(unpriced.length === 0 ? {} : { unpriced }),
  };
}

/** What goes to `gradeLogs` as details, so that budgets decide and the database keeps it. */
export function spendingDetails({ used, steps }: Pick<Spent, "used" | "steps">): Partial<RunDetails> {
  return {
    ...(used?.cost_usd === undefined ? {} : { costUsd: used.cost_usd }),
    ...(used?.tokens_in === undefined ? {} : { tokensIn: used.tokens_in }),
    ...(used?.tokens_out === undefined ? {} : { tokensOut: used.tokens_out }),
    ...(used?.tokens === undefined ? {} : { tokens: used.tokens }),
    ...(used?.at_least === undefined ? {} : { atLeast: used.at_least }),
    ...(steps === undefined ? {} : { steps: steps.map(storedStep) }),
  };
}

function storedStep({ name, started_at, duration_ms, cost_usd, ...counted }: TrialStep): Step {
  const tokens = tokensOf(counted);
  return {
    name,
    ...(started_at === undefined ? {} : { startedAt: started_at }),
    ...(duration_ms === undefined ? {} : { durationMs: duration_ms }),
    ...(cost_usd === undefined ? {} : { costUsd: cost_usd }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

/** `$0.041`, `at least $0.041`; "–" when nobody counted it. */
export function sayCost(used: Used | undefined): string {
  if (used?.cost_usd === undefined) return "–";
  const { cost_usd: usd } = used;
  const digits = usd === 0 || usd >= 1 ? usd.toFixed(2) : Number(usd.toPrecision(2)).toFixed(decimalsFor(usd));
  return `${used.at_least?.includes("cost") ? "at least " : ""}$${digits}`;
}

/** Enough decimals to show two figures of an amount below a dollar. */
function decimalsFor(usd: number): number {
  return Math.min(20, Math.max(2, 1 - Math.floor(Math.log10(usd))));
}

function unpricedWarnings(
  used: Used | undefined,
  { prices }: SpendingOptions,
  { id }: Pick<TrialManifest, "id">,
): readonly Fault[] {
  if (used?.unpriced === undefined || prices === undefined) return [];
  const what = `run ${id} used what ${prices.file} has no price for: ${used.unpriced.join(", ")}`;
  return [fault("WM_RUN_UNPRICED", what, { severity: "warning" })];
}
