import { type Counts, requireCounts } from "./counts.ts";
import { type Fraction, fraction, toNumber } from "./fraction.ts";

/**
 * pass@k: the probability that at least one of k runs passes, estimated without bias as 1 - C(n-c, k) / C(n, k) from c
 * passes in n runs (Chen et al. 2021). Undefined when k is above n, below 1 or no whole number: so many runs were not
 * made. Impossible counts are a `RangeError`.
 */
export function passAtK(counts: Counts, k: number): number | undefined {
  const exact = passAtKExact(counts, k);
  return exact === undefined ? undefined : toNumber(exact);
}

/**
 * pass^k: the probability that all of k runs pass, estimated without bias as C(c, k) / C(n, k) (Yao et al. 2024).
 * Undefined and `RangeError` as for `passAtK`.
 */
export function passHatK(counts: Counts, k: number): number | undefined {
  const exact = passHatKExact(counts, k);
  return exact === undefined ? undefined : toNumber(exact);
}

/** `passAtK` as an exact fraction in lowest terms. */
export function passAtKExact(counts: Counts, k: number): Fraction | undefined {
  requireCounts(counts);
  const noneOf = chosenShare(counts.runs - counts.passed, counts.runs, k);
  return noneOf && fraction(noneOf.denominator - noneOf.numerator, noneOf.denominator);
}

/** `passHatK` as an exact fraction in lowest terms. */
export function passHatKExact(counts: Counts, k: number): Fraction | undefined {
  requireCounts(counts);
  return chosenShare(counts.passed, counts.runs, k);
}

/** C(part, k) / C(whole, k) as the product of (part - i) / (whole - i), so that no factorial is needed. */
function chosenShare(part: number, whole: number, k: number): Fraction | undefined {
  if (!Number.isSafeInteger(k) || k < 1 || k > whole) return undefined;
  if (k > part) return fraction(0n, 1n);
  let numerator = 1n;
  let denominator = 1n;
  for (let i = 0; i < k; i++) {
    numerator *= BigInt(part - i);
    denominator *= BigInt(whole - i);
  }
  return fraction(numerator, denominator);
}
