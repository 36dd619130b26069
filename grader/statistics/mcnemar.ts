import { type Fraction, fraction, toNumber } from "./fraction.ts";

/** Pairs (same task, both variants) on which the variants differ. */
export interface Discordant {
  readonly onlyA: number;
  readonly onlyB: number;
}

/**
 * Two-sided p of the exact McNemar test (McNemar 1947, in its binomial form) for paired outcomes: twice the smaller tail
 * of a fair coin over the pairs that differ, at most 1. Pairs that agree say nothing, so without discordant pairs p = 1.
 * Negative or fractional counts are a `RangeError`.
 */
export function mcnemarExact(pairs: Discordant): number {
  return toNumber(mcnemarFraction(pairs));
}

/** `mcnemarExact` as an exact fraction. */
export function mcnemarFraction({ onlyA, onlyB }: Discordant): Fraction {
  const fits = [onlyA, onlyB].every((count) => Number.isSafeInteger(count) && count >= 0);
  if (!fits) throw new RangeError(`${onlyA} and ${onlyB} cannot be numbers of pairs`);
  const differing = onlyA + onlyB;
  let ways = 1n;
  let tail = 0n;
  for (let i = 0; i <= Math.min(onlyA, onlyB); i++) {
    tail += ways;
    ways = (ways * BigInt(differing - i)) / BigInt(i + 1);
  }
  const all = 1n << BigInt(differing);
  return 2n * tail >= all ? fraction(1n, 1n) : fraction(2n * tail, all);
}
