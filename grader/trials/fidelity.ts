import { cohenKappa } from "../statistics/agreement.ts";
import { averageOverTasks } from "../statistics/clustered.ts";
import type { Counts } from "../statistics/counts.ts";
import { newcombe } from "../statistics/difference.ts";
import { jensenShannonDistance } from "../statistics/distances.ts";
import { points, share, signedPoints } from "../statistics/numbers.ts";
import { type Attempt, attemptsOf, isDecided, type SessionModes } from "./compare-attempt.ts";
import { compareTexts } from "./compare-flips.ts";
import { countsOf } from "./compare-pass.ts";
import { commonMarkers, commonScenarios } from "./compare-same.ts";
import type { EventNames } from "./fidelity-events.ts";
import { mean, meanSimilarity, selfSimilarity } from "./fidelity-sequence.ts";
import type { Trial } from "./trial.ts";

export interface FidelityOptions {
  readonly names?: readonly [string, string];
  readonly scenario?: string;
  /** Event names by run id; without them only markers are compared. */
  readonly events?: ReadonlyMap<string, EventNames>;
  readonly sessions?: SessionModes;
}

/** How well group B (simulated runs, say) stands for group A (live ones) on one scenario. */
export interface Fidelity {
  readonly scenario: string;
  readonly markers_sha256: string;
  /** Mean over tasks of the chance that a run of A and a run of B have the same verdict. */
  readonly agreement: Likeness | null;
  /** The same of two runs of A: what agreement can be at best, given how much A's runs differ among themselves. */
  readonly self_agreement: number | null;
  readonly majority: Majority;
  /** How alike the orders of found markers are, and of event names where the logs are there. */
  readonly marker_order: Sequences | null;
  readonly event_order: Sequences | null;
  /** Jensen-Shannon distance (0 alike, 1 nothing in common) of how often each event name comes. */
  readonly event_mix: number | null;
  /** Largest difference first. */
  readonly variants: readonly VariantFidelity[];
  readonly tasks: readonly TaskFidelity[];
  readonly words: readonly string[];
}

