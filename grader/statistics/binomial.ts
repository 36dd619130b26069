import { logGamma } from "./beta.ts";

/** Up to here the coefficient (at most 1e59) and the powers are plain doubles; above, log space keeps them in range. */
const DIRECT_RUNS = 200;

/** The binomial coefficient C(n, k), exactly; 0 when k is negative or above n. */
export function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  const terms = Math.min(k, n - k);
  let value = 1n;
  for (let i = 1; i <= terms; i++) value = (value * BigInt(n - terms + i)) / BigInt(i);
  return value;
}

/** All coefficients C(n, 0) .. C(n, n), exactly. */
export function chooseRow(n: number): bigint[] {
  const row = [1n];
  for (let k = 1; k <= n; k++) row.push(((row[k - 1] ?? 0n) * BigInt(n - k + 1)) / BigInt(k));
  return row;
}

/**
 * Probability of exactly `passed` passes in `runs` independent runs that pass with probability `p` (binomial law), to
 * about 1e-13 relative for hundreds of runs and 1e-9 for millions. 0 outside 0..runs; p is held to 0..1.
 */
export function binomialProbability(passed: number, runs: number, p: number): number {
  if (passed < 0 || passed > runs) return 0;
  if (p <= 0) return passed === 0 ? 1 : 0;
  if (p >= 1) return passed === runs ? 1 : 0;
  if (runs <= DIRECT_RUNS)
    return coefficient(runs, Math.min(passed, runs - passed)) * p ** passed * (1 - p) ** (runs - passed);
  const logWays = logGamma(runs + 1) - logGamma(passed + 1) - logGamma(runs - passed + 1);
  return Math.exp(logWays + passed * Math.log(p) + (runs - passed) * Math.log1p(-p));
}

function coefficient(n: number, k: number): number {
  let value = 1;
  for (let i = 1; i <= k; i++) value = (value * (n - k + i)) / i;
  return value;
}
