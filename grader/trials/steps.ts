import type { MarkerResult, ScenarioResult } from "../verdict.ts";
import type { Cost } from "./spending-cost.ts";
import { roundUsd, sumOf } from "./spending-numbers.ts";
import type { TrialStep } from "./trial.ts";

interface Boundary {
  readonly name: string;
  readonly record: number;
  readonly atMs: number | undefined;
}

/**
 * The stretches of a run up to each marker that was found, in the order in which they were, with the cost and tokens of
 * what ended in each; then `after LAST` when something ended behind the last one. What ended at the very time of a marker
 * belongs to the stretch up to it. Where only the capture tells of a call, its line decides: an exchange stands in the log
 * where it ended. What has neither a time nor a line is in no stretch. Durations are milliseconds between markers, the
 * first from `startedAt`; absent where the clocks of app and launch run against each other.
 */
export function markerSteps(
  result: Pick<ScenarioResult, "markers" | "log" | "started_at">,
  costs: readonly Cost[],
  startedAt?: string,
): readonly TrialStep[] {
  const boundaries = boundariesOf(result.markers);
  const parts: Cost[][] = boundaries.map(() => []);
  const after: Cost[] = [];
  for (const cost of costs) {
    const at = stretchOf(cost, boundaries);
    if (at !== undefined) (parts[at] ?? after).push(cost);
  }
  const start = msOf(startedAt) ?? msOf(result.started_at);
  const steps = boundaries.map((boundary, index) => {
    const from = index === 0 ? start : boundaries[index - 1]?.atMs;
    return {
      name: boundary.name,
      kind: "marker" as const,
      ...timesOf(from, boundary.atMs),
      ...sumsOf(parts[index] ?? []),
    };
  });
  if (after.length === 0) return steps;
  const last = boundaries.at(-1);
  const name = last === undefined ? "before any marker" : `after ${last.name}`;
  return [...steps, { name, kind: "marker", ...timesOf(last?.atMs ?? start, undefined), ...sumsOf(after) }];
}

function boundariesOf(markers: readonly MarkerResult[]): readonly Boundary[] {
  return markers
    .flatMap(({ name, status, record, at }) =>
      status === "found" && record !== undefined ? [{ name, record, atMs: msOf(at) }] : [],
    )
    .sort((a, b) => a.record - b.record);
}

/** Which stretch an outlay ended in; the number of stretches for behind the last; undefined when that cannot be told. */
function stretchOf({ endedMs, place }: Cost, boundaries: readonly Boundary[]): number | undefined {
  if (endedMs === undefined && place === undefined) return undefined;
  const at = boundaries.findIndex((boundary) => {
    if (endedMs !== undefined && boundary.atMs !== undefined) return endedMs <= boundary.atMs;
    return place !== undefined && place.record <= boundary.record;
  });
  return at === -1 ? boundaries.length : at;
}

function sumsOf(costs: readonly Cost[]): Partial<TrialStep> {
  const sum = (key: "cost_usd" | "tokens_in" | "tokens_out" | "tokens"): number | undefined =>
    sumOf(costs.map(({ shown }) => shown[key]));
  const usd = sum("cost_usd");
  return Object.fromEntries(
    Object.entries({
      cost_usd: usd === undefined ? undefined : roundUsd(usd),
      tokens_in: sum("tokens_in"),
      tokens_out: sum("tokens_out"),
      tokens: sum("tokens"),
    }).filter(([, value]) => value !== undefined),
  );
}

function timesOf(fromMs: number | undefined, toMs: number | undefined): Partial<TrialStep> {
  const duration = fromMs === undefined || toMs === undefined ? Number.NaN : toMs - fromMs;
  return {
    ...(fromMs === undefined ? {} : { started_at: new Date(fromMs).toISOString() }),
    ...(duration >= 0 ? { duration_ms: duration } : {}),
  };
}

function msOf(time: string | undefined): number | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
