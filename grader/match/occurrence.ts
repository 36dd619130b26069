import type { JsonObject } from "../../proxy/record/json.ts";
import type { EventPlace } from "./outcome.ts";

/** Time of an event that carries none. Limits measured from or to it cannot be decided. */
export const UNTIMED = Number.POSITIVE_INFINITY;

/** One event of a session as the matcher sees it. */
export interface Occurrence {
  readonly event: JsonObject;
  readonly place: EventPlace;
  /** Position among the events of the session, from 0. */
  readonly index: number;
  /** Its time in milliseconds, never earlier than that of the event before it; `UNTIMED` when it has none. */
  readonly at: number;
  /** The session's clock: the latest time known, `-Infinity` before the first. */
  readonly clock: number;
  /** The time as the event spells it. */
  readonly timeText?: string;
}

/** How a span of time stands to a limit; inclusive, since "within 5 s" accepts 5.000 s. */
export type LimitCheck = "kept" | "broken" | "unknown";

/** Compares the time from `anchor` to `at` with a limit. */
export function checkLimit(at: number, anchor: number, limitMs: number): LimitCheck {
  if (at === UNTIMED || anchor === UNTIMED) return "unknown";
  return at - anchor <= limitMs ? "kept" : "broken";
}

/** True when the limit is over whatever comes: the clock is past it. */
export function isOver(clock: number, anchor: number, limitMs: number): boolean {
  return anchor !== UNTIMED && clock - anchor > limitMs;
}
