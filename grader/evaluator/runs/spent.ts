import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../../proxy/record/json.ts";
import type { RunDetails, Step } from "../../store/store.ts";
import type { TrialStep, Used } from "../../trials/trial.ts";

/** Steps that were posted stand beside the agent's own, so that nobody mixes them up. */
export function postedSteps(folder: string): string {
  return join(folder, "posted-steps.ndjson");
}

export function appendSteps(folder: string, steps: readonly object[]): void {
  appendFileSync(postedSteps(folder), steps.map((step) => `${stringifyJson(step as JsonValue)}\n`).join(""));
}

/** The steps of a run: those the agent wrote, then those posted. A line that is no step is left out. */
export function stepsIn(folder: string, agentFile: string): readonly TrialStep[] {
  return [
    ...linesOf(agentFile).map((line) => toStep(line, "log")),
    ...linesOf(postedSteps(folder)).map((line) => toStep(line, "posted")),
  ].flatMap((step) => step ?? []);
}

function linesOf(file: string): readonly JsonObject[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return []; // nobody wrote one
  }
  return text.split("\n").flatMap((line) => {
    try {
      const value = line.trim() === "" ? undefined : parseJson(line);
      return isObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

const FIGURES = ["duration_ms", "cost_usd", "tokens_in", "tokens_out"] as const;

function toStep(line: JsonObject, kind: TrialStep["kind"]): TrialStep | undefined {
  const { name, started_at } = line as { name?: unknown; started_at?: unknown };
  if (typeof name !== "string") return undefined;
  const figures = FIGURES.flatMap((key) =>
    typeof line[key] === "number" && Number(line[key]) >= 0 ? [[key, line[key]] as const] : [],
  );
  return { name, kind, ...(typeof started_at === "string" ? { started_at } : {}), ...Object.fromEntries(figures) };
}

/** What the steps used up together; what no step counted is absent, never 0. */
export function usedBy(steps: readonly TrialStep[]): Used {
  const sum = (key: "cost_usd" | "tokens_in" | "tokens_out") => {
    const counted = steps.flatMap((step) => step[key] ?? []);
    return counted.length === 0 ? {} : { [key]: counted.reduce((total, one) => total + one, 0) };
  };
  return { ...sum("cost_usd"), ...sum("tokens_in"), ...sum("tokens_out") };
}

/** Steps and totals as the store and the budgets take them. */
export function storedSpending(
  steps: readonly TrialStep[],
  used: Used,
): Pick<RunDetails, "costUsd" | "tokensIn" | "tokensOut" | "steps"> {
  return {
    ...(used.cost_usd === undefined ? {} : { costUsd: used.cost_usd }),
    ...(used.tokens_in === undefined ? {} : { tokensIn: used.tokens_in }),
    ...(used.tokens_out === undefined ? {} : { tokensOut: used.tokens_out }),
    ...(steps.length === 0 ? {} : { steps: steps.map(storedStep) }),
  };
}

function storedStep({ name, started_at, duration_ms, cost_usd, tokens_in, tokens_out }: TrialStep): Step {
  const tokens = tokens_in === undefined && tokens_out === undefined ? undefined : (tokens_in ?? 0) + (tokens_out ?? 0);
  return {
    name,
    ...(started_at === undefined ? {} : { startedAt: started_at }),
    ...(duration_ms === undefined ? {} : { durationMs: duration_ms }),
    ...(cost_usd === undefined ? {} : { costUsd: cost_usd }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}
