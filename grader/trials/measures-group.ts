import type { Interval } from "../statistics/interval.ts";
import { median, medianInterval } from "../statistics/quantiles.ts";
import { COUNTERPARTS, MEASURES, type MeasureDefinition } from "./measures-table.ts";
import type { Trial } from "./trial.ts";

/** A measure over the runs of a group. */
export interface MeasureSummary extends MeasureDefinition {
  readonly median: number;
  /** 95% interval of the median; absent under six runs. */
  readonly interval?: Interval;
  /** Share of runs in which it is more than 0, for counts and yes-or-no measures: medians hide what is rare. */
  readonly share_above_zero?: number;
  /** How many runs have it. */
  readonly counted: number;
}

/** A measure of effort and its counterpart; one that no run has is absent. */
export interface CounterpartRow {
  readonly effort: MeasureSummary;
  readonly counterpart?: MeasureSummary;
  readonly words: string;
}

/**
 * The process measures of runs of one group (one scenario, variant and task), each as its median with interval, in the
 * order of `MEASURES`; measures that no run has are left out. Interrupted runs do not count. With `scenario`, times and
 * the shortest pass are those of that scenario's results.
 */
export function summariseMeasures(trials: readonly Trial[], scenario?: string): readonly MeasureSummary[] {
  const whole = trials.filter(({ manifest }) => manifest.state !== "interrupted");
  const shortest = shortestPass(whole, scenario);
  return MEASURES.flatMap((definition) => {
    const values = whole.flatMap((trial) => amountOf(trial, definition.name, { shortest, scenario }) ?? []);
    const middle = median(values);
    if (middle === undefined) return [];
    const interval = medianInterval(values);
    const isCounted = definition.unit === "count" || definition.name === "stopped_short";
    return [
      {
        ...definition,
        median: middle,
        ...(interval === undefined ? {} : { interval }),
        ...(isCounted ? { share_above_zero: values.filter((value) => value > 0).length / values.length } : {}),
        counted: values.length,
      },
    ];
  });
}

/** The effort measures of a group, each beside its counterpart; an effort that nobody counted has no row. */
export function counterpartRows(summaries: readonly MeasureSummary[]): readonly CounterpartRow[] {
  const named = (name: string): MeasureSummary | undefined => summaries.find((one) => one.name === name);
  return COUNTERPARTS.flatMap(({ effort: name, counterpart: other }) => {
    const effort = named(name);
    if (effort === undefined) return [];
    const counterpart = named(other);
    const lost = MEASURES.find((one) => one.name === other)?.words ?? other;
    const beside = counterpart === undefined ? `${lost}: not counted` : sayMeasure(counterpart);
    const words = `${sayMeasure(effort)}; ${beside}`;
    return [{ effort, ...(counterpart === undefined ? {} : { counterpart }), words }];
  });
}

/** `actions of the agent 12 (median of 5 runs)`, with the interval where there is one. */
export function sayMeasure({ words, unit, median: middle, interval, counted }: MeasureSummary): string {
  const shown = (value: number): string => showAmount(value, unit);
  const runs = counted === 1 ? "1 run" : `median of ${counted} runs`;
  const range = interval === undefined ? "" : `, 95% interval ${shown(interval.low)} to ${shown(interval.high)}`;
  return `${words} ${shown(middle)} (${runs}${range})`;
}

function showAmount(value: number, unit: MeasureDefinition["unit"]): string {
  switch (unit) {
    case "share":
      return `${Math.round(value * 100)}%`;
    case "ratio":
      return `${Number(value.toFixed(2))}×`;
    case "ms":
      return `${Number((value / 1000).toFixed(1))} s`;
    case "usd":
      return `$${Number(value.toPrecision(3))}`;
    default:
      return String(Number(value.toFixed(1)));
  }
}

/**
 * The fewest actions with which a run of the group passed: what the others are held against, as the shortest path is in
 * success weighted by path length (Anderson et al. 2018, arXiv:1807.06757), where it is not known beforehand.
 */
export function shortestPass(trials: readonly Trial[], scenario?: string): number | undefined {
  const steps = trials
    .filter((trial) => hasPassed(trial, scenario))
    .flatMap(({ manifest }) => manifest.measures?.["steps"] ?? []);
  return steps.length === 0 ? undefined : Math.min(...steps);
}

/** A run passed when it has results and all of them (of this scenario) are `pass`. */
export function hasPassed({ results }: Trial, scenario?: string): boolean {
  const own = results.filter((result) => scenario === undefined || result.scenario === scenario);
  return own.length > 0 && own.every(({ verdict }) => verdict === "pass");
}

interface Around {
  readonly shortest: number | undefined;
  readonly scenario: string | undefined;
}

function amountOf({ manifest, results }: Trial, name: string, { shortest, scenario }: Around): number | undefined {
  const { measures, used } = manifest;
  if (name === "steps_over_shortest") {
    const steps = measures?.["steps"];
    return steps === undefined || !shortest ? undefined : steps / shortest;
  }
  if (name === "cost_usd") return used?.at_least?.includes("cost") ? undefined : used?.cost_usd;
  if (name === "tokens") return used?.at_least?.includes("tokens") ? undefined : tokensOf(used);
  if (name !== "duration_ms") return measures?.[name];
  const own = results.filter((result) => scenario === undefined || result.scenario === scenario);
  return own.length === 0 ? undefined : Math.max(...own.map((result) => result.duration_ms));
}

function tokensOf(used: Trial["manifest"]["used"]): number | undefined {
  const { tokens, tokens_in: input, tokens_out: output } = used ?? {};
  if (tokens !== undefined) return tokens;
  return input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0);
}
