import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { isObject } from "../../proxy/record/json.ts";
import { compilePath } from "../operators/where.ts";
import { commonTime } from "../read/common-time.ts";
import { FIELD } from "../read/line-kernel.ts";
import type { PassedEvent } from "../read/passed-event.ts";
import type { NumberTimes } from "../read/selection.ts";
import type { EventProfile } from "../scenario/ast.ts";

/** When an event happened, in milliseconds, and as it was spelled. */
export interface EventTime {
  readonly at: number;
  readonly text: string;
}

/** Reads the time of events; undefined for an event that has none. */
export interface TimeReader {
  of(event: JsonObject): EventTime | undefined;
  /** The same in milliseconds, for an event that nobody has to see. */
  ofPassed(event: PassedEvent): number | undefined;
  /** How the numbers still to come are read; undefined before the first one. */
  readonly numberTimes: NumberTimes | undefined;
}

type Unit = NonNullable<EventProfile["timeUnit"]>;

const PER_MS: Record<Unit, number> = { s: 1000, ms: 1, us: 1 / 1000, ns: 1 / 1_000_000 };

/**
 * The reader of a stream: the field the profile names (default `time`), else `$capture.at`. ISO 8601 or a number; its
 * unit is the profile's, or guessed from the size of each number, since one log can hold the clocks of several SDKs. A
 * stream whose first number is too small to be a date counts milliseconds from some start, and goes on doing so.
 */
export function createTimeReader(profile: EventProfile): TimeReader {
  const own = profile.time === undefined ? undefined : compilePath(profile.time, profile.name);
  let isRelative: boolean | undefined;
  const parse = (value: JsonValue | undefined): EventTime | undefined => {
    if (typeof value === "string") return parseText(value);
    if (typeof value !== "number" && typeof value !== "bigint") return undefined;
    const size = Math.abs(Number(value));
    isRelative ??= size < SMALLEST_DATE;
    const unit = profile.timeUnit ?? (isRelative ? "ms" : guessUnit(size));
    const at = typeof value === "bigint" ? bigToMs(value, unit) : value * PER_MS[unit];
    return Number.isFinite(at) ? { at, text: String(value) } : undefined;
  };
  const parseText = (text: string): EventTime | undefined => {
    const at = parseIso(text);
    if (!Number.isNaN(at)) return { at, text };
    return /^[0-9]{1,30}$/.test(text) ? parse(numberOf(text)) : undefined;
  };
  return {
    get numberTimes() {
      return profile.timeUnit ?? (isRelative === undefined ? undefined : isRelative ? "ms" : "guess");
    },
    of: (event) => parse(own === undefined ? event["time"] : own.get(event)) ?? parse(arrivalOf(event)),
    ofPassed(event) {
      event.commonMs ??= commonTime(event);
      if (!Number.isNaN(event.commonMs)) return event.commonMs;
      return (parse(event.value(FIELD.time)) ?? parse(event.value(FIELD.at)))?.at;
    },
  };
}

/** `$capture.at` in milliseconds: when the proxy saw the event; undefined when the record does not say. */
export function arrivalTime(event: JsonObject): number | undefined {
  const value = arrivalOf(event);
  const at = typeof value === "string" ? parseIso(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function arrivalOf(event: JsonObject): JsonValue | undefined {
  const capture = event["$capture"];
  return isObject(capture) ? capture["at"] : undefined;
}

/** 1973 in seconds; a smaller number is no date in any unit. */
const SMALLEST_DATE = 1e8;

/** A number's unit by its size: between 1973 and 5138 each unit has a range of its own. */
function guessUnit(size: number): Unit {
  if (size < SMALLEST_DATE) return "ms";
  if (size < 1e11) return "s";
  if (size < 1e14) return "ms";
  return size < 1e17 ? "us" : "ns";
}

function numberOf(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

/** Keeps fractions of a millisecond that a double would lose at nanosecond sizes. */
function bigToMs(value: bigint, unit: Unit): number {
  const perMs = unit === "ns" ? 1_000_000n : unit === "us" ? 1000n : 1n;
  const whole = Number(value / perMs) + Number(value % perMs) / Number(perMs);
  return unit === "s" ? whole * 1000 : whole;
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,](\d{1,12}))?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** An ISO 8601 time in milliseconds with fractions; a time without a zone is UTC. NaN when it is none. */
export function parseIso(text: string): number {
  const common = parseCommon(text);
  if (!Number.isNaN(common)) return common;
  const fraction = ISO.exec(text)?.[1];
  if (fraction === undefined && !ISO.test(text)) return Number.NaN;
  const cut = text
    .replace(/[.,]\d+/, "")
    .replace(" ", "T")
    .toUpperCase();
  const zoned = cut.length > 10 && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(cut) ? `${cut}Z` : cut;
  const whole = Date.parse(zoned.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
  return whole + (fraction === undefined ? 0 : Number(`0.${fraction}`) * 1000);
}

/** The spelling nearly all records have, `2026-01-31T12:00:00.123Z`, without a regular expression or Date.parse. */
function parseCommon(text: string): number {
  if (text.length !== 24 || text.charCodeAt(23) !== 90 || text.charCodeAt(10) !== 84) return Number.NaN;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(13) !== 58 || text.charCodeAt(19) !== 46) return Number.NaN;
  const [hour, minute, second] = [digits(text, 11, 2), digits(text, 14, 2), digits(text, 17, 2)];
  if (text.charCodeAt(16) !== 58 || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  return dayStart(text) + hour * 3_600_000 + minute * 60_000 + second * 1000 + digits(text, 20, 3);
}

let lastDay = "";
let lastDayStart = Number.NaN;

function dayStart(text: string): number {
  if (!text.startsWith(lastDay) || lastDay === "") {
    lastDay = text.slice(0, 10);
    lastDayStart = Date.parse(`${lastDay}T00:00:00Z`);
  }
  return lastDayStart;
}

function digits(text: string, from: number, count: number): number {
  let value = 0;
  for (let index = from; index < from + count; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
