import type { LinePlace } from "./intake.ts";
import type { EventKeys } from "./line-kernel.ts";
import type { PassedEvent } from "./passed-event.ts";
import type { PassedRun } from "./passed-run.ts";

/** A test of an event, by what the bytes of its line say about it; one that they say nothing about could always hold. */
export interface AwaitedTest {
  /** It cannot hold for an event whose line does not hold these bytes, unless the line spells characters as `\u` escapes. */
  readonly bytes?: Buffer;
  /** It holds exactly when this field has one of these values. */
  readonly field?: AwaitedField;
}

export interface AwaitedField {
  /** Keys from the event down, none with a dot and none that an object of JavaScript inherits. */
  readonly path: readonly string[];
  readonly values: readonly (string | number | boolean | null)[];
  /** The same for tests of the same field for the same values. */
  readonly id: string;
}

/** A reason to see an event: at least `least` of some tests could hold for it. */
export interface Interest {
  readonly tests: readonly AwaitedTest[];
  readonly least: number;
  /** An event of the name that it is not about has to be passed by itself, with its name (`PassedEvent.countedName`). */
  readonly counts?: true;
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
   * `generation` stays the same, reasons may go, none comes. Of an event that is large by `isLargeEvent` there are fewer.
   */
  interests(name: string, isLarge?: boolean): readonly Interest[];
  readonly generation: number;
  /** How times that are numbers are read from now on; undefined when that is open, or not the same for all. */
  readonly numberTimes: NumberTimes | undefined;
  /** An event that is not wanted, in its place among the others. */
  pass(event: PassedEvent, place: LinePlace): void;
  /** Events in a row that are not wanted; `last` is the place of the last of them. */
  passRun(run: PassedRun, last: LinePlace): void;
}
