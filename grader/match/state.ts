import type { Occurrence } from "./occurrence.ts";
import { type BlockPlan, canSkip, type LeafPlan, type NodePlan } from "./plan.ts";

/** One event a match uses. Lists of them share their tails, so that branching costs nothing. */
export interface Uses {
  readonly before: Uses | undefined;
  readonly leaf: LeafPlan;
  readonly event: Occurrence;
}

/** An event a repetition has absorbed: it may become part of the match when the repetition completes. */
export interface Absorbed {
  readonly event: Occurrence;
  /** Its value at the `distinct` paths. */
  readonly key: string;
}

/** Waiting for a marker, possibly with some of its repetitions seen. */
export interface LeafState {
  readonly kind: "leaf";
  readonly plan: LeafPlan;
  readonly entry: Entry;
  /** The event that has to be the first repetition, because it had to come immediately. */
  readonly pinned: Absorbed | undefined;
  readonly absorbed: readonly Absorbed[];
  /** The value all repetitions share, once one is seen. */
  readonly same: string | undefined;
}

/** Inside a block: where each of its lists stands. */
export interface BlockState {
  readonly kind: "block";
  readonly plan: BlockPlan;
  readonly entry: Entry;
  /** The first event used in the block; undefined while none is used. */
  readonly start: Occurrence | undefined;
  /** Rounds of a repeated block that are complete. */
  readonly rounds: number;
  readonly chains: readonly ChainState[];
  /** Events of the complete rounds. */
  readonly uses: Uses | undefined;
  readonly same: string | undefined;
  /** Values of the complete rounds at the `distinct` paths. */
  readonly values: readonly string[];
}

export type NodeState = LeafState | BlockState;

/** One list inside a block: the node it is at, or none when it is through. */
export interface ChainState {
  readonly list: readonly NodePlan[];
  readonly position: number;
  readonly node: NodeState | undefined;
  readonly uses: Uses | undefined;
}

/** Where a node was entered: the last event used before it. */
export interface Entry {
  /** Position of that event in the session, -1 when there is none. */
  readonly index: number;
  /** Its time; the start of the session when there is none. */
  readonly at: number;
}

/** All states in which a list can stand at `position`: there, or further on past nodes that may be skipped. */
export function enterList(
  list: readonly NodePlan[],
  position: number,
  entry: Entry,
  uses: Uses | undefined,
): ChainState[] {
  const states: ChainState[] = [];
  for (let at = position; ; at++) {
    const plan = list[at];
    if (plan === undefined) return [...states, { list, position: at, node: undefined, uses }];
    for (const node of enterNode(plan, entry)) states.push({ list, position: at, node, uses });
    if (!canSkip(plan)) return states;
  }
}

function enterNode(plan: NodePlan, entry: Entry): NodeState[] {
  if (plan.kind === "leaf") {
    return [{ kind: "leaf", plan, entry, pinned: undefined, absorbed: [], same: undefined }];
  }
  const fresh: BlockState = {
    kind: "block",
    plan,
    entry,
    start: undefined,
    rounds: 0,
    chains: [],
    uses: undefined,
    same: undefined,
    values: [],
  };
  return enterRound(fresh, entry);
}

/** The states in which the next round of a block can begin; a round without any event is left to `canSkip`. */
export function enterRound(block: BlockState, entry: Entry): BlockState[] {
  const lists = block.plan.lists.map((list) => enterList(list, 0, entry, undefined));
  const starts = block.plan.mode === "any_order" ? product(lists) : lists.flat().map((chain) => [chain]);
  return starts
    .filter((chains) => chains.some(({ node }) => node !== undefined))
    .map((chains) => ({ ...block, chains }));
}

function product(lists: readonly (readonly ChainState[])[]): ChainState[][] {
  return lists.reduce<ChainState[][]>(
    (made, list) => made.flatMap((chains) => list.map((chain) => [...chains, chain])),
    [[]],
  );
}

/** `tail` behind `uses`. */
export function append(uses: Uses | undefined, tail: Uses | undefined): Uses | undefined {
  if (uses === undefined) return tail;
  let grown: Uses | undefined = uses;
  for (const use of listUses(tail)) grown = { before: grown, leaf: use.leaf, event: use.event };
  return grown;
}

/** The uses from first to last. */
export function listUses(uses: Uses | undefined): Uses[] {
  const list: Uses[] = [];
  for (let use = uses; use !== undefined; use = use.before) list.push(use);
  return list.reverse();
}

/** Events used so far, in the order of the markers; the chains of an open block one after the other. */
export function usesOf(state: NodeState): Uses[] {
  if (state.kind === "leaf") return [];
  return [
    ...listUses(state.uses),
    ...state.chains.flatMap((chain) => [
      ...listUses(chain.uses),
      ...(chain.node === undefined ? [] : usesOf(chain.node)),
    ]),
  ];
}
