import type { JsonObject, JsonValue } from "../record/json.ts";
import type { DecodedEvent } from "./decoder.ts";
import { isoTime } from "./event-time.ts";
import { clearReserved } from "./lift.ts";
import { given, without } from "./member.ts";

/** What a format's decoder takes out of an event for the record's own fields. */
export interface Lifted {
  readonly name: string | null;
  /** The event's own time as the format writes it: ISO text or an epoch in any unit. */
  readonly time?: JsonValue | undefined;
  /** The event's properties. */
  readonly data?: JsonObject | undefined;
  /** The event's other fields, already without what was lifted. */
  readonly rest: JsonObject;
  readonly session?: string | undefined;
  readonly id?: string | undefined;
}

/**
 * Builds an event from what was lifted. A time that cannot be read is kept as `time_app`; an app's own `data` beside
 * lifted properties as `data_app`, so that a record's fields always mean what docs/record-format.md says.
 */
export function lifted({ name, time, data, rest, session, id }: Lifted): DecodedEvent {
  const iso = isoTime(time);
  const isTaken = data !== undefined && Object.hasOwn(rest, "data");
  const own = isTaken ? { ...without(rest, "data"), data_app: rest["data"] ?? null } : rest;
  const unreadable = iso === undefined && time !== undefined && time !== null ? { time_app: time } : {};
  return {
    name,
    ...(iso === undefined ? {} : { time: iso }),
    fields: { ...given("data", data), ...clearReserved(own), ...unreadable },
    ...(session === undefined || session === "" ? {} : { session }),
    ...(id === undefined || id === "" ? {} : { id }),
  };
}
