import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import type { DecodedEvent } from "./decoder.ts";
import { isoTime } from "./event-time.ts";

/** Where a generic JSON event keeps its name, time and properties: the first place that holds a usable value wins. */
const NAME_KEYS = ["name", "event", "eventName", "event_name", "type"] as const;
const TIME_KEYS = ["time", "timestamp", "ts", "eventTime"] as const;
const DATA_KEYS = ["data", "properties", "props", "attributes"] as const;

/** Fields of a record that are waymark's; an app's value that cannot stand there moves to `<field>_app`. */
const RESERVED = ["name", "time", "$capture"] as const;

/**
 * Lifts `name`, `time` and `data` out of one JSON event, and keeps every other field under its own name. A lifted value
 * is not written a second time. A place whose value does not fit (a name that is no text, a time that cannot be read)
 * is left alone, and one called `name` or `time` goes to `name_app` or `time_app`, so that a record's own fields always
 * mean what docs/record-format.md says.
 */
export function liftEvent(event: JsonObject): DecodedEvent {
  const nameKey = NAME_KEYS.find((key) => isName(event[key]));
  const timeKey = TIME_KEYS.find((key) => isoTime(event[key]) !== undefined);
  const dataKey = liftableData(event);
  const time = timeKey === undefined ? undefined : isoTime(event[timeKey]);
  return {
    name: nameKey === undefined ? null : String(event[nameKey]),
    ...(time === undefined ? {} : { time }),
    fields: fieldsWithout(event, { nameKey, timeKey, dataKey }),
  };
}

/** True for an event of which `liftEvent` leaves all members where they are. */
export function isLifted(event: JsonObject): boolean {
  const { name, time } = event;
  const timeKey = TIME_KEYS.find((key) => isoTime(event[key]) !== undefined);
  const dataKey = liftableData(event);
  const hasOwnTime = timeKey === undefined ? time === undefined : timeKey === "time" && isoTime(time) === time;
  return isName(name) && hasOwnTime && (dataKey === undefined || dataKey === "data");
}

/** Moves app values that stand in a reserved field to `<field>_app` (or `_app_2`, when that is taken too). */
export function clearReserved(fields: Record<string, JsonValue>): Record<string, JsonValue> {
  if (!hasReserved(fields)) return fields;
  const entries = Object.entries(fields);
  const taken = new Set(entries.map(([key]) => key));
  return Object.fromEntries(
    entries.map(([key, value]) => [(RESERVED as readonly string[]).includes(key) ? freeName(key, taken) : key, value]),
  );
}

function hasReserved(fields: JsonObject): boolean {
  for (const key of RESERVED) if (Object.hasOwn(fields, key)) return true;
  return false;
}

/** True for a value that can name an event. */
export function isName(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}

interface LiftedKeys {
  readonly nameKey: string | undefined;
  readonly timeKey: string | undefined;
  readonly dataKey: string | undefined;
}

function fieldsWithout(event: JsonObject, { nameKey, timeKey, dataKey }: LiftedKeys): JsonObject {
  const kept = Object.entries(event).filter(([key]) => key !== nameKey && key !== timeKey);
  // Object.fromEntries defines own fields, so that a field called __proto__ stays a field.
  return clearReserved(Object.fromEntries(kept.map(([key, value]) => [key === dataKey ? "data" : key, value])));
}

function liftableData(event: JsonObject): string | undefined {
  const key = DATA_KEYS.find((candidate) => isObject(event[candidate]));
  const isTaken = key !== undefined && key !== "data" && Object.hasOwn(event, "data");
  return isTaken ? undefined : key;
}

function freeName(key: string, taken: Set<string>): string {
  let name = `${key}_app`;
  for (let count = 2; taken.has(name); count++) name = `${key}_app_${count}`;
  taken.add(name);
  return name;
}
