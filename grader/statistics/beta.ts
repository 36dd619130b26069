import { requireInside } from "./counts.ts";

/** Coefficients B(2k) / (2k (2k - 1)) of Stirling's series for log gamma (Abramowitz & Stegun 6.1.40). */
const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360_360, 1 / 156, -3617 / 122_400];
const STIRLING_FROM = 15;
const TINY = 1e-300;
const MAX_TERMS = 100_000;

/** Natural logarithm of the gamma function for x > 0, to about 1e-14; a `RangeError` otherwise. */
export function logGamma(x: number): number {
  if (!(x > 0)) throw new RangeError(`logGamma needs a positive number, got ${x}`);
  let shifted = x;
  let product = 1;
  while (shifted < STIRLING_FROM) product *= shifted++;
  const inverseSquare = 1 / (shifted * shifted);
  const series = STIRLING.reduceRight((sum, coefficient) => sum * inverseSquare + coefficient, 0) / shifted;
  return (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}

/**
 * The regularised incomplete beta function I_x(a, b), that is the distribution function of a beta law with parameters
 * a, b > 0, by its continued fraction (Abramowitz & Stegun 26.5.8, evaluated as in Lentz 1976). x is held to 0..1.
 */
export function regularisedBeta(x: number, a: number, b: number): number {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - lowerPart(1 - x, b, a);
  return lowerPart(x, a, b);
}

function lowerPart(x: number, a: number, b: number): number {
  const logFactor = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x) - Math.log(a);
  return Math.exp(logFactor) / continuedFraction(x, a, b);
}

function continuedFraction(x: number, a: number, b: number): number {
  let value = 1;
  let c = 1;
  let d = 0;
  for (let term = 1; term <= MAX_TERMS; term++) {
    const coefficient = betaCoefficient(term, { x, a, b });
    d = 1 / awayFromZero(1 + coefficient * d);
    c = awayFromZero(1 + coefficient / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < 2 ** -52) break;
  }
  return value;
}

function betaCoefficient(term: number, { x, a, b }: { x: number; a: number; b: number }): number {
  const m = Math.floor(term / 2);
  const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
  const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
  return term % 2 === 0 ? even : odd;
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/**
 * The x with I_x(a, b) = probability, by bisection until no double lies between the bounds: slower than Newton's method
 * and never astray, since the function only rises. `probability` lies strictly between 0 and 1, a and b are positive.
 */
export function betaQuantile(probability: number, a: number, b: number): number {
  requireInside("probability", probability);
  let low = 0;
  let high = 1;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (regularisedBeta(middle, a, b) < probability) low = middle;
    else high = middle;
  }
}
