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
 * True when run `a` ends up with lines at least as small as those of `b`, whatever follows; both at one position, and `a`
 * covers `b`. Either its lines are smaller even if `b` uses all it has absorbed, or the two differ only in repetitions
 * under way and in lines at the same places, all of them at least as early in `a`.
 */
export function hasSmallerLines(a: NodeState, b: NodeState, ranks: { a: Rank; b: Rank }): boolean {
  const own = lineVector(a);
  if (compareLines(own, lineVector(b, true)) < 0) return true;
  const other = lineVector(b);
  const isAligned =
    own.length === other.length && own.every((line, index) => Number.isFinite(line) === Number.isFinite(other[index]));
  if (!isAligned || compareLines(own, other) > 0) return false;
  return ranks.a.repetitions.every((state, index) => isAsEarly(state, ranks.b.repetitions[index]));
}

function isAsEarly(a: LeafState, b: LeafState | undefined): boolean {
  if (b === undefined) return false;
  if (a.plan.distinct.length === 0) {
    return b.absorbed.every(({ event }, index) => (a.absorbed[index]?.event.index ?? Infinity) <= event.index);
  }
  return b.absorbed.every(({ key, event }) =>
    a.absorbed.some((other) => other.key === key && other.event.index <= event.index),
  );
}

/**
 * The lines of a run in the order of the markers, with `Infinity` where more will come. Repetitions under way count as
 * not used yet; with `earliest` as if all of them will be, which makes the smallest lines the run can end up with.
 */
export function lineVector(state: NodeState, earliest = false): number[] {
  if (state.kind === "leaf") {
    const first = state.pinned === undefined ? [] : [state.pinned.event.index];
    const others = earliest ? state.absorbed.map(({ event }) => event.index) : [];
    return [...first, ...others, Number.POSITIVE_INFINITY];
  }
  const lines = listUses(state.uses).map(({ event }) => event.index);
  for (const chain of state.chains) {
    for (const { event } of listUses(chain.uses)) lines.push(event.index);
    if (chain.node !== undefined) lines.push(...lineVector(chain.node, earliest));
  }
  return [...lines, Number.POSITIVE_INFINITY];
}

/** Lexicographic order; a line that is not there counts as later than any. */
export function compareLines(a: readonly number[], b: readonly number[]): number {
  const most = Math.max(a.length, b.length);
  for (let index = 0; index < most; index++) {
    const [own = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY] = [a[index], b[index]];
    if (own !== other) return own < other ? -1 : 1;
  }
  return 0;
}
