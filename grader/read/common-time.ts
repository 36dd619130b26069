import { FIELD } from "./line-kernel.ts";
import type { PassedEvent } from "./passed-event.ts";

/** The time of nearly all records, without a string made for it; NaN when it is spelled in another way. */
export function commonTime(event: PassedEvent): number {
  const field = timeField(event);
  const start = event.start(field);
  const end = event.end(field);
  return end - start === 26 && event.bytes[start] === 34 ? commonTimeAt(event.bytes, start + 1) : Number.NaN;
}

function timeField(event: PassedEvent): number {
  return event.end(FIELD.time) === 0 ? FIELD.at : FIELD.time;
}

/**
 * The day of an event whose time begins with one, for the kernel: where its ten bytes stand and when it begins, in
 * milliseconds. Undefined for any other time.
 */
export function commonDay(event: PassedEvent): { readonly at: number; readonly startMs: number } | undefined {
  const field = timeField(event);
  const start = event.start(field);
  if (event.end(field) - start < 21 || event.bytes[start] !== 34) return undefined;
  const startMs = dayStartAt(event.bytes, start + 1);
  return Number.isNaN(startMs) ? undefined : { at: start + 1, startMs };
}

/** The 24 bytes at `start`; as parseIso of match/event-time.ts reads them. */
function commonTimeAt(bytes: Buffer, start: number): number {
  if (bytes[start + 23] !== 90 || bytes[start + 10] !== 84) return Number.NaN;
  if (bytes[start + 13] !== 58 || bytes[start + 16] !== 58 || bytes[start + 19] !== 46) return Number.NaN;
  const hour = digitsAt(bytes, start + 11, 2);
  const minute = digitsAt(bytes, start + 14, 2);
  const second = digitsAt(bytes, start + 17, 2);
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN;
  const clock = hour * 3_600_000 + minute * 60_000 + second * 1000 + digitsAt(bytes, start + 20, 3);
  return dayStartAt(bytes, start) + clock;
}

/** When the day begins that the ten bytes at `start` spell, in milliseconds; NaN when they spell none. */
function dayStartAt(bytes: Buffer, start: number): number {
  for (let at = 0; at < 10; at++) {
    if (bytes[start + at] === passedDay.charCodeAt(at)) continue;
    passedDay = bytes.toString("latin1", start, start + 10);
    passedDayStart = /^\d{4}-\d{2}-\d{2}$/.test(passedDay) ? Date.parse(`${passedDay}T00:00:00Z`) : Number.NaN;
    break;
  }
  return passedDayStart;
}

let passedDay = "";
let passedDayStart = Number.NaN;

function digitsAt(bytes: Buffer, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = (bytes[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
