const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Text of a duration: a number and its unit, such as `500ms`, `1.5s`, `2m`, `1h`, `7d`. */
export const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Milliseconds of a duration, or undefined when the text is none (a bare number is none). */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  const size = UNITS[unit ?? ""];
  return amount === undefined || size === undefined ? undefined : Math.round(Number(amount) * size * 1000) / 1000;
}
