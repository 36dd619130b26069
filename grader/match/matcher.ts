import type { Bindings } from "../operators/where.ts";
import type { Occurrence } from "./occurrence.ts";
import type { LeafPlan } from "./plan.ts";
import type { Uses } from "./state.ts";

/** How far the furthest way through the markers has come. */
export interface Progress {
  /** Position in the outer list of the marker that is waited for; its length when all are found. */
  readonly position: number;
  /** Part of that marker that is done, 0 to below 1. */
  readonly part: number;
  /** Events used, in the order of the markers. */
  readonly uses: readonly Uses[];
  /** The leaf waited for, with what it may refer to. */
  readonly waiting: Waiting | undefined;
}

export interface Waiting {
  readonly leaf: LeafPlan;
  readonly bindings: Bindings;
  /** Repetitions seen of those wanted, when it repeats. */
  readonly repetitions: readonly Occurrence[];
  /** Line of the event the leaf is measured from; undefined at the start of the session. */
  readonly after: Occurrence | undefined;
}

/** Finds a way through the ordered markers, one event at a time. */
export interface Matcher {
  /** The session begins at this time; without a call it does at its first event. */
  begin(at: number): void;
  /** Takes the next event; true when it was used in a way that goes further than before. */
  event(event: Occurrence): void;
  /** The markers that an event of this name could move it by, as long as it waits for the same one. */
  open(name: string): readonly LeafPlan[];
  /** The match, once there is one; final. Empty when the list has nothing that must happen. */
  readonly found: readonly Uses[] | undefined;
  /** A match exists only if limits that could not be checked were kept. */
  readonly foundUnsure: boolean;
  readonly progress: Progress;
  readonly limitsHit: readonly string[];
}
