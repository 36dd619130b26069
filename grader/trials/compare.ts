import type { SessionModes } from "./compare-attempt.ts";
import { attemptsOf } from "./compare-attempt.ts";
import { type Flip, flipsBetween } from "./compare-flips.ts";
import { comparePassRates, type PassComparison } from "./compare-pass.ts";
import { commonMarkers, commonScenarios } from "./compare-same.ts";
import {
  compareMarkerGaps,
  compareShifts,
  type MarkerGap,
  type MinEffects,
  type ShiftComparison,
} from "./compare-shift.ts";
import { type ComparedSide, sideOf } from "./compare-side.ts";
import { sayMarkers, sayPass, sayShifts, sayStalls } from "./compare-words.ts";
import type { Trial } from "./trial.ts";

export interface CompareOptions {
  /** What the sides are called in words; `A` and `B` unless given. */
  readonly names?: readonly [string, string];
  /** Only this scenario, of those that graded both sides. */
  readonly scenario?: string;
  /** The smallest differences that matter: a share of the pass rate, milliseconds, US dollars, tokens. */
  readonly minEffects?: MinEffects;
  readonly sessions?: SessionModes;
}

/** Two groups of runs on one scenario; differences are A minus B everywhere. */
export interface ScenarioComparison {
  readonly scenario: string;
  readonly markers_sha256: string;
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  readonly pass: PassComparison;
  readonly shifts: readonly ShiftComparison[];
  readonly markers: readonly MarkerGap[];
  readonly flips: readonly Flip[];
  /** Sentences a person can act on. */
  readonly words: readonly string[];
}

export interface GroupComparison {
  readonly names: readonly [string, string];
  readonly comparisons: readonly ScenarioComparison[];
  /** What a reader has to know before trusting the figures. */
  readonly notes: readonly string[];
}

/**
 * Compares two groups of runs, scenario by scenario: pass rates with an exact test, durations, costs, times between
 * markers, funnels, stalls and flips. Pure; swapping the groups mirrors the result. Throws `WM_COMPARE_SCENARIO` when no
 * scenario graded both groups, and `WM_COMPARE_MARKERS` when their markers are not the same.
 */
export function compareGroups(a: readonly Trial[], b: readonly Trial[], options: CompareOptions = {}): GroupComparison {
  const names = options.names ?? ["A", "B"];
  const { scenarios, onlyA, onlyB } = commonScenarios(a, b, options.scenario);
  return {
    names,
    comparisons: scenarios.map((scenario) => compareOn(scenario, [a, b], { ...options, names })),
    notes: [
      ...sayLeftOut(onlyA, names[0]),
      ...sayLeftOut(onlyB, names[1]),
      ...sayShared(a, b),
      ...sayProvenance(a, b, names),
    ],
  };
}

/** Named groups, such as the variants of a batch, each pair once. Throws as `compareGroups` does. */
export function compareVariants(
  groups: readonly { readonly name: string; readonly trials: readonly Trial[] }[],
  options: Omit<CompareOptions, "names"> = {},
): readonly GroupComparison[] {
  return groups.flatMap((one, at) =>
    groups.slice(at + 1).map((other) => {
      return compareGroups(one.trials, other.trials, { ...options, names: [one.name, other.name] });
    }),
  );
}

function compareOn(
  scenario: string,
  [trialsOfA, trialsOfB]: readonly [readonly Trial[], readonly Trial[]],
  { names, minEffects = {}, sessions }: CompareOptions & { readonly names: readonly [string, string] },
): ScenarioComparison {
  const a = attemptsOf(trialsOfA, scenario, sessions);
  const b = attemptsOf(trialsOfB, scenario, sessions);
  const hash = commonMarkers(scenario, a, b);
  const [sideA, sideB] = [sideOf(names[0], a), sideOf(names[1], b)];
  const pass = comparePassRates(a, b, minEffects.pass);
  const shifts = compareShifts(a, b, minEffects);
  const markers = compareMarkerGaps(a, b);
  return {
    scenario,
    markers_sha256: hash,
    a: sideA,
    b: sideB,
    pass,
    shifts,
    markers,
    flips: flipsBetween(a, b),
    words: [
      ...sayPass(pass, [a, b], names),
      ...sayShifts(shifts, names),
      ...sayMarkers(markers, names),
      ...sayStalls([sideA, sideB]),
    ],
  };
}

function sayLeftOut(scenarios: readonly string[], name: string): readonly string[] {
  return scenarios.map((scenario) => `the scenario ${scenario} graded only ${name}, so it is not compared`);
}

/** Simulated and replayed runs prove less than live ones, so a mixed comparison says so. */
function sayProvenance(
  a: readonly Trial[],
  b: readonly Trial[],
  [nameA, nameB]: readonly [string, string],
): readonly string[] {
  const kinds = (trials: readonly Trial[]): string =>
    [...new Set(trials.map(({ manifest }) => manifest.provenance))].sort().join(" and ");
  if (kinds(a) === kinds(b)) return [];
  return [`${nameA} has ${kinds(a)} runs, ${nameB} ${kinds(b)} ones`];
}

/** Runs that stand on both sides make them look more alike than they are. */
function sayShared(a: readonly Trial[], b: readonly Trial[]): readonly string[] {
  const ids = new Set(a.map(({ manifest }) => manifest.id));
  const shared = b.filter(({ manifest }) => ids.has(manifest.id)).length;
  if (shared === 0) return [];
  return [
    `${shared === 1 ? "1 run stands" : `${shared} runs stand`} on both sides; the tests take the sides for independent`,
  ];
}
