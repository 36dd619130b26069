import type { JsonObject, JsonValue } from "../record/json.ts";
import type { DecodedEvent } from "./decoder.ts";
import { isoTime } from "./event-time.ts";
import { clearReserved } from "./lift.ts";
import { addMembers, isNonEmpty } from "./member.ts";

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

/** The fields of an event under construction. */
export type Fields = Record<string, JsonValue>;

/** What `finished` makes an event of. */
export interface Begun extends Omit<Lifted, "rest"> {
  /** Begun by `begun` with the same data; they become the event's own. */
  readonly fields: Fields;
}

/**
 * Builds an event from what was lifted. A time that cannot be read is kept as `time_app`; an app's own `data` beside
 * lifted properties as `data_app`, so that a record's fields always mean what docs/record-format.md says.
 */
export function lifted({ name, time, data, rest, session, id }: Lifted): DecodedEvent {
  const fields = begun(data);
  addMembers(fields, rest);
  return finished({ name, time, data, fields, session, id });
}

/** The beginning of an event's fields: its properties, when it has any. What is added to it is copied once, unlike by `lifted`. */
export function begun(data: JsonObject | undefined): Fields {
  return data !== undefined && isNonEmpty(data) ? { data } : {};
}

/** The event of fields that are complete; the same rules as for `lifted`. */
export function finished({ name, time, data, fields: all, session, id }: Begun): DecodedEvent {
  const iso = isoTime(time);
  let fields = data !== undefined && all["data"] !== data && isNonEmpty(data) ? withOwnData(all, data) : all;
  fields = clearReserved(fields);
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

/** A field `data` of the app's has taken the place of the properties. */
function withOwnData(fields: Fields, data: JsonObject): Fields {
  return { ...fields, data, data_app: fields["data"] ?? null };
}
