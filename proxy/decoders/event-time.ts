/** Ranges of an epoch time in each unit, about the years 1998 to 2128; a number outside all of them is no epoch time. */
const UNITS = [
  { from: 9e8, to: 5e9, digits: 0 },
  { from: 9e11, to: 5e12, digits: 3 },
  { from: 9e14, to: 5e15, digits: 6 },
  { from: 9e17, to: 5e18, digits: 9 },
] as const;

const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;
/** What most apps write, and of that what no calendar has to be asked about: the days that each month has. */
const SURE_ISO = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?Z$/;
const ZONED_TEXT = /^[A-Z][a-z]{2},? .*(?:GMT|UTC|[+-]\d{4})/;
const EPOCH = /^(\d{9,19})(?:\.(\d{1,9}))?$/;

/**
 * An event's time as ISO 8601. ISO text is returned as it stands, whatever its precision; epoch numbers (also as text) in
 * seconds, milliseconds, microseconds or nanoseconds are told apart by their size and keep all their digits; HTTP-date
 * text is converted. Returns undefined for anything else, such as a time counted from the start of a page.
 */
export function isoTime(value: unknown): string | undefined {
  if (typeof value === "string") return isoFromText(value);
  if (typeof value === "number" || typeof value === "bigint") return isoFromEpoch(String(value));
  return undefined;
}

const DASH = 0x2d;
const NINE = 0x39;

function isoFromText(text: string): string | undefined {
  if (text.length > 64) return undefined;
  // a year's dash and a weekday's letter are what the other two forms cannot be without
  if (text.charCodeAt(0) <= NINE && text.charCodeAt(4) !== DASH) return isoFromEpoch(text);
  if (SURE_ISO.test(text)) return text;
  if (ISO.test(text)) return Number.isNaN(Date.parse(text.replace(",", "."))) ? undefined : text;
  if (!ZONED_TEXT.test(text)) return isoFromEpoch(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

const NANOSECONDS = /^\d{19}$/;

function isoFromEpoch(text: string): string | undefined {
  // OTLP's times; 5e18 is past the end of its unit, and 19 digits with a leading zero fit none
  if (NANOSECONDS.test(text) && text.charCodeAt(0) > 0x30 && text.charCodeAt(0) < 0x35)
    return `${dateOf(text.slice(0, 10))}.${text.slice(10)}Z`;
  const [, whole, behind = ""] = EPOCH.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const size = Number(whole);
  const unit = UNITS.find(({ from, to }) => size >= from && size < to);
  if (unit === undefined) return undefined;
  const seconds = whole.slice(0, whole.length - unit.digits);
  const kept = (whole.slice(whole.length - unit.digits) + behind).padEnd(3, "0");
  return `${dateOf(seconds)}.${kept}Z`;
}

/** Events of one body are mostly of one day, and a date takes longer to write than all the rest. */
let lastDay = { day: Number.NaN, text: "" };

/** And many of them are of one second. */
let lastSecond = { text: "", date: "" };

/** Whole seconds since the epoch as `2026-01-31T12:00:00`. */
function dateOf(text: string): string {
  if (lastSecond.text !== text) lastSecond = { text, date: dateOfSecond(text) };
  return lastSecond.date;
}

function dateOfSecond(text: string): string {
  const seconds = Number(text);
  const day = Math.floor(seconds / 86_400);
  if (lastDay.day !== day) lastDay = { day, text: new Date(day * 86_400_000).toISOString().slice(0, 11) };
  const inDay = seconds - day * 86_400;
  const minutes = Math.floor(inDay / 60);
  const hours = Math.floor(minutes / 60);
  return `${lastDay.text}${twoDigits(hours)}:${twoDigits(minutes - hours * 60)}:${twoDigits(inDay - minutes * 60)}`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

const DIGITS = { s: 0, ms: 3, us: 6, ns: 9 } as const;
const NUMBER = /^(?<whole>\d{1,19})(?:\.(?<fraction>\d{1,9}))?$/;
/** The last moment that ISO 8601 writes with four digits for the year. */
const MAX_SECONDS = 253_402_300_799;

/** An epoch number (or its text) in a known unit as ISO 8601, with all its digits; undefined for anything else. */
export function isoFromUnit(value: unknown, unit: keyof typeof DIGITS): string | undefined {
  if (typeof value !== "number" && typeof value !== "bigint" && typeof value !== "string") return undefined;
  const { whole, fraction = "" } = NUMBER.exec(String(value))?.groups ?? {};
  if (whole === undefined) return undefined;
  const digits = whole.padStart(DIGITS[unit] + 1, "0");
  const seconds = Number(digits.slice(0, digits.length - DIGITS[unit]));
  if (seconds > MAX_SECONDS) return undefined;
  const below = `${digits.slice(digits.length - DIGITS[unit])}${fraction}`.padEnd(3, "0");
  return `${dateOf(String(seconds))}.${below}Z`;
}
