import { logGamma } from "./beta.ts";

/** The binomial coefficient C(n, k), exactly; 0 when k is negative or above n. */
export function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  const terms = Math.min(k, n - k);
  let value = 1n;
  for (let i = 1; i <= terms; i++) value = (value * BigInt(n - terms + i)) / BigInt(i);
  return value;
}

/**
 * Probability of exactly `passed` passes in `runs` independent runs that pass with probability `p` (binomial law), in
 * log space so that large numbers of runs neither overflow nor underflow early. 0 outside 0..runs.
 */
export function binomialProbability(passed: number, runs: number, p: number): number {
  if (passed < 0 || passed > runs) return 0;
  if (p <= 0) return passed === 0 ? 1 : 0;
  if (p >= 1) return passed === runs ? 1 : 0;
  const logWays = logGamma(runs + 1) - logGamma(passed + 1) - logGamma(runs - passed + 1);
  return Math.exp(logWays + passed * Math.log(p) + (runs - passed) * Math.log1p(-p));
}
