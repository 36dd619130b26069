import type { Graph } from "./merge.ts";
import type { Step } from "./steps.ts";

/** One place in the ordered list of markers: a step (`count` times), or steps that come in any order. */
export type Piece =
  | { readonly kind: "step"; readonly step: number; readonly count: number }
  | { readonly kind: "block"; readonly steps: readonly number[] };

/** The order of what every run has. */
export interface Order {
  readonly pieces: readonly Piece[];
  /** In every run, but in no order that the list could say. */
  readonly unordered: readonly number[];
  readonly by: "dominators" | "subsequence";
}

/** A block of more steps than this, or one with repetitions, says too little for what it costs. */
const MOST_IN_BLOCK = 6;

/**
 * Puts the steps `wanted` in order. Steps that stand in one order in every run follow each other; those that change
 * places are a block in any order. Where the graph has loops and repetitions mix, the order is the longest common
 * subsequence of the runs, and what is not in it has no order.
 */
export function orderSteps(steps: readonly Step[], wanted: readonly number[], graph: Graph): Order {
  const groups = interchangeable(steps, wanted);
  const isTangled = (group: readonly number[]): boolean =>
    group.length > 1 && (group.length > MOST_IN_BLOCK || group.some((step) => (steps[step]?.count ?? 1) > 1));
  if (groups.some(isTangled)) return graph.isLoopy ? bySubsequence(steps, wanted) : untangled(groups, isTangled, steps);
  return { pieces: groups.map((group) => pieceOf(group, steps)), unordered: [], by: "dominators" };
}

function untangled(
  groups: readonly (readonly number[])[],
  isTangled: (group: readonly number[]) => boolean,
  steps: readonly Step[],
): Order {
  const unordered = groups.filter(isTangled).flat();
  const pieces = groups.filter((group) => !isTangled(group)).map((group) => pieceOf(group, steps));
  return { pieces, unordered, by: "dominators" };
}

function pieceOf(group: readonly number[], steps: readonly Step[]): Piece {
  const [only] = group;
  if (group.length === 1 && only !== undefined) return { kind: "step", step: only, count: steps[only]?.count ?? 1 };
  return { kind: "block", steps: group };
}

/** True when `a` is over before `b` begins, in every run that has both. */
export function precedes(a: Step, b: Step): boolean {
  return a.places.every((own, run) => (own.at(-1) ?? -Infinity) < (b.places[run]?.[0] ?? Infinity));
}

/**
 * Steps that have no place among the others: each stands now before, now after two or more steps of the spine, which is
 * the heaviest chain of steps that keep one order in every run (a deed weighs more than anything an app tells of itself).
 * An app event of that kind (a scroll, a teammate's presence) is there by chance, however many runs have it, and so are
 * the others of its name: what beats time beside the work stands in one order with it only as long as the work is slow.
 */
export function wanderers(
  steps: readonly Step[],
  wanted: readonly number[],
  isDeed: (step: number) => boolean,
): readonly number[] {
  const spine = new Set(heaviestChain(steps, wanted, (step) => (isDeed(step) ? wanted.length + 1 : 1)));
  const areOrdered = (a: number, b: number): boolean => isBefore(steps[a], steps[b]) || isBefore(steps[b], steps[a]);
  const astray = wanted.filter((step) => {
    if (spine.has(step)) return false;
    return [...spine].filter((other) => !areOrdered(step, other)).length > 1;
  });
  const names = new Set(astray.map((step) => steps[step]?.name));
  return wanted.filter((step) => astray.includes(step) || (!isDeed(step) && names.has(steps[step]?.name)));
}

/** Groups of steps that change places with one another, each group before the next one. */
function interchangeable(steps: readonly Step[], wanted: readonly number[]): readonly (readonly number[])[] {
  const goesBefore = (a: number, b: number): boolean => isBefore(steps[a], steps[b]);
  const left = new Set(wanted);
  const groups: number[][] = [];
  for (const seed of wanted) {
    if (!left.delete(seed)) continue;
    const group = [seed];
    for (const member of group) {
      for (const other of [...left]) {
        if (goesBefore(member, other) || goesBefore(other, member)) continue;
        left.delete(other);
        group.push(other);
      }
    }
    groups.push(group.sort((a, b) => a - b));
  }
  return groups.sort(([a = 0], [b = 0]) => (goesBefore(a, b) ? -1 : 1));
}

/**
 * The longest common subsequence of the runs, all repetitions of a step taken as one: the longest chain of steps of which
 * each is over before the next begins, in every run; among several the one that comes first in the order of the steps.
 */
function bySubsequence(steps: readonly Step[], wanted: readonly number[]): Order {
  const chain = heaviestChain(steps, wanted, () => 1);
  const pieces = chain.map((step) => ({ kind: "step", step, count: steps[step]?.count ?? 1 }) as const);
  return { pieces, unordered: wanted.filter((step) => !chain.includes(step)), by: "subsequence" };
}

interface Chain {
  readonly steps: readonly number[];
  readonly weight: number;
}

const NO_CHAIN: Chain = { steps: [], weight: 0 };

/** The chain of greatest weight, each of its steps over before the next begins, in every run. */
function heaviestChain(
  steps: readonly Step[],
  wanted: readonly number[],
  weightOf: (step: number) => number,
): readonly number[] {
  const best = new Map<number, Chain>();
  const heaviest = (chains: readonly Chain[]): Chain =>
    chains.reduce((one, other) => (other.weight > one.weight ? other : one), NO_CHAIN);
  const from = (index: number): Chain => {
    const known = best.get(index);
    if (known !== undefined) return known;
    const tail = heaviest(wanted.filter((next) => isBefore(steps[index], steps[next])).map(from));
    const chain = { steps: [index, ...tail.steps], weight: weightOf(index) + tail.weight };
    best.set(index, chain);
    return chain;
  };
  return heaviest(wanted.map(from)).steps;
}

function isBefore(a: Step | undefined, b: Step | undefined): boolean {
  return a !== undefined && b !== undefined && precedes(a, b);
}
