/** An exact ratio in lowest terms; the denominator is positive. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Bits kept before rounding to a double: more than 53, so that one rounding step decides. */
const GUARD_BITS = 80;

/** `numerator / denominator` in lowest terms. A denominator of 0 is a `RangeError`. */
export function fraction(numerator: bigint, denominator: bigint): Fraction {
  if (denominator === 0n) throw new RangeError("a fraction needs a denominator other than 0");
  const divisor = greatestCommonDivisor(numerator, denominator) * (denominator < 0n ? -1n : 1n);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** The double nearest to the fraction (ties to even), whatever the size of its parts; below 1e-308 it may lose digits. */
export function toNumber({ numerator, denominator }: Fraction): number {
  if (numerator < 0n) return -toNumber({ numerator: -numerator, denominator });
  if (numerator === 0n) return 0;
  const shift = GUARD_BITS - (bitLength(numerator) - bitLength(denominator));
  const scaled = shift >= 0 ? numerator << BigInt(shift) : numerator;
  const divisor = shift >= 0 ? denominator : denominator << BigInt(-shift);
  const isInexact = scaled % divisor !== 0n;
  const digits = Number((scaled / divisor) | (isInexact ? 1n : 0n));
  const half = Math.trunc(shift / 2);
  return digits * 2 ** -half * 2 ** -(shift - half);
}

/** Natural logarithm of a positive whole number of any size; -Infinity for 0. */
export function logOf(value: bigint): number {
  const excess = Math.max(0, bitLength(value) - GUARD_BITS);
  return Math.log(Number(value >> BigInt(excess))) + excess * Math.LN2;
}

/** Bits needed for a positive number, at most three too many. */
function bitLength(value: bigint): number {
  return value.toString(16).length * 4;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [high, low] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (low !== 0n) [high, low] = [low, high % low];
  return high;
}
