import type { ModelCall } from "./spending-calls.ts";
import { haveEqualTokens, modelsAgree } from "./spending-same.ts";
import type { LoggedStep } from "./steps-file.ts";

/** A step of the log with the captured calls that were made in it, or a captured call that no step tells of. */
export interface Outlay {
  readonly step?: LoggedStep;
  readonly calls: readonly ModelCall[];
}

/** How far a step without duration, or one that holds no call, may lie from the call it tells of. */
const NEAR_MS = 2000;
const SLACK_MS = 1000;

/**
 * Puts captured calls to the logged steps they were made in, so that nothing is counted twice. In this order, each call to
 * one step: a step with a start and a duration takes the calls that began in it (of several such steps the one that
 * carries a cost, then the one with equal token counts, then the shortest), or, when it holds none, the nearest one
 * within a second; a step with a start only takes the nearest call within two seconds; a step without any time takes the
 * first call with its token counts, else the first whose name or model is the step's name. A step that names a model
 * never takes a call of another one. Calls left over stand alone.
 */
export function joinSteps(steps: readonly LoggedStep[], calls: readonly ModelCall[]): readonly Outlay[] {
  const own = withoutRepeats(steps);
  const taken = new Map<ModelCall, LoggedStep>();
  const free = (): readonly ModelCall[] => calls.filter((call) => !taken.has(call));
  const held = new Set<LoggedStep>();
  const give = (call: ModelCall | undefined, step: LoggedStep | undefined): void => {
    if (call === undefined || step === undefined) return;
    taken.set(call, step);
    held.add(step);
  };
  for (const call of calls) give(call, bestAround(call, own));
  for (const step of own) if (!held.has(step) && hasTimes(step)) give(nearest(step, free(), SLACK_MS), step);
  for (const step of own) if (isMoment(step)) give(nearest(step, free(), NEAR_MS), step);
  for (const step of own) if (step.startedMs === undefined) give(sameByFigures(step, free()), step);
  return [
    ...own.map((step) => ({ step, calls: calls.filter((call) => taken.get(call) === step) })),
    ...free().map((call) => ({ calls: [call] })),
  ];
}

/** A step that was both logged and posted, or posted twice, stands there with the same name, start and figures. */
function withoutRepeats(steps: readonly LoggedStep[]): readonly LoggedStep[] {
  const seen = new Set<string>();
  return steps.filter((step) => {
    if (step.startedMs === undefined) return true;
    const { kind: _, ...figures } = step;
    const key = JSON.stringify(Object.entries(figures).sort(([a], [b]) => (a < b ? -1 : 1)));
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function hasTimes(step: LoggedStep): step is LoggedStep & { startedMs: number; durationMs: number } {
  return step.startedMs !== undefined && step.durationMs !== undefined;
}

function isMoment({ startedMs, durationMs }: LoggedStep): boolean {
  return startedMs !== undefined && durationMs === undefined;
}

function bestAround(call: ModelCall, steps: readonly LoggedStep[]): LoggedStep | undefined {
  const { startedMs } = call;
  if (startedMs === undefined) return undefined;
  const around = steps
    .filter(hasTimes)
    .filter((step) => startedMs >= step.startedMs && startedMs <= step.startedMs + step.durationMs)
    .filter((step) => mayHold(step, call));
  return around.reduce<LoggedStep | undefined>(
    (best, step) => (best === undefined || isBetter(step, best, call) ? step : best),
    undefined,
  );
}

function isBetter(step: LoggedStep, best: LoggedStep, call: ModelCall): boolean {
  const rank = (one: LoggedStep): readonly number[] => [
    one.costUsd === undefined ? 1 : 0,
    haveEqualTokens(tokensOf(one), call.tokens) ? 0 : 1,
    one.durationMs ?? 0,
  ];
  const [mine, other] = [rank(step), rank(best)];
  const at = mine.findIndex((value, index) => value !== other[index]);
  return at !== -1 && (mine[at] ?? 0) < (other[at] ?? 0);
}

function mayHold({ model }: LoggedStep, call: ModelCall): boolean {
  return model === undefined || modelsAgree([model], call.models);
}

function nearest(step: LoggedStep, calls: readonly ModelCall[], withinMs: number): ModelCall | undefined {
  const { startedMs = 0, durationMs = 0 } = step;
  const distance = ({ startedMs: at = Number.NaN }: ModelCall): number =>
    Math.max(startedMs - at, at - (startedMs + durationMs), 0);
  const near = calls.filter((call) => mayHold(step, call) && distance(call) <= withinMs);
  const equal = near.filter((call) => haveEqualTokens(tokensOf(step), call.tokens));
  const [best] = [...(equal.length > 0 ? equal : near)].sort((a, b) => distance(a) - distance(b));
  return best;
}

function sameByFigures(step: LoggedStep, calls: readonly ModelCall[]): ModelCall | undefined {
  const possible = calls.filter((call) => mayHold(step, call));
  return (
    possible.find((call) => haveEqualTokens(tokensOf(step), call.tokens)) ??
    possible.find(({ name, models }) => name === step.name || models.includes(step.name))
  );
}

function tokensOf({ tokensIn, tokensOut }: LoggedStep): { input?: number; output?: number } {
  return {
    ...(tokensIn === undefined ? {} : { input: tokensIn }),
    ...(tokensOut === undefined ? {} : { output: tokensOut }),
  };
}
