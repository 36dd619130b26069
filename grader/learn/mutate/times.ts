import { isObject, type JsonObject, type JsonValue } from "../../../proxy/record/json.ts";
import { createTimeReader, parseIso } from "../../match/event-time.ts";
import type { EventProfile, FieldPath } from "../../scenario/ast.ts";
import { changeAt } from "./edit.ts";

const TIME: FieldPath = { kind: "dotted", text: "time", segments: [{ kind: "key", key: "time", exact: true }] };

/** Where events carry their own time. */
export function timePath({ time }: EventProfile): FieldPath {
  return time ?? TIME;
}

/** The events' times in milliseconds, as grading reads them; undefined for one that has none. */
export function timesOf(events: readonly JsonObject[], profile: EventProfile): readonly (number | undefined)[] {
  const reader = createTimeReader(profile);
  return events.map((event) => reader.of(event)?.at);
}

/** The event so many milliseconds later: its own time and the time of its arrival. `at` is its time as grading reads it. */
export function later(
  event: JsonObject,
  byMs: number,
  { profile, at }: { profile: EventProfile; at?: number },
): JsonObject {
  if (byMs === 0) return event;
  const own = changeAt(event, timePath(profile), (value) => shifted(value, byMs, at)) ?? event;
  const capture = own["$capture"];
  if (!isObject(capture) || typeof capture["at"] !== "string") return own;
  return { ...own, $capture: { ...capture, at: shifted(capture["at"], byMs, undefined) ?? null } };
}

function shifted(value: JsonValue | undefined, byMs: number, at: number | undefined): JsonValue | undefined {
  if (typeof value === "string") {
    const time = parseIso(value);
    if (!Number.isNaN(time)) return isoText(time + byMs);
    return /^[0-9]{1,15}$/.test(value) ? String(Number(value) + scaled(Number(value), byMs, at)) : value;
  }
  if (typeof value === "bigint") return value + BigInt(Math.round(scaled(Number(value), byMs, at)));
  return typeof value === "number" ? value + scaled(value, byMs, at) : value;
}

/** Milliseconds in the unit of a number: what its time in milliseconds is to it. */
function scaled(value: number, byMs: number, at: number | undefined): number {
  if (at === undefined || value === 0 || at === 0) return byMs;
  const scale = 10 ** Math.round(Math.log10(Math.abs(value / at)));
  return byMs * scale;
}

/** ISO 8601 with as many digits as the time needs, six behind the point at most. */
function isoText(ms: number): string {
  const whole = Math.floor(ms);
  const micros = Math.round((ms - whole) * 1000);
  const text = new Date(whole + Math.floor(micros / 1000)).toISOString();
  return micros % 1000 === 0 ? text : text.replace("Z", `${String(micros % 1000).padStart(3, "0")}Z`);
}
