const DECIMAL = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,3})?$/i;

/**
 * A figure that somebody wrote down: a number, or the text of one (languages with decimals write `"0.0042"`). Undefined
 * for what is negative, not finite, or no number. Integers beyond 2^53 come as `bigint` and lose their last digits.
 */
export function figureOf(value: unknown): number | undefined {
  const number =
    typeof value === "number" || typeof value === "bigint"
      ? Number(value)
      : typeof value === "string" && DECIMAL.test(value.trim())
        ? Number(value)
        : Number.NaN;
  return Number.isFinite(number) && number >= 0 ? number + 0 : undefined;
}

/** A count, such as of tokens: a whole figure that a double counts exactly (up to 2^53 - 1); undefined otherwise. */
export function countOf(value: unknown): number | undefined {
  const figure = figureOf(value);
  return figure !== undefined && Number.isSafeInteger(figure) ? figure : undefined;
}

/** The sum of what is known; undefined when nothing is, or when the sum of counts is beyond what a double counts. */
export function sumOf(values: Iterable<number | undefined>): number | undefined {
  let sum: number | undefined;
  for (const value of values) if (value !== undefined) sum = (sum ?? 0) + value;
  return sum !== undefined && Number.isInteger(sum) && !Number.isSafeInteger(sum) ? undefined : sum;
}

/** US dollars without the dust of binary fractions: twelve digits are more than any bill has. */
export function roundUsd(usd: number): number {
  return Number(usd.toPrecision(12));
}

/** Milliseconds since 1970 of an ISO 8601 time, or of a number of seconds or milliseconds since 1970; else undefined. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === "string" && /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(value)) {
    const time = Date.parse(value);
    return Number.isNaN(time) ? undefined : time;
  }
  if (typeof value !== "number" || !(value >= 1e9 && value < 1e14)) return undefined;
  return value < 1e11 ? Math.round(value * 1000) : Math.round(value);
}

/** Milliseconds since 1970 of a count of nanoseconds, as OTLP writes them (text, number or bigint); else undefined. */
export function instantOfNanoseconds(value: unknown): number | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return undefined;
  const ms = Number(value) / 1e6;
  return Number.isFinite(ms) && ms > 0 && ms < 8.64e15 ? ms : undefined;
}
