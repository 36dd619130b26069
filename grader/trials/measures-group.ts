import { median, medianInterval } from "../statistics/quantiles.ts";
import { type AmountKind, exactAmountOf } from "./amounts.ts";
import type { MeasureSummary } from "./batch.ts";
import { COUNTERPARTS, MEASURES, type MeasureDefinition } from "./measures-table.ts";
import type { Trial } from "./trial.ts";

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
    const values = whole.flatMap((trial) => figureIn(trial, definition.name, { shortest, scenario }) ?? []);
    const middle = median(values);
    if (middle === undefined) return [];
    const interval = medianInterval(values);
    const isCounted = definition.unit === "count" || definition.name === "stopped_short";
    const summary = {
      ...definition,
      median: middle,
      ...(interval === undefined ? {} : { interval }),
      ...(isCounted ? { share_above_zero: values.filter((value) => value > 0).length / values.length } : {}),
      counted: values.length,
    };
    return [{ ...summary, said: sayMeasure(summary) }];
  });
}

/** How one run went: each measure of effort beside its counterpart, then the others. */
export function measuresOfRun(trial: Trial): readonly string[] {
  const measured = summariseMeasures([trial]).filter(({ name }) => !ELSEWHERE.has(name));
  const together = counterpartRows(measured);
  const told = new Set(together.flatMap(({ effort, counterpart }) => [effort.name, counterpart?.name]));
  const rows = together.map(({ effort, counterpart }) => besides(effort, counterpart, showMeasure));
  return [...rows, ...measured.filter(({ name }) => !told.has(name)).map(showMeasure)];
}

/** What a run is shown with anyway, and what is 1 for any single pass. */
const ELSEWHERE: ReadonlySet<string> = new Set(["duration_ms", "cost_usd", "tokens", "steps_over_shortest"]);

/** The effort measures of a group, each beside its counterpart; an effort that nobody counted has no row. */
export function counterpartRows(summaries: readonly MeasureSummary[]): readonly CounterpartRow[] {
  const named = (name: string): MeasureSummary | undefined => summaries.find((one) => one.name === name);
  return COUNTERPARTS.flatMap(({ effort: name, counterpart: other }) => {
    const effort = named(name);
    if (effort === undefined) return [];
    const counterpart = named(other);
    const words = besides(effort, counterpart, sayMeasure);
    return [{ effort, ...(counterpart === undefined ? {} : { counterpart }), words }];
  });
}

function besides(
  effort: MeasureSummary,
  counterpart: MeasureSummary | undefined,
  say: (summary: MeasureSummary) => string,
): string {
  const other = COUNTERPARTS.find(({ effort: name }) => name === effort.name)?.counterpart;
  const lost = MEASURES.find(({ name }) => name === other)?.words ?? "";
  return `${say(effort)}; ${counterpart === undefined ? `${lost}: not counted` : say(counterpart)}`;
}

/** `actions of the agent 12`: a measure of one run, or the median of several. */
export function showMeasure({ words, unit, median: middle }: Omit<MeasureSummary, "said">): string {
  return `${words} ${showAmount(middle, unit)}`;
}

/** `actions of the agent 12 (median of 5 runs)`, with the interval where there is one. */
export function sayMeasure(summary: Omit<MeasureSummary, "said">): string {
  const { unit, interval, counted } = summary;
  const shown = (value: number): string => showAmount(value, unit);
  const runs = counted === 1 ? "1 run" : `median of ${counted} runs`;
  const range = interval === undefined ? "" : `, 95% interval ${shown(interval.low)} to ${shown(interval.high)}`;
  return `${showMeasure(summary)} (${runs}${range})`;
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

function figureIn(trial: Trial, name: string, { shortest, scenario }: Around): number | undefined {
  const { manifest, results } = trial;
  const { measures } = manifest;
  if (name === "steps_over_shortest") {
    const steps = measures?.["steps"];
    return steps === undefined || !shortest ? undefined : steps / shortest;
  }
  const amount = AMOUNTS.get(name);
  if (amount === undefined) return measures?.[name];
  return exactAmountOf(
    trial,
    amount,
    results.filter((result) => scenario === undefined || result.scenario === scenario),
  );
}

const AMOUNTS: ReadonlyMap<string, AmountKind> = new Map([
  ["duration_ms", "duration"],
  ["cost_usd", "cost"],
  ["tokens", "tokens"],
]);
