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
 * The day of an event whose time `commonTime` can read, for the kernel: where its ten bytes stand and when it begins, in
 * milliseconds. Undefined for any other time.
 */
export function commonDay(event: PassedEvent): { readonly at: number; readonly startMs: number } | undefined {
  if (Number.isNaN(commonTime(event))) return undefined;
  return { at: event.start(timeField(event)) + 1, startMs: passedDayStart };
}

/** The 24 bytes at `start`; as parseIso of match/event-time.ts reads them. */
function commonTimeAt(bytes: Buffer, start: number): number {
  if (bytes[start + 23] !== 90 || bytes[start + 10] !== 84) return Number.NaN;
  if (bytes[start + 4] !== 45 || bytes[start + 13] !== 58 || bytes[start + 19] !== 46) return Number.NaN;
  const clock =
    digitsAt(bytes, start + 11, 2) * 3_600_000 +
    digitsAt(bytes, start + 14, 2) * 60_000 +
    digitsAt(bytes, start + 17, 2) * 1000 +
    digitsAt(bytes, start + 20, 3);
  for (let at = 0; at < 10; at++) {
    if (bytes[start + at] === passedDay.charCodeAt(at)) continue;
    passedDay = bytes.toString("latin1", start, start + 10);
    passedDayStart = /^\d{4}-\d{2}-\d{2}$/.test(passedDay) ? Date.parse(`${passedDay}T00:00:00Z`) : Number.NaN;
    break;
  }
  return passedDayStart + clock;
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
