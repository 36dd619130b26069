import { WaymarkError } from "../../../proxy/record/fault.ts";
import { compareGroups, type ScenarioComparison } from "../../trials/compare.ts";
import { decisionOn } from "../../trials/compare-document.ts";
import { decidingShift, type Shifted } from "../../trials/compare-shift.ts";
import type { ComparedSide } from "../../trials/compare-side.ts";
import type { Trial } from "../../trials/trial.ts";
import type { PageComparison, PageScenario, PageShift, PageSide } from "./data.ts";

/** The sides worth comparing among these runs: every pair of variants, else the batches one after the other. */
export interface Compared {
  readonly comparisons: readonly PageComparison[];
  /** Why a pair could not be compared. */
  readonly notes: readonly string[];
}

interface Side {
  readonly name: string;
  readonly trials: readonly Trial[];
}

/** Compares the variants among the runs, pair by pair; without variants, each batch with the one before it. */
export function pageComparisons(
  trials: readonly Trial[],
  scenarios: readonly PageScenario[],
  positions: ReadonlyMap<string, number>,
): Compared {
  const done: PageComparison[] = [];
  const notes: string[] = [];
  for (const [a, b] of pairsOf(trials)) {
    try {
      const { comparisons } = compareGroups(a.trials, b.trials, { names: [a.name, b.name] });
      for (const one of comparisons) done.push(pageComparison(one, [a.name, b.name], { scenarios, positions }));
    } catch (cause) {
      if (!(cause instanceof WaymarkError)) throw cause;
      notes.push(`${a.name} and ${b.name} are not compared: ${cause.message}`);
    }
  }
  return { comparisons: done, notes };
}

const MOST_PAIRS = 15;

function pairsOf(trials: readonly Trial[]): readonly (readonly [Side, Side])[] {
  const variants = sidesBy(trials, ({ manifest }) => manifest.variant);
  if (variants.length > 1) {
    return variants.flatMap((a, at) => variants.slice(at + 1).map((b) => [a, b] as const)).slice(0, MOST_PAIRS);
  }
  const batches = sidesBy(trials, ({ manifest }) => manifest.batch);
  return batches
    .slice(1)
    .map((b, at) => [batches[at] ?? b, b] as const)
    .slice(-MOST_PAIRS);
}

function sidesBy(trials: readonly Trial[], nameOf: (trial: Trial) => string | undefined): readonly Side[] {
  const sides = new Map<string, Trial[]>();
  for (const trial of trials) {
    const name = nameOf(trial);
    if (name === undefined) continue;
    const known = sides.get(name);
    if (known === undefined) sides.set(name, [trial]);
    else known.push(trial);
  }
  return [...sides].map(([name, members]) => ({ name, trials: members }));
}

interface Places {
  readonly scenarios: readonly PageScenario[];
  /** Of runs, by their id. */
  readonly positions: ReadonlyMap<string, number>;
}

function pageComparison(one: ScenarioComparison, names: readonly [string, string], places: Places): PageComparison {
  const { scenarios, positions } = places;
  const scenario = scenarios.findIndex(({ name, sha256 }) => name === one.scenario && sha256 === one.markers_sha256);
  const totals = (["duration", "cost", "tokens"] as const).flatMap((metric) => {
    const shift = decidingShift(one.shifts, metric);
    return shift === undefined || (shift.a === null && shift.b === null) ? [] : [shiftOf(metric, shift.unit, shift)];
  });
  const { estimate, low, high } = one.pass.difference;
  return {
    names,
    scenario: Math.max(0, scenario),
    verdict: verdictWords(one, names),
    words: one.words,
    sides: [sideOf(one.a, positions), sideOf(one.b, positions)],
    difference: { estimate, low, high },
    gaps: one.markers.map((gap) => shiftOf(gap.marker, "ms", gap)),
    totals,
    flips: one.flips.flatMap((flip) => {
      const [a, b] = [positions.get(flip.a.run), positions.get(flip.b.run)];
      if (a === undefined || b === undefined) return [];
      const to = flip.direction === "pass_to_fail" ? ("fail" as const) : ("pass" as const);
      return [{ ...(flip.task === undefined ? {} : { task: flip.task }), a, b, to }];
    }),
  };
}

function verdictWords(one: ScenarioComparison, [nameA, nameB]: readonly [string, string]): string {
  switch (decisionOn(one, "pass")) {
    case "a_better":
      return `${nameB} passes less often than ${nameA}`;
    case "b_better":
      return `${nameB} passes more often than ${nameA}`;
    case "equivalent":
      return `${nameA} and ${nameB} pass alike`;
    default:
      return "No evidence either way";
  }
}

function sideOf(side: ComparedSide, positions: ReadonlyMap<string, number>): PageSide {
  const { name, passed, failed, inconclusive, errors, rate, interval, funnel, runs } = side;
  return {
    name,
    passed,
    failed,
    unknown: inconclusive + errors,
    rate,
    interval: interval === null ? null : { low: interval.low, high: interval.high },
    funnel,
    runs: runs.flatMap(({ run }) => positions.get(run) ?? []),
  };
}

function shiftOf(name: string, unit: PageShift["unit"], { a, b, shift }: Shifted): PageShift {
  const { estimate, low, high } = shift ?? { estimate: null, low: null, high: null };
  return { name, unit, a: a?.median ?? null, b: b?.median ?? null, shift: estimate, low, high };
}
