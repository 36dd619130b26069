import type { Occurrence } from "./occurrence.ts";
import type { LeafPlan } from "./plan.ts";
import type { Absorbed, LeafState } from "./state.ts";

/**
 * The other repetitions that make `last` the n-th one, in the order of their lines; undefined when too few are seen.
 * With a time span the latest ones are taken, since the first of them opens it; otherwise the earliest, which makes the
 * smallest lines.
 */
export function chooseOthers(state: LeafState, last: Absorbed): Absorbed[] | undefined {
  const { plan, pinned, absorbed } = state;
  const needed = plan.repeat - 1 - (pinned === undefined ? 0 : 1);
  if (needed < 0) return undefined;
  const differs = (other: Absorbed): boolean => plan.distinct.length === 0 || other.key !== last.key;
  if (pinned !== undefined && !differs(pinned)) return undefined;
  const usable = absorbed.filter(differs);
  if (usable.length < needed) return undefined;
  const chosen = plan.windowed ? usable.slice(usable.length - needed) : usable.slice(0, needed);
  return pinned === undefined ? chosen : [pinned, ...chosen];
}

/**
 * The summary with one more event. It replaces all ways of choosing among the repetitions seen: without a time span the
 * first ones matter, with one the last ones; with `distinct` one more value is kept than needed, because the event that
 * completes may repeat one of them. The same state comes back when nothing changes.
 */
export function absorb(state: LeafState, next: Absorbed): LeafState {
  const { plan, pinned, absorbed } = state;
  if (plan.immediately && pinned === undefined) return { ...state, pinned: next };
  if (plan.distinct.length > 0) return absorbDistinct(state, next);
  const capacity = plan.repeat - 1 - (pinned === undefined ? 0 : 1);
  if (capacity <= 0 || (absorbed.length >= capacity && !plan.windowed)) return state;
  const kept = absorbed.length >= capacity ? absorbed.slice(1) : absorbed;
  return { ...state, absorbed: [...kept, next] };
}

function absorbDistinct(state: LeafState, next: Absorbed): LeafState {
  const { plan, pinned, absorbed } = state;
  if (pinned?.key === next.key) return state;
  const capacity = plan.repeat - (pinned === undefined ? 0 : 1);
  const known = absorbed.some(({ key }) => key === next.key);
  if (!plan.windowed) {
    return known || absorbed.length >= capacity ? state : { ...state, absorbed: [...absorbed, next] };
  }
  const others = known ? absorbed.filter(({ key }) => key !== next.key) : absorbed;
  const kept = others.length >= capacity ? others.slice(others.length - capacity + 1) : others;
  return { ...state, absorbed: [...kept, next] };
}

/** How many repetitions the state has for certain, for `3 of 5`. */
export function countSeen(state: LeafState): number {
  const seen = state.absorbed.length + (state.pinned === undefined ? 0 : 1);
  return Math.min(seen, state.plan.repeat - 1);
}

/** The event as a repetition of this marker. */
export function repetitionOf(plan: LeafPlan, event: Occurrence, key: string | undefined): Absorbed {
  return { event, key: plan.distinct.length === 0 ? "" : (key ?? "") };
}
