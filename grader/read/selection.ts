import type { LinePlace } from "./intake.ts";
import type { EventKeys } from "./line-kernel.ts";
import type { PassedEvent } from "./passed-event.ts";
import type { PassedRun } from "./passed-run.ts";

/**
 * A reason to see an event: at least `least` of some tests could hold for it. A test that has bytes cannot hold for an
 * event whose line does not hold them, unless the line spells characters as `\u` escapes.
 */
export interface Interest {
  readonly tests: readonly (Buffer | undefined)[];
  readonly least: number;
}

/** Everything about an event matters. */
export const ANY: Interest = { tests: [], least: 0 };

/** What a time that is a number counts; `guess`: it shows by its size, from year 1973 on. */
export type NumberTimes = "guess" | "s" | "ms" | "us" | "ns";

/** A sink that can tell, by its name and by bytes of its line, that an event could change nothing but counts, times and places. */
export interface Selection {
  readonly keys: EventKeys;
  /**
   * The reasons to see an event of this name (without one, ""); with none of them it can be passed. As long as
   * `generation` stays the same, reasons may go, none comes.
   */
  interests(name: string): readonly Interest[];
  readonly generation: number;
  /** How times that are numbers are read from now on; undefined when that is open, or not the same for all. */
  readonly numberTimes: NumberTimes | undefined;
  /** An event that is not wanted, in its place among the others. */
  pass(event: PassedEvent, place: LinePlace): void;
  /** Events in a row that are not wanted; `last` is the place of the last of them. */
  passRun(run: PassedRun, last: LinePlace): void;
}
