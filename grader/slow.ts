import { groupsOf } from "./limit-groups.ts";
import { eventKeysOf, whyEveryEvent } from "./match/selective.ts";
import type { Seat } from "./panel.ts";
import { hasLineKernel } from "./read/line-kernel.ts";

/** Why grading takes longer than it could. */
export interface Slowness {
  /** A sentence each; none where nothing takes longer. */
  readonly reasons: readonly string[];
  /** Every line will be parsed. */
  readonly isEachParsed: boolean;
}

/** How a log is going to be read. */
export interface Reading {
  /** The only session that counts. */
  readonly session?: string | undefined;
  /** Lines that cannot matter may be taken for readable. */
  readonly isFast: boolean;
  readonly isFollowed: boolean;
  /** A log among them is a stream. */
  readonly isStream: boolean;
}

/** What slows the grading of these seats down. One scenario that has every line parsed makes all beside it wait. */
export function whatSlows(seats: readonly Seat[], reading: Reading): Slowness {
  const parsing = whyParsed(seats, reading.session);
  return { reasons: [...parsing, ...whyScannedAgain(seats), ...whyInFull(reading)], isEachParsed: parsing.length > 0 };
}

function whyParsed(seats: readonly Seat[], session: string | undefined): readonly string[] {
  if (session !== undefined) return ["every event is parsed, because only one session counts"];
  const own = seats.flatMap(({ scenario, program }) => {
    const why = program === undefined ? undefined : whyEveryEvent(program);
    return why === undefined ? [] : [`every event is parsed for the scenario ${scenario.id}, because ${why}`];
  });
  const reasons = own.length > 0 ? own : groupsOf(seats).flatMap((group) => whatDiffers(group.seats));
  if (reasons.length > 0 || hasLineKernel()) return reasons;
  return ["every event is parsed, because the scanner cannot be had here: it takes WebAssembly with SIMD"];
}

function whyScannedAgain(seats: readonly Seat[]): readonly string[] {
  const { length } = groupsOf(seats);
  return length <= 1 ? [] : [`the log is scanned ${length} times, because the scenarios differ in limits: line_bytes`];
}

function whyInFull({ isFast, isFollowed, isStream }: Reading): readonly string[] {
  if (!isFast) return [];
  if (isFollowed) return ["--fast changes nothing here, because a log that is followed is read in full"];
  if (!isStream) return [];
  return ["--fast changes nothing for a stream, because what it leaves out could not be read later"];
}

/** That scenarios do not agree on where an event has its name and time. */
function whatDiffers(seats: readonly Seat[]): readonly string[] {
  const keyed = seats.flatMap(({ scenario, program }) => {
    const keys = program === undefined ? undefined : eventKeysOf(program);
    return keys === undefined ? [] : [{ id: scenario.id, keys }];
  });
  const [first] = keyed;
  const other = keyed.find(({ keys }) => keys.name !== first?.keys.name || keys.time !== first.keys.time);
  if (first === undefined || other === undefined) return [];
  return [
    `every event is parsed, because the scenarios ${first.id} and ${other.id} do not read name and time of an event from the same keys`,
  ];
}
