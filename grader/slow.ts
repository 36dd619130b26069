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

/** What of a request decides how it is read. */
export interface Wish {
  /** The only session that counts. */
  readonly session?: string | undefined;
  /** Lines that cannot matter may be taken for readable. */
  readonly isFast: boolean;
  /** As the user names them. */
  readonly logs: readonly string[];
}

/** What slows the grading of these seats down. One scenario that has every line parsed makes all beside it wait. */
export function whatSlows(seats: readonly Seat[], wish: Wish): Slowness {
  const parsing = whyParsed(seats, wish.session);
  return { reasons: [...parsing, ...whyReadAgain(seats), ...whyInFull(wish)], isEachParsed: parsing.length > 0 };
}

function whyParsed(seats: readonly Seat[], session: string | undefined): readonly string[] {
  if (session !== undefined) return ["every event is parsed, because only one session counts"];
  const own = seats.flatMap(({ scenario, program }) => {
    const why = program === undefined ? undefined : whyEveryEvent(program);
    return why === undefined ? [] : [`every event is parsed for the scenario ${scenario.id}, because ${why}`];
  });
  const reasons = own.length > 0 ? own : whatDiffers(seats);
  if (reasons.length > 0 || hasLineKernel()) return reasons;
  return ["every event is parsed, because the scanner cannot be had here: it takes WebAssembly with SIMD"];
}

function whyReadAgain(seats: readonly Seat[]): readonly string[] {
  const limits = new Set(seats.map(({ scenario }) => scenario.limits.lineBytes));
  if (limits.size <= 1) return [];
  return [`the log is read ${limits.size} times, because the scenarios differ in limits: line_bytes`];
}

function whyInFull({ isFast, logs }: Wish): readonly string[] {
  return isFast && logs.includes("-")
    ? ["stdin is read in full, because what --fast leaves out could not be read later"]
    : [];
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
