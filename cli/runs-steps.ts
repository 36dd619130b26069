import { showCount, showDuration } from "../grader/report/text.ts";
import type { TrialStep } from "../grader/trials/trial.ts";

/** More are counted and left to `--json`. */
const MOST_SHOWN = 40;

/**
 * A run's steps, a line each, with the time, the cost and the tokens of each as far as they are known: first the stretches
 * up to each marker, then the calls, spans and logged steps, whose figures add up to the run's.
 */
export function stepLines(steps: readonly TrialStep[]): readonly string[] {
  const shown = steps.slice(0, MOST_SHOWN);
  const width = Math.max(...shown.map((step) => nameOf(step).length));
  const lines = shown.map((step) => [nameOf(step).padEnd(width), ...figuresOf(step)].join("  ").trimEnd());
  const left = steps.length - shown.length;
  return [showCount(steps.length), ...lines, ...(left > 0 ? [`and ${showCount(left)} more (--json has all)`] : [])];
}

function nameOf({ kind, name }: TrialStep): string {
  return kind === "marker" ? `up to ${name}`.replace(/^up to (?=after |before any)/, "") : `${kind}: ${name}`;
}

function figuresOf({ duration_ms, cost_usd, tokens_in, tokens_out, tokens }: TrialStep): readonly string[] {
  const told = [tokens_in, tokens_out].map((count) => (count === undefined ? "?" : showCount(count)));
  const counted = told.every((count) => count === "?") ? undefined : `${told[0]} in, ${told[1]} out`;
  return [
    duration_ms === undefined ? [] : showDuration(duration_ms),
    cost_usd === undefined ? [] : showUsd(cost_usd),
    counted ?? (tokens === undefined ? [] : `${showCount(tokens)} tokens`),
  ].flat();
}

/** Dollars with three figures that say something, however small; at least four decimals. */
function showUsd(usd: number): string {
  const decimals = usd > 0 ? Math.min(12, Math.max(4, 2 - Math.floor(Math.log10(usd)))) : 4;
  return `$${usd.toFixed(decimals)}`;
}
