import type { JsonObject, JsonValue } from "../record/json.ts";
import type { DecodedEvent } from "./decoder.ts";
import { isoTime } from "./event-time.ts";
import { clearReserved } from "./lift.ts";
import { isNonEmpty, without } from "./member.ts";

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
  const hasData = data !== undefined && isNonEmpty(data);
  const own = clearReserved(hasData && Object.hasOwn(rest, "data") ? moved(rest) : rest);
  const fields: Record<string, JsonValue> = hasData ? { data, ...own } : { ...own };
  if (iso === undefined && time !== undefined && time !== null) {
    fields[Object.hasOwn(fields, "time_app") ? "time_app_2" : "time_app"] = time;
  }
  const event: Draft = { name, fields };
  if (iso !== undefined) event.time = iso;
  if (session !== undefined && session !== "") event.session = session;
  if (id !== undefined && id !== "") event.id = id;
  return event;
}

/** An event under construction; decoding is hot enough that it is not spread together. */
type Draft = { -readonly [Key in keyof DecodedEvent]: DecodedEvent[Key] };

function moved(rest: JsonObject): JsonObject {
  return { ...without(rest, "data"), data_app: rest["data"] ?? null };
}
