import { UNTIMED } from "./occurrence.ts";
import type { BlockState, LeafState, NodeState } from "./state.ts";
import { listUses } from "./state.ts";

/** What decides which of two runs at one position can be dropped. */
export interface Rank {
  /** Runs with different keys have different futures. */
  readonly key: string;
  /** The times later limits look back to; later is better in each. */
  readonly anchors: readonly number[];
  /** Repetitions under way, in the order of the chains. */
  readonly repetitions: readonly LeafState[];
}

/** An anchor that is not set yet: no limit can be broken by it. */
const OPEN = Number.MAX_VALUE;

/** Position, anchors and repetitions of a state (LANGUAGE.md section 8.2, "merge"). */
export function rankOf(state: NodeState, suffix: string): Rank {
  const anchors: number[] = [];
  const repetitions: LeafState[] = [];
  return { key: `${collect(state, anchors, repetitions)}${suffix}`, anchors, repetitions };
}

function collect(state: NodeState, anchors: number[], repetitions: LeafState[]): string {
  const { plan, entry } = state;
  if (plan.withinMs !== undefined) anchors.push(entry.at);
  return state.kind === "leaf" ? collectLeaf(state, anchors, repetitions) : collectBlock(state, anchors, repetitions);
}

function collectLeaf(state: LeafState, anchors: number[], repetitions: LeafState[]): string {
  const { plan, pinned, same } = state;
  if (plan.repeat > 1) {
    repetitions.push(state);
    if (pinned !== undefined && plan.timespanMs !== undefined) anchors.push(pinned.event.at);
  }
  const first = pinned === undefined ? "" : `!${pinned.key.length}:${pinned.key}`;
  return `${plan.id}${first}${same === undefined ? "" : `=${same.length}:${same}`}`;
}

function collectBlock(state: BlockState, anchors: number[], repetitions: LeafState[]): string {
  const { plan, same, values, rounds, start } = state;
  if (plan.timespanMs !== undefined) anchors.push(start === undefined ? OPEN : start.at);
  const chains = state.chains.map(({ node }) => (node === undefined ? "." : collect(node, anchors, repetitions)));
  const used = values.length === 0 ? "" : `{${values.map((value) => `${value.length}:${value}`).join("")}}`;
  const shared = same === undefined ? "" : `=${same.length}:${same}`;
  const fresh = plan.immediately && start === undefined ? "^" : "";
  return `${plan.id}#${rounds}${fresh}${shared}${used}(${chains.join("|")})`;
}

/** True when whatever completes `b` completes `a` too, no later and with no limit broken earlier. */
export function covers(a: Rank, b: Rank, unsure: boolean): boolean {
  return (
    a.anchors.every((anchor, index) => isAsLate(anchor, b.anchors[index] ?? 0, unsure)) &&
    a.repetitions.every((state, index) => {
      const other = b.repetitions[index];
      return other !== undefined && hasAsMuch(state, other, unsure);
    })
  );
}

/** A time that is not known keeps every limit open, but whatever completes with it is undecided. */
function isAsLate(a: number, b: number, unsure: boolean): boolean {
  return a === b || (a > b && (unsure || a !== UNTIMED));
}

function hasAsMuch(a: LeafState, b: LeafState, unsure: boolean): boolean {
  const { plan } = a;
  if (!plan.windowed) {
    if (a.absorbed.length < b.absorbed.length) return false;
    const full = plan.distinct.length === 0 || a.absorbed.length >= plan.repeat;
    return full || b.absorbed.every(({ key }) => a.absorbed.some((other) => other.key === key));
  }
  if (plan.distinct.length === 0) return hasLaterEvents(a, b, unsure);
  return b.absorbed.every(({ key, event }) =>
    a.absorbed.some((other) => other.key === key && isAsLate(other.event.at, event.at, unsure)),
  );
}

function hasLaterEvents({ absorbed }: LeafState, b: LeafState, unsure: boolean): boolean {
  const offset = absorbed.length - b.absorbed.length;
  if (offset < 0) return false;
  return b.absorbed.every(({ event }, index) => isAsLate(absorbed[index + offset]?.event.at ?? 0, event.at, unsure));
}

/**
 * The lines of a run in the order of the markers, `Infinity` where more will come; for "smallest lines first". Of two
 * runs at one position the one with the smaller vector ends up with the smaller lines, whatever follows.
 */
export function lineVector(state: NodeState): number[] {
  if (state.kind === "leaf") {
    const seen = state.pinned === undefined ? state.absorbed : [state.pinned, ...state.absorbed];
    return [...seen.map(({ event }) => event.index), Number.POSITIVE_INFINITY];
  }
  const lines = listUses(state.uses).map(({ event }) => event.index);
  for (const chain of state.chains) {
    for (const { event } of listUses(chain.uses)) lines.push(event.index);
    if (chain.node !== undefined) lines.push(...lineVector(chain.node));
  }
  if (state.rounds + 1 < state.plan.repeat) lines.push(Number.POSITIVE_INFINITY);
  return lines;
}

/** Lexicographic order; a vector that ends earlier is smaller. */
export function compareLines(a: readonly number[], b: readonly number[]): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return a.length - b.length;
}
