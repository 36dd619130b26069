import type { Evidence } from "../statistics/comparison.ts";
import { median } from "../statistics/quantiles.ts";
import { shiftBetween } from "../statistics/shift.ts";
import { type AmountKind, amountOf, exactAmountOf, spanOf, wallTimeOf } from "./amounts.ts";
import { type Attempt, isDecided } from "./compare-attempt.ts";
import { type Decision, decide } from "./compare-decision.ts";

export type ShiftMetric = AmountKind;

export interface Middle {
  readonly median: number;
  /** Runs that have the figure; the others were not counted by anybody. */
  readonly counted: number;
}

/** How much larger the figures of A are than those of B: milliseconds, US dollars or tokens. */
export interface Shifted {
  readonly a: Middle | null;
  readonly b: Middle | null;
  /** The Hodges-Lehmann shift, A minus B; `low` and `high` are null where there are too few runs for an interval. */
  readonly shift: { readonly estimate: number; readonly low: number | null; readonly high: number | null } | null;
  /** Less is better; the side that is better when the interval leaves out 0. */
  readonly evidence: Evidence;
}

export interface ShiftComparison extends Shifted {
  readonly metric: ShiftMetric;
  readonly unit: "ms" | "usd" | "tokens";
  /** Which runs: those that passed, or all that passed or failed. */
  readonly of: "passed" | "graded";
  readonly decision: Decision;
}

/** Time from one marker to the next, in milliseconds. */
export interface MarkerGap extends Shifted {
  readonly marker: string;
}

export type MinEffects = Partial<Record<"pass" | ShiftMetric, number>>;

const UNITS = { duration: "ms", cost: "usd", tokens: "tokens" } as const;

/**
 * Duration, cost and tokens of both sides. Durations are compared over runs that passed (a run that fails at once is not
 * a fast one), costs and tokens over all graded runs (a run that fails costs as well); the other way round stands beside.
 * A cost that is a lower bound is no figure to compare.
 */
export function compareShifts(
  a: readonly Attempt[],
  b: readonly Attempt[],
  minEffects: MinEffects = {},
): readonly ShiftComparison[] {
  const clock = clockOf([...a, ...b]);
  return (["duration", "cost", "tokens"] as const).flatMap((metric) =>
    (["passed", "graded"] as const).map((of) => {
      const shifted = shift(figures(a, metric, { of, clock }), figures(b, metric, { of, clock }));
      const { low, high, estimate } = shifted.shift ?? { low: null, high: null, estimate: 0 };
      const effect = low === null || high === null ? null : { estimate, low, high };
      const decision = decide(shifted.evidence, effect, minEffects[metric]);
      return { metric, unit: UNITS[metric], of, ...shifted, decision };
    }),
  );
}

/** The metric's entry that decides: see `compareShifts`. */
export function decidingShift(shifts: readonly ShiftComparison[], metric: ShiftMetric): ShiftComparison | undefined {
  const of = metric === "duration" ? "passed" : "graded";
  return shifts.find((shift) => shift.metric === metric && shift.of === of);
}

/** The time up to each marker since the one before, over all runs of a side that found it; markers in scenario order. */
export function compareMarkerGaps(a: readonly Attempt[], b: readonly Attempt[]): readonly MarkerGap[] {
  return markerNames([...a, ...b]).flatMap((marker) => {
    const shifted = shift(gaps(a, marker), gaps(b, marker));
    return shifted.a === null && shifted.b === null ? [] : [{ marker, ...shifted }];
  });
}

/** Names of the markers in the order in which they stand in the scenario. */
export function markerNames(attempts: readonly Attempt[]): readonly string[] {
  return [...new Set(attempts.flatMap(({ results }) => results.flatMap(({ markers }) => markers.map(nameOf))))];
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function gaps(attempts: readonly Attempt[], marker: string): number[] {
  return attempts.filter(isDecided).flatMap(({ results }) => {
    const found = results.flatMap(({ markers }) => markers.filter(({ name }) => name === marker));
    return found.flatMap(({ status, after_ms: ms }) => (status === "found" && ms !== undefined ? [ms] : []));
  });
}

function figures(attempts: readonly Attempt[], metric: ShiftMetric, { of, clock }: Figures): number[] {
  const chosen = attempts.filter((attempt) => (of === "passed" ? attempt.verdict === "pass" : isDecided(attempt)));
  return chosen.flatMap(({ trial, results }) => {
    const isSpan = metric === "duration" && clock === "span";
    return (isSpan ? spanOf(results) : exactAmountOf(trial, metric, results)) ?? [];
  });
}

interface Figures {
  readonly of: "passed" | "graded";
  readonly clock: Clock;
}

/** Wall times of commands where all runs have one; a wall time and the time between two events are not alike. */
type Clock = "wall" | "span";

function clockOf(attempts: readonly Attempt[]): Clock {
  return attempts.filter(isDecided).every(({ trial }) => wallTimeOf(trial) !== undefined) ? "wall" : "span";
}

/** A run's figure; undefined where nobody counted it, which is never taken for 0. */
export function figureOf({ trial, results }: Attempt, metric: ShiftMetric): number | undefined {
  return amountOf(trial, metric, results);
}

function shift(a: readonly number[], b: readonly number[]): Shifted {
  const found = shiftBetween(a, b);
  const { low, high } = found?.interval ?? { low: null, high: null };
  return {
    a: middleOf(a),
    b: middleOf(b),
    shift: found === undefined ? null : { estimate: found.estimate, low, high },
    evidence: low !== null && low > 0 ? "b_better" : high !== null && high < 0 ? "a_better" : "none",
  };
}

function middleOf(values: readonly number[]): Middle | null {
  const middle = median(values);
  return middle === undefined ? null : { median: middle, counted: values.length };
}
