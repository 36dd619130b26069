import type { Bindings } from "../operators/where.ts";
import { capture, combinedKey } from "./keys.ts";
import { checkLimit, isOver, type Occurrence } from "./occurrence.ts";
import { absorb, chooseOthers, repetitionOf } from "./repetition.ts";
import {
  type Absorbed,
  append,
  type BlockState,
  type ChainState,
  enterList,
  enterRound,
  type LeafState,
  type NodeState,
  type Uses,
} from "./state.ts";

/** One way in which a state can use an event. */
export interface Step<S> {
  /** Where it stands then; undefined when the node is complete. */
  readonly state: S | undefined;
  /** Events of a complete node. */
  readonly uses: Uses | undefined;
  /** The first event that became part of the match for certain. */
  readonly first: Occurrence | undefined;
  readonly bindings: Bindings;
  /** A limit could not be checked because an event has no time. */
  readonly unsure: boolean;
  /** The state that did not use the event is no better in any respect and can go. */
  readonly replaces: boolean;
}

/** All ways in which a node's state can use the event (LANGUAGE.md section 8.2). */
export function advance(state: NodeState, event: Occurrence, bindings: Bindings): Step<NodeState>[] {
  return state.kind === "leaf" ? advanceLeaf(state, event, bindings) : advanceBlock(state, event, bindings);
}

/** True when the state may let the event pass without using it. */
export function survives(state: NodeState, event: Occurrence, bindings: Bindings): boolean {
  if (isOwnTimeOver(state, event.clock)) return false;
  if (state.plan.without?.test(event.event, bindings) === true) return false;
  if (state.kind === "leaf") return state.pinned !== undefined || !state.plan.immediately;
  if (state.plan.immediately && isUnused(state)) return false;
  return state.chains.every(({ node }) => node === undefined || survives(node, event, bindings));
}

/** True when no later event can complete the state, since one of its limits is over. */
export function isTimeOver(state: NodeState, clock: number): boolean {
  if (isOwnTimeOver(state, clock)) return true;
  return state.kind === "block" && state.chains.some(({ node }) => node !== undefined && isTimeOver(node, clock));
}

function isOwnTimeOver(state: NodeState, clock: number): boolean {
  const { withinMs, timespanMs } = state.plan;
  if (withinMs !== undefined && isOver(clock, state.entry.at, withinMs)) return true;
  const start = state.kind === "block" ? state.start : state.pinned?.event;
  return timespanMs !== undefined && start !== undefined && isOver(clock, start.at, timespanMs);
}

function isUnused(state: BlockState): boolean {
  return state.start === undefined;
}

function advanceLeaf(state: LeafState, event: Occurrence, bindings: Bindings): Step<LeafState>[] {
  const { plan, entry } = state;
  if (plan.immediately && state.pinned === undefined && event.index !== entry.index + 1) return [];
  if (!plan.pattern.test(event.event, bindings)) return [];
  const grown = capture(plan.captures, event.event, bindings);
  const same = plan.same.length === 0 ? undefined : combinedKey(plan.same, event.event);
  const distinct = plan.distinct.length === 0 ? "" : combinedKey(plan.distinct, event.event);
  if (grown === undefined || distinct === undefined || (plan.same.length > 0 && same === undefined)) return [];
  if (state.same !== undefined && state.same !== same) return [];
  const next = repetitionOf(plan, event, distinct);
  return [...complete(state, next, grown), ...keepRepeating({ ...state, same }, next, { bindings, from: state })];
}

function complete(state: LeafState, last: Absorbed, bindings: Bindings): Step<LeafState>[] {
  const { plan, entry } = state;
  const others = plan.repeat === 1 ? [] : chooseOthers(state, last);
  if (others === undefined) return [];
  const all = [...others, last];
  const first = all[0] ?? last;
  const limits = [
    plan.withinMs === undefined ? "kept" : checkLimit(last.event.at, entry.at, plan.withinMs),
    plan.timespanMs === undefined ? "kept" : checkLimit(last.event.at, first.event.at, plan.timespanMs),
  ];
  if (limits.includes("broken")) return [];
  let uses: Uses | undefined;
  for (const { event } of all) uses = { before: uses, leaf: plan, event };
  const unsure = limits.includes("unknown");
  return [{ state: undefined, uses, first: first.event, bindings, unsure, replaces: false }];
}

/** The step that takes the event into the summary of a repetition and goes on waiting. */
function keepRepeating(
  state: LeafState,
  next: Absorbed,
  { bindings, from }: { bindings: Bindings; from: LeafState },
): Step<LeafState>[] {
  const { plan } = state;
  if (plan.repeat === 1 || plan.without?.test(next.event.event, bindings) === true) return [];
  const absorbed = absorb(state, next);
  if (absorbed === state && from.same === state.same) return [];
  // The first event of a shared value decides for that value only; the state that has not decided stays.
  const replaces = from.same === state.same;
  const first = absorbed.pinned === from.pinned ? undefined : next.event;
  return [{ state: absorbed, uses: undefined, first, bindings, unsure: false, replaces }];
}

