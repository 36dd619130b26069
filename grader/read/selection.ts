import type { LinePlace } from "./intake.ts";
import type { EventKeys } from "./line-kernel.ts";
import type { PassedEvent } from "./passed-event.ts";

/** A sink that can tell by an event's name that the event could change nothing but counts, times and places. */
export interface Selection {
  readonly keys: EventKeys;
  /** False when an event of this name (without one, "") can be passed. Holds as long as `generation` stays the same. */
  wants(name: string): boolean;
  readonly generation: number;
  /** An event that is not wanted, in its place among the others. */
  pass(event: PassedEvent, place: LinePlace): void;
}
