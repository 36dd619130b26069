import type { Blame, TrailEvent } from "./blame.ts";
import { labelOf } from "./labels.ts";
import type { Model } from "./model.ts";
import { twinKey } from "./steps.ts";

/** A step of a good run, and whether the run in question has it. */
export interface PathStep {
  readonly step: number;
  readonly name: string;
  readonly status: "found" | "missing";
  /** Line of the event in the run in question. */
  readonly line?: number;
}

const MOST_STEPS = 2000;

/**
 * The good run with the heaviest common subsequence of steps with this one (the shortest of them, the first of those),
 * and where the two part. What every good run has (`must`) weighs more than anything that only some have. Of very long
 * runs only the first 2,000 steps are compared.
 */
export function nearestPath(
  model: Model,
  trail: readonly TrailEvent[],
  must: ReadonlySet<number>,
): { readonly path: readonly PathStep[]; readonly left: Blame["left"] } {
  const own = trail.filter(({ step }) => step !== -1).slice(0, MOST_STEPS);
  const twinOf = firstTwins(model.steps);
  const symbols = own.map(({ step }) => twinOf(step));
  const heavy = new Set([...must].map(twinOf));
  const weightOf = (step: number): number => (heavy.has(step) ? 2 * MOST_STEPS : 1);
  let best: { run: readonly number[]; matches: ReadonlyMap<number, number>; weight: number } | undefined;
  for (const run of goodRuns(model)) {
    const theirs = run.map(twinOf);
    const matches = matchesOf(theirs, symbols, weightOf);
    const weight = [...matches.keys()].reduce((sum, at) => sum + weightOf(theirs[at] ?? -1), 0);
    const isBetter =
      best === undefined || weight > best.weight || (weight === best.weight && run.length < best.run.length);
    if (isBetter) best = { run, matches, weight };
  }
  if (best === undefined) return { path: [], left: undefined };
  const { run, matches } = best;
  const path = run.map((step, at): PathStep => {
    const match = matches.get(at);
    const line = match === undefined ? undefined : own[match]?.line;
    const name = labelOf(model.steps[step], model.steps);
    return line === undefined ? { step, name, status: "missing" } : { step, name, status: "found", line };
  });
  return { path, left: whereLeft(path, trail) };
}

/** The first of the steps that the log does not tell apart. */
function firstTwins(steps: Model["steps"]): (step: number) => number {
  const first = new Map<string, number>();
  const twins = steps.map((step, index) => {
    const key = twinKey(step);
    if (!first.has(key)) first.set(key, index);
    return first.get(key) ?? index;
  });
  return (step) => twins[step] ?? step;
}

function goodRuns({ steps, corpus }: Model): readonly (readonly number[])[] {
  return corpus.traces.map((_, run) => {
    const spots = steps.flatMap(({ places }, step) => (places[run] ?? []).map((at) => ({ step, at })));
    return spots
      .sort((a, b) => a.at - b.at)
      .slice(0, MOST_STEPS)
      .map(({ step }) => step);
  });
}

/** For each place of `a` in a heaviest common subsequence, its place in `b`. */
function matchesOf(
  a: readonly number[],
  b: readonly number[],
  weightOf: (symbol: number) => number,
): ReadonlyMap<number, number> {
  const width = b.length + 1;
  const lengths = new Int32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    const weight = weightOf(a[i] ?? -1);
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      lengths[at] =
        a[i] === b[j]
          ? (lengths[at + width + 1] ?? 0) + weight
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  }
  const matches = new Map<number, number>();
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) matches.set(i++, j++);
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++;
    else j++;
  }
  return matches;
}

function whereLeft(path: readonly PathStep[], trail: readonly TrailEvent[]): Blame["left"] {
  const at = path.findIndex(({ status }) => status === "missing");
  const expected = path[at];
  if (expected === undefined) return undefined;
  const before = path[at - 1];
  const next = trail.find(({ line }) => line > (before?.line ?? 0));
  return {
    after: before?.name ?? "the start",
    ...(before?.line === undefined ? {} : { line: before.line }),
    expected: expected.name,
    got: next === undefined ? "nothing more" : `${next.item.name} (line ${next.line})`,
  };
}
