/** Ranges of an epoch time in each unit, about the years 1998 to 2128; a number outside all of them is no epoch time. */
const UNITS = [
  { from: 9e8, to: 5e9, digits: 0 },
  { from: 9e11, to: 5e12, digits: 3 },
  { from: 9e14, to: 5e15, digits: 6 },
  { from: 9e17, to: 5e18, digits: 9 },
] as const;

const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;
const ZONED_TEXT = /^[A-Z][a-z]{2},? .*(?:GMT|UTC|[+-]\d{4})/;
const EPOCH = /^(?<whole>\d{9,19})(?:\.(?<fraction>\d{1,9}))?$/;

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

function isoFromText(text: string): string | undefined {
  if (text.length > 64) return undefined;
  if (ISO.test(text)) return Number.isNaN(Date.parse(text.replace(",", "."))) ? undefined : text;
  if (!ZONED_TEXT.test(text)) return isoFromEpoch(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

function isoFromEpoch(text: string): string | undefined {
  const groups = EPOCH.exec(text)?.groups;
  const whole = groups?.["whole"];
  if (whole === undefined) return undefined;
  const size = Number(whole);
  const unit = UNITS.find(({ from, to }) => size >= from && size < to);
  if (unit === undefined) return undefined;
  const seconds = whole.slice(0, whole.length - unit.digits);
  const fraction = (whole.slice(whole.length - unit.digits) + (groups?.["fraction"] ?? "")).padEnd(3, "0");
  const kept = unit.digits === 0 ? (groups?.["fraction"] ?? "").padEnd(3, "0") : fraction;
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${kept}Z`;
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
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${below}Z`;
}