export interface Likeness {
  readonly estimate: number;
  /** 95 %, clustered by task; null with a single task. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly tasks: number;
}

/** Tasks by the verdict that most of their runs have; those evenly split have none. */
export interface Majority {
  readonly same: number;
  readonly different: number;
  readonly split: number;
  /** Cohen's kappa of the two sides' majorities; null where it does not exist. */
  readonly kappa: number | null;
}

/** Mean over tasks of the mean over pairs of runs of 1 minus the edit distance over the longer length. */
export interface Sequences extends Likeness {
  /** The same between runs of A: what similarity can be at best. */
  readonly self: number | null;
  /** Runs whose sequence was too long to be compared whole. */
  readonly cut: number;
}

export interface VariantFidelity {
  readonly variant: string;
  readonly a: Counts;
  readonly b: Counts;
  /** Rate of A minus rate of B with Newcombe's interval. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** The task on which the rates lie furthest apart; absent without tasks. */
  readonly worst_task?: string;
}

export interface TaskFidelity {
  readonly variant: string;
  readonly task: string;
  readonly a: Counts;
  readonly b: Counts;
  readonly agreement: number;
  readonly marker_order: number | null;
  readonly event_order: number | null;
}

/**
 * Fidelity of two groups of runs on each scenario that graded both. Runs are matched by variant and task, by task alone
 * when the groups share no variant. Throws as `compareGroups` does.
 */
export function fidelityOf(
  a: readonly Trial[],
  b: readonly Trial[],
  options: FidelityOptions = {},
): readonly Fidelity[] {
  const { scenarios } = commonScenarios(a, b, options.scenario);
  return scenarios.map((scenario) => fidelityOn(scenario, [a, b], options));
}

/** The graded runs of one variant on one task, of both sides. */
interface Cell {
  readonly variant: string;
  readonly task: string;
  readonly a: readonly Attempt[];
  readonly b: readonly Attempt[];
}

function fidelityOn(
  scenario: string,
  [a, b]: readonly [readonly Trial[], readonly Trial[]],
  { events = new Map(), names = ["A", "B"], sessions }: FidelityOptions,
): Fidelity {
  const [ofA, ofB] = [attemptsOf(a, scenario, sessions), attemptsOf(b, scenario, sessions)];
  const hash = commonMarkers(scenario, ofA, ofB);
  const cells = cellsOf(ofA.filter(isDecided), ofB.filter(isDecided));
  const eventsOf = ({ trial }: Attempt): readonly string[] | undefined => events.get(trial.manifest.id)?.names;
  const measured = {
    agreement: likeness(cells.map((cell) => agreement(cell))),
    self_agreement: mean(cells.flatMap(({ a: own }) => selfAgreement(countsOf(own)) ?? [])) ?? null,
    majority: majorityOf(cells),
    marker_order: sequences(cells, markersOf, 0),
    event_order: sequences(cells, eventsOf, [...events.values()].filter(({ isCut }) => isCut).length),
    event_mix: mixDistance(cells, eventsOf),
    variants: variantsOf(cells),
    tasks: cells.map((cell) => taskOf(cell, eventsOf)),
  };
  return { scenario, markers_sha256: hash, ...measured, words: say(measured, names) };
}

function cellsOf(a: readonly Attempt[], b: readonly Attempt[]): readonly Cell[] {
  const variantsOfB = new Set(b.map(variantOf));
  const byVariant = a.some((attempt) => variantsOfB.has(variantOf(attempt)));
  const keyOf = (attempt: Attempt): string =>
    JSON.stringify([byVariant ? variantOf(attempt) : "", attempt.trial.manifest.task ?? ""]);
  const keys = [...new Set(a.map(keyOf))].sort(compareTexts);
  return keys.flatMap((key) => {
    const [variant = "", task = ""] = JSON.parse(key) as readonly string[];
    const cell = { a: a.filter((one) => keyOf(one) === key), b: b.filter((one) => keyOf(one) === key) };
    return cell.b.length === 0 ? [] : [{ variant, task, ...cell }];
  });
}

function variantOf({ trial }: Attempt): string {
  return trial.manifest.variant ?? "";
}

/** The chance that a run of A and a run of B have the same verdict. */
function agreement({ a, b }: Cell): number {
  const [ofA, ofB] = [countsOf(a), countsOf(b)];
  const [rateA, rateB] = [ofA.passed / ofA.runs, ofB.passed / ofB.runs];
  return rateA * rateB + (1 - rateA) * (1 - rateB);
}

/** The share of pairs of different runs with the same verdict; undefined with fewer than two runs. */
function selfAgreement({ passed, runs }: Counts): number | undefined {
  if (runs < 2) return undefined;
  const failed = runs - passed;
  return (passed * (passed - 1) + failed * (failed - 1)) / (runs * (runs - 1));
}

function majorityOf(cells: readonly Cell[]): Majority {
  const votes = cells.map(({ a, b }) => [majority(countsOf(a)), majority(countsOf(b))] as const);
  const count = (first: boolean, second: boolean): number =>
    votes.filter(([ofA, ofB]) => ofA === first && ofB === second).length;
  const table = [
    [count(true, true), count(true, false)],
    [count(false, true), count(false, false)],
  ];
  const same = count(true, true) + count(false, false);
  const different = count(true, false) + count(false, true);
  return { same, different, split: votes.length - same - different, kappa: cohenKappa(table) ?? null };
}

function majority({ passed, runs }: Counts): boolean | undefined {
  return passed * 2 === runs ? undefined : passed * 2 > runs;
}

type NamesOf = (attempt: Attempt) => readonly string[] | undefined;

/** The names of the found markers in the order in which their events came. */
function markersOf({ results }: Attempt): readonly string[] {
  const found = results.flatMap(({ markers }) => markers.filter(({ status }) => status === "found"));
  return found.sort((one, other) => (one.record ?? 0) - (other.record ?? 0)).map(({ name }) => name);
}

function sequences(cells: readonly Cell[], of: NamesOf, cut: number): Sequences | null {
  const found = likeness(cells.flatMap((cell) => order(cell, of) ?? []));
  if (found === null) return null;
  const self = mean(cells.flatMap(({ a }) => selfSimilarity(known(a, of)) ?? []));
  return { ...found, self: self ?? null, cut };
}

function order({ a, b }: Cell, of: NamesOf): number | undefined {
  return meanSimilarity(known(a, of), known(b, of));
}

function known(attempts: readonly Attempt[], of: NamesOf): readonly (readonly string[])[] {
  return attempts.map(of).filter((names) => names !== undefined);
}

function mixDistance(cells: readonly Cell[], of: NamesOf): number | null {
  const [ofA, ofB] = [cells.flatMap(({ a }) => known(a, of).flat()), cells.flatMap(({ b }) => known(b, of).flat())];
  const [inA, inB] = [tallyNames(ofA), tallyNames(ofB)];
  const names = [...new Set([...ofA, ...ofB])];
  const counts = (tally: ReadonlyMap<string, number>): number[] => names.map((name) => tally.get(name) ?? 0);
  return jensenShannonDistance(counts(inA), counts(inB)) ?? null;
}

function tallyNames(names: readonly string[]): ReadonlyMap<string, number> {
  const tally = new Map<string, number>();
  for (const name of names) tally.set(name, (tally.get(name) ?? 0) + 1);
  return tally;
}

function likeness(values: readonly number[]): Likeness | null {
  const average = averageOverTasks(values.map((value) => Math.min(1, Math.max(0, value))));
  if (average === undefined) return null;
  return { estimate: average.estimate, interval: average.interval ?? null, tasks: average.tasks };
}

function taskOf(cell: Cell, eventsOf: NamesOf): TaskFidelity {
  const { variant, task, a, b } = cell;
  return {
    variant,
    task,
    a: countsOf(a),
    b: countsOf(b),
    agreement: agreement(cell),
    marker_order: order(cell, markersOf) ?? null,
    event_order: order(cell, eventsOf) ?? null,
  };
}

function variantsOf(cells: readonly Cell[]): readonly VariantFidelity[] {
  const variants = [...new Set(cells.map(({ variant }) => variant))].map((variant): VariantFidelity => {
    const own = cells.filter((cell) => cell.variant === variant);
    const [a, b] = [countsOf(own.flatMap((cell) => cell.a)), countsOf(own.flatMap((cell) => cell.b))];
    const { estimate = 0, low, high } = newcombe(a, b);
    const [worst] = [...own].sort((one, other) => gap(other) - gap(one));
    return {
      variant,
      a,
      b,
      difference: estimate,
      low,
      high,
      ...(worst === undefined || worst.task === "" ? {} : { worst_task: worst.task }),
    };
  });
  return variants.sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference));
}