function advanceBlock(state: BlockState, event: Occurrence, bindings: Bindings): Step<BlockState>[] {
  const { plan } = state;
  if (plan.immediately && isUnused(state) && event.index !== state.entry.index + 1) return [];
  const same = plan.same.length === 0 ? undefined : combinedKey(plan.same, event.event);
  if (plan.same.length > 0 && (same === undefined || (state.same !== undefined && state.same !== same))) return [];
  const steps: Step<BlockState>[] = [];
  state.chains.forEach((chain, at) => {
    if (chain.node === undefined || !othersSurvive(state, at, event, bindings)) return;
    for (const step of advanceChain(chain, event, bindings)) {
      const chains = state.chains.map((other, index) => (index === at ? (step.state ?? other) : other));
      const moved = joinStep({ ...state, chains, same }, step, event);
      if (moved === undefined) continue;
      steps.push(
        ...settleRound(moved, event).map((one) => ({ ...one, replaces: one.replaces && same === state.same })),
      );
    }
  });
  return steps;
}

function othersSurvive(state: BlockState, at: number, event: Occurrence, bindings: Bindings): boolean {
  return state.chains.every(({ node }, index) => index === at || node === undefined || survives(node, event, bindings));
}

function advanceChain(chain: ChainState, event: Occurrence, bindings: Bindings): Step<ChainState>[] {
  if (chain.node === undefined) return [];
  return advance(chain.node, event, bindings).flatMap((step): Step<ChainState>[] => {
    if (step.state !== undefined) return [{ ...step, state: { ...chain, node: step.state } }];
    const uses = append(chain.uses, step.uses);
    const entry = { index: event.index, at: event.at };
    const entered = enterList(chain.list, chain.position + 1, entry, uses);
    return entered.map((state) => ({ ...step, uses: undefined, state }));
  });
}

/** The block after one of its chains moved, with its own limits checked; undefined when one is broken. */
function joinStep(
  state: BlockState,
  step: Step<ChainState>,
  event: Occurrence,
): { state: BlockState; step: Step<ChainState> } | undefined {
  const { plan } = state;
  const start = earlier(state.start, step.first);
  let unsure = step.unsure;
  if (plan.immediately && start !== undefined && start.index !== state.entry.index + 1) return undefined;
  if (plan.timespanMs !== undefined && start !== undefined && step.first !== undefined) {
    const check = checkLimit(event.at, start.at, plan.timespanMs);
    if (check === "broken") return undefined;
    unsure ||= check === "unknown";
  }
  return { state: { ...state, start }, step: { ...step, unsure } };
}

function earlier(a: Occurrence | undefined, b: Occurrence | undefined): Occurrence | undefined {
  return a === undefined || (b !== undefined && b.index < a.index) ? b : a;
}

/** Goes on to the next round, or out of the block, when all chains are through. */
function settleRound(
  { state, step }: { state: BlockState; step: Step<ChainState> },
  event: Occurrence,
): Step<BlockState>[] {
  const { plan } = state;
  const carry = { uses: undefined, first: step.first, unsure: step.unsure };
  if (state.chains.some(({ node }) => node !== undefined)) {
    const spoiled = plan.without?.test(event.event, step.bindings) === true;
    return spoiled ? [] : [{ ...carry, state, bindings: step.bindings, replaces: step.replaces }];
  }
  const value = plan.distinct.length === 0 ? "" : combinedKey(plan.distinct, event.event);
  if (value === undefined || (plan.distinct.length > 0 && state.values.includes(value))) return [];
  const uses = state.chains.reduce((joined, chain) => append(joined, chain.uses), state.uses);
  return [...leaveBlock(state, uses, step, event), ...nextRound(state, { uses, value }, step, event)];
}

function leaveBlock(
  { plan, entry, rounds }: BlockState,
  uses: Uses | undefined,
  step: Step<ChainState>,
  event: Occurrence,
): Step<BlockState>[] {
  if (rounds + 1 < plan.repeat && !plan.nullable) return [];
  const check = plan.withinMs === undefined ? "kept" : checkLimit(event.at, entry.at, plan.withinMs);
  if (check === "broken") return [];
  const bindings = plan.repeat === 1 ? step.bindings : forget(step.bindings, plan.locals);
  const unsure = step.unsure || check === "unknown";
  return [{ state: undefined, uses, first: step.first, bindings, unsure, replaces: false }];
}

function nextRound(
  state: BlockState,
  { uses, value }: { uses: Uses | undefined; value: string },
  step: Step<ChainState>,
  event: Occurrence,
): Step<BlockState>[] {
  const { plan } = state;
  const rounds = state.rounds + 1;
  if (rounds >= plan.repeat || plan.without?.test(event.event, step.bindings) === true) return [];
  const values = plan.distinct.length === 0 ? state.values : [...state.values, value].sort();
  const bindings = forget(step.bindings, plan.locals);
  const again = enterRound({ ...state, rounds, uses, values, same: undefined }, { index: event.index, at: event.at });
  return again.map((next) => ({
    state: next,
    uses: undefined,
    first: step.first,
    bindings,
    unsure: step.unsure,
    replaces: false,
  }));
}

function forget(bindings: Bindings, names: readonly string[]): Bindings {
  if (names.length === 0) return bindings;
  const kept = new Map(bindings);
  for (const name of names) kept.delete(name);
  return kept;
}
