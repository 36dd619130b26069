import type { Interval } from "./interval.ts";

/**
 * A share as a whole percentage, with decimals only where rounding would claim too much: 0.9996 is `99.96%`, never
 * `100%`, and 0.004 is `0.4%`, never `0%`; closer than 0.001% to an end it says `over 99.999%` or `under 0.001%`.
 */
export function share(value: number): string {
  if (value <= 0 || value >= 1) return `${Math.round(value * 100)}%`;
  for (let decimals = 0; decimals <= 3; decimals++) {
    const text = (value * 100).toFixed(decimals);
    if (Number(text) > 0 && Number(text) < 100) return `${text}%`;
  }
  return value > 0.5 ? "over 99.999%" : "under 0.001%";
}

/** An interval of shares: `38–96%`, or `90% to over 99.999%` where an end is no plain number. */
export function range({ low, high }: Interval): string {
  const [from, to] = [share(low), share(high)];
  const isPlain = /^[0-9.]+%[0-9.]+%$/.test(from + to);
  return isPlain ? `${from.slice(0, -1)}–${to}` : `${from} to ${to}`;
}

/** A difference of shares in percentage points with its sign, minus as U+2212: `+31`, `−60`, `0`. */
export function signedPoints(value: number): string {
  const rounded = Math.round(Math.abs(value) * 100);
  if (rounded === 0) return "0";
  return `${value < 0 ? "\u2212" : "+"}${rounded}`;
}

/** `point` or `points` for a difference. */
export function points(value: number): string {
  return Math.round(Math.abs(value) * 100) === 1 ? "point" : "points";
}

/** A p as the end of `p = 0.66` with its sign: two decimals, three below 0.1, `< 0.001` below that. */
export function probability(p: number): string {
  if (p < 0.001) return "< 0.001";
  return `= ${p.toFixed(p < 0.1 ? 3 : 2)}`;
}

/** `1 run`, `5 runs`. */
export function runsOf(count: number): string {
  return count === 1 ? "1 run" : `${count} runs`;
}
