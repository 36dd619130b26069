import { cohenKappa } from "../statistics/agreement.ts";
import { averageOverTasks } from "../statistics/clustered.ts";
import type { Counts } from "../statistics/counts.ts";
import { newcombe } from "../statistics/difference.ts";
import { jensenShannonDistance } from "../statistics/distances.ts";
import { type Attempt, attemptsOf, isDecided, type SessionModes } from "./compare-attempt.ts";
import { compareTexts } from "./compare-flips.ts";
import { countsOf } from "./compare-pass.ts";
import { commonMarkers, commonScenarios } from "./compare-same.ts";
import type { EventNames } from "./fidelity-events.ts";
import {
  type Fidelity,
  type Likeness,
  type Majority,
  type Sequences,
  sayFidelity,
  type TaskFidelity,
  type VariantFidelity,
} from "./fidelity-report.ts";
import { mean, meanSimilarity, selfSimilarity } from "./fidelity-sequence.ts";
import type { Trial } from "./trial.ts";

export type { Fidelity } from "./fidelity-report.ts";

export interface FidelityOptions {
  readonly names?: readonly [string, string];
  readonly scenario?: string;
  /** Event names by run id; without them only markers are compared. */
  readonly events?: ReadonlyMap<string, EventNames>;
  readonly sessions?: SessionModes;
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
  return { scenario, markers_sha256: hash, ...measured, words: sayFidelity(measured, names) };
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
