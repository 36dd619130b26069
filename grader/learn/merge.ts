import { dominatorsOf, immediateDominators, reversePostorder } from "./dominators.ts";
import type { Pta } from "./pta.ts";

/** Repetitions of one step beyond this share a state. */
const MOST_REPEATS = 20;

/** A state of the merged graph. */
export interface GraphState {
  /** Index of the step that leads into it; -1 for the start and the end. */
  readonly step: number;
  /** The how-manieth time in its run, from 1. */
  readonly time: number;
  /** Runs that pass it. */
  readonly runs: number;
  /** Every path to the end passes it. */
  readonly essential: boolean;
  /** Paths that had parted meet here. */
  readonly convergent: boolean;
}

/** What the runs have in common, with one end that all runs are joined to. States are numbered in a fixed order. */
export interface Graph {
  readonly states: readonly GraphState[];
  readonly edges: readonly { readonly from: number; readonly to: number; readonly runs: number }[];
  readonly start: number;
  readonly end: number;
  /** Some path comes back to where it was. */
  readonly isLoopy: boolean;
  /** How many states each tier of equivalence left. */
  readonly tiers: { readonly tree: number; readonly normalised: number };
}

interface Merging {
  readonly keys: Map<string, number>;
  readonly list: { step: number; time: number; runs: Set<number> }[];
  readonly edges: Map<string, { from: number; to: number; runs: Set<number> }>;
}

/**
 * Merges the tree's states by tiers. The tree itself shares what is equal from the start (exact); states that come by
 * the same step for the same time in their run are one (normalised: values that differ among runs are gone by then).
 * States that do not agree in that stay apart.
 */
export function mergeStates(
  tree: Pta,
  stepOf: (symbol: number) => number,
  runs: readonly (readonly number[])[],
): Graph {
  const merging: Merging = { keys: new Map(), list: [], edges: new Map() };
  const start = stateFor(merging, -1, 0);
  for (const [run, symbols] of runs.entries()) {
    const times = new Map<number, number>();
    let from = start;
    merging.list[start]?.runs.add(run);
    for (const symbol of symbols) {
      const step = stepOf(symbol);
      const time = Math.min(MOST_REPEATS, (times.get(step) ?? 0) + 1);
      times.set(step, time);
      const to = stateFor(merging, step, time);
      merging.list[to]?.runs.add(run);
      if (to !== from) addEdge(merging, from, to, run);
      from = to;
    }
    addEdge(merging, from, stateFor(merging, -1, 1), run);
    merging.list[stateFor(merging, -1, 1)]?.runs.add(run);
  }
  return numbered(merging, tree.symbols.length);
}

function stateFor({ keys, list }: Merging, step: number, time: number): number {
  const key = `${step}.${time}`;
  const known = keys.get(key);
  if (known !== undefined) return known;
  keys.set(key, list.length);
  list.push({ step, time, runs: new Set() });
  return list.length - 1;
}

function addEdge({ edges }: Merging, from: number, to: number, run: number): void {
  const key = `${from}>${to}`;
  let edge = edges.get(key);
  if (edge === undefined) {
    edge = { from, to, runs: new Set() };
    edges.set(key, edge);
  }
  edge.runs.add(run);
}

/** Puts the states in an order that does not depend on that of the runs, and says what each of them is. */
function numbered({ list, edges }: Merging, treeStates: number): Graph {
  const order = list.map((_, index) => index);
  const rank = ({ step, time }: { step: number; time: number }): number =>
    step === -1 ? (time === 0 ? -1 : Infinity) : step;
  order.sort((a, b) => {
    const [one, other] = [list[a], list[b]];
    if (one === undefined || other === undefined) return 0;
    const [x, y] = [rank(one), rank(other)];
    return x === y ? one.time - other.time : x - y;
  });
  const place = new Map(order.map((old, index) => [old, index]));
  const moved = [...edges.values()]
    .map(({ from, to, runs }) => ({ from: place.get(from) ?? 0, to: place.get(to) ?? 0, runs: runs.size }))
    .sort((a, b) => a.from - b.from || a.to - b.to);
  const end = order.length - 1;
  const successors = order.map((): number[] => []);
  const entries = order.map(() => 0);
  for (const { from, to } of moved) {
    successors[from]?.push(to);
    entries[to] = (entries[to] ?? 0) + 1;
  }
  const essential = new Set(dominatorsOf(end, immediateDominators(successors, 0)));
  const states = order.map((old, index): GraphState => {
    const { step = -1, time = 0, runs } = list[old] ?? {};
    return {
      step,
      time,
      runs: runs?.size ?? 0,
      essential: essential.has(index),
      convergent: (entries[index] ?? 0) > 1,
    };
  });
  return {
    states,
    edges: moved,
    start: 0,
    end,
    isLoopy: hasLoop(successors),
    tiers: { tree: treeStates, normalised: states.length },
  };
}

/** A graph has a loop exactly when some edge does not go forward in reverse postorder. */
function hasLoop(successors: readonly (readonly number[])[]): boolean {
  const order = reversePostorder(successors, 0);
  const rank = new Map(order.map((node, index) => [node, index]));
  return order.some((node) => (successors[node] ?? []).some((to) => (rank.get(to) ?? 0) <= (rank.get(node) ?? 0)));
}