function gap({ a, b }: Cell): number {
  const [ofA, ofB] = [countsOf(a), countsOf(b)];
  return Math.abs(ofA.passed / ofA.runs - ofB.passed / ofB.runs);
}

type Measured = Omit<Fidelity, "scenario" | "markers_sha256" | "words">;

function say(measured: Measured, [nameA, nameB]: readonly [string, string]): readonly string[] {
  const {
    agreement: agreed,
    self_agreement: self,
    majority: votes,
    marker_order: markers,
    event_order: events,
  } = measured;
  if (agreed === null) return [`${nameA} and ${nameB} share no task with graded runs on both sides`];
  const best = (value: number | null): string => (value === null ? "" : `, two of ${nameA} with ${share(value)}`);
  const said = [
    `a run of ${nameA} and one of ${nameB} have the same verdict with ${share(agreed.estimate)}${best(self)}`,
    `most runs agree on ${votes.same} of ${votes.same + votes.different + votes.split} tasks${votes.kappa === null ? "" : `, kappa ${votes.kappa.toFixed(2)}`}`,
  ];
  const like = (what: string, { estimate, self: own, cut }: Sequences): string =>
    `${what} are alike by ${share(estimate)}${own === null ? "" : `, within ${nameA} by ${share(own)}`}${cut === 0 ? "" : `; of ${cut} runs only the beginning was compared`}`;
  if (markers !== null) said.push(like("orders of markers", markers));
  if (events !== null) said.push(like("orders of events", events));
  const [worst] = measured.variants;
  if (worst !== undefined) said.push(sayWorst(worst));
  return said;
}

function sayWorst({ variant, difference, low, high, worst_task: task }: VariantFidelity): string {
  const of = variant === "" ? "the pass rates differ" : `largest difference: ${variant},`;
  const where = task === undefined ? "" : `, most on ${task}`;
  return `${of} by ${signedPoints(difference)} ${points(difference)} (95% interval ${signedPoints(low)} to ${signedPoints(high)})${where}`;
}
