/**
 * Jensen-Shannon divergence of two distributions over the same categories, in bits, from 0 (equal) to 1 (nothing in
 * common) (Lin 1991). Weights or counts are normalised first; zeros are allowed. Undefined when a side has no weight at
 * all; different lengths, negative or non-finite weights are a `RangeError`.
 */
export function jensenShannon(p: readonly number[], q: readonly number[]): number | undefined {
  if (p.length !== q.length) throw new RangeError(`${p.length} categories against ${q.length}`);
  const [left, right] = [normalised(p), normalised(q)];
  if (left === undefined || right === undefined) return undefined;
  const middle = left.map((share, index) => (share + (right[index] ?? 0)) / 2);
  return Math.min(1, Math.max(0, (relativeEntropy(left, middle) + relativeEntropy(right, middle)) / 2));
}

/** The square root of `jensenShannon`, a metric from 0 to 1 (Endres & Schindelin 2003); undefined as there. */
export function jensenShannonDistance(p: readonly number[], q: readonly number[]): number | undefined {
  const divergence = jensenShannon(p, q);
  return divergence === undefined ? undefined : Math.sqrt(divergence);
}

function normalised(weights: readonly number[]): number[] | undefined {
  if (!weights.every((weight) => weight >= 0 && Number.isFinite(weight))) {
    throw new RangeError("weights of a distribution must be finite and not negative");
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return total === 0 ? undefined : weights.map((weight) => weight / total);
}

function relativeEntropy(from: readonly number[], to: readonly number[]): number {
  return from.reduce((sum, share, index) => {
    return share === 0 ? sum : sum + share * Math.log2(share / (to[index] ?? share));
  }, 0);
}

export type Vector = readonly number[];

/** Squared maximum mean discrepancy of two samples under a Gaussian kernel. */
export interface MeanDiscrepancy {
  /** V-statistic: never negative, 0 for equal samples, too large on average. */
  readonly biased: number;
  /** U-statistic: right on average, may be negative; undefined when a sample has only one vector. */
  readonly unbiased: number | undefined;
}

/**
 * Squared maximum mean discrepancy with the kernel exp(-gamma |x - y|^2), gamma = 1 / (2 sigma^2) (Gretton et al. 2012).
 * Undefined when a sample is empty. Vectors of different lengths, non-finite numbers, or a gamma that is not positive
 * are a `RangeError`. Time grows with the square of the sample sizes.
 */
export function meanDiscrepancy(
  xs: readonly Vector[],
  ys: readonly Vector[],
  gamma: number,
): MeanDiscrepancy | undefined {
  requireVectors([...xs, ...ys], gamma);
  const [n, m] = [xs.length, ys.length];
  if (n === 0 || m === 0) return undefined;
  const [withinX, withinY] = [kernelSum(xs, xs, gamma), kernelSum(ys, ys, gamma)];
  const across = (2 * kernelSum(xs, ys, gamma)) / (n * m);
  const biased = Math.max(0, withinX / n ** 2 + withinY / m ** 2 - across);
  if (n === 1 || m === 1) return { biased, unbiased: undefined };
  // The n kernel values of a vector with itself are 1 each; the U-statistic leaves them out.
  return { biased, unbiased: (withinX - n) / (n * (n - 1)) + (withinY - m) / (m * (m - 1)) - across };
}

function requireVectors(vectors: readonly Vector[], gamma: number): void {
  if (!(gamma > 0 && Number.isFinite(gamma))) throw new RangeError(`gamma must be positive, got ${gamma}`);
  const dimensions = vectors[0]?.length ?? 0;
  const fits = vectors.every((vector) => vector.length === dimensions && vector.every(Number.isFinite));
  if (!fits) throw new RangeError(`all vectors need the same ${dimensions} finite numbers`);
}

function kernelSum(xs: readonly Vector[], ys: readonly Vector[], gamma: number): number {
  let sum = 0;
  for (const x of xs) for (const y of ys) sum += Math.exp(-gamma * squaredDistance(x, y));
  return sum;
}

function squaredDistance(x: Vector, y: Vector): number {
  return x.reduce((sum, value, index) => sum + (value - (y[index] ?? value)) ** 2, 0);
}
