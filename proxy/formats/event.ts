import type { DecodedEvent } from "../decoders/decoder.ts";
import { isoFromUnit } from "../decoders/event-time.ts";
import { lifted } from "../decoders/lifted.ts";
import { setOwn } from "../decoders/member.ts";
import { isObject, type JsonObject, type JsonValue } from "../record/json.ts";
import type { FormatSpec, ValuePlace } from "./format.ts";
import { parsePath } from "./json-path.ts";
import { keysOf, removeAt } from "./remove-at.ts";
import { compileValue, type ReadValue, type Surroundings } from "./value.ts";

/** Reads one event of a format. */
export interface EventReader {
  hasName(around: Surroundings): boolean;
  /** The event; what was not lifted out of it stays beside that, under its own names. Never throws. */
  read(around: Surroundings): DecodedEvent;
}

/** Compiles the places of an event's parts. */
export function compileEvent(spec: FormatSpec): EventReader {
  const name = compileValue(spec.eventName);
  const time = spec.time && compileTime(spec.time);
  const [data, session, id] = [spec.data, spec.session, spec.id].map((place) => place && compileValue(place));
  const fields = spec.fields.map(([key, place]) => [key, compileValue(place)] as const);
  const taken = [spec.eventName, spec.time, spec.data, ...spec.fields.map(([, place]) => place)].flatMap(takenKeys);
  return {
    hasName: (around) => textOf(name(around)) !== undefined,
    read(around) {
      const properties = data?.(around);
      return lifted({
        name: textOf(name(around)) ?? null,
        time: time?.(around),
        data: isObject(properties) ? properties : undefined,
        rest: restOf(around, { taken, properties, fields }),
        session: textOf(session?.(around)),
        id: textOf(id?.(around)),
      });
    },
  };
}

interface Rest {
  readonly taken: readonly (readonly string[])[];
  readonly properties: JsonValue | undefined;
  readonly fields: readonly (readonly [string, ReadValue])[];
}

/** The event without what was lifted, then the fields that the format names; properties that are no object among them. */
function restOf(around: Surroundings, { taken, properties, fields }: Rest): JsonObject {
  const { event } = around;
  const rest = isObject(event) ? { ...taken.reduce(removeAt, event) } : { items: event };
  if (properties !== undefined && !isObject(properties)) setOwn(rest, "data", properties);
  for (const [key, read] of fields) {
    const value = read(around);
    if (value !== undefined) setOwn(rest, key, value);
  }
  return rest;
}

/** Keys of an event that hold just what is lifted. What was written in a coding stays as it was sent, beside what it means. */
function takenKeys(place: ValuePlace | undefined): readonly (readonly string[])[] {
  if (place?.from.kind !== "event" || place.decode.length > 0) return [];
  const parsed = parsePath(place.from.path);
  const keys = parsed.ok ? keysOf(parsed.query.segments) : undefined;
  return keys === undefined ? [] : [keys];
}

function compileTime(place: ValuePlace): ReadValue {
  const read = compileValue(place);
  const { unit } = place;
  if (unit === undefined) return read;
  return (around) => {
    const value = read(around);
    return value === undefined ? undefined : (isoFromUnit(value, unit) ?? value);
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
