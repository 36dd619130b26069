import { binomialProbability } from "./binomial.ts";
import { DEFAULT_LEVEL, requireInside } from "./counts.ts";
import type { Interval } from "./interval.ts";

/**
 * The quantile at `share` (0..1) with linear interpolation (Hyndman & Fan 1996, type 7, the default of R and NumPy), in
 * the unit of the values. Undefined without values. A non-finite value or a share outside 0..1 is a `RangeError`.
 */
export function quantile(values: readonly number[], share: number): number | undefined {
  if (!(share >= 0 && share <= 1)) throw new RangeError(`a quantile's share must lie in 0..1, got ${share}`);
  const sorted = ascending(values);
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) return undefined;
  return below + (above - below) * (position - Math.floor(position));
}

/** The median, the mean of the middle two for an even number of values; undefined without values. */
export function median(values: readonly number[]): number | undefined {
  return quantile(values, 0.5);
}

/** A copy in ascending order; a value that is not finite is a `RangeError`, because it has no place in an order. */
export function ascending(values: readonly number[]): number[] {
  if (!values.every(Number.isFinite)) throw new RangeError("values must be finite numbers");
  return [...values].sort((a, b) => a - b);
}

/**
 * Distribution-free interval for the median from two order statistics (Thompson 1936), in the unit of the values; it
 * covers at least `level`. Undefined when there are too few values for it: 95% needs six.
 */
export function medianInterval(values: readonly number[], level: number = DEFAULT_LEVEL): Interval | undefined {
  requireInside("level", level);
  const sorted = ascending(values);
  let tail = 0;
  let cut = 0;
  for (; cut < sorted.length / 2; cut++) {
    tail += binomialProbability(cut, sorted.length, 0.5);
    if (tail > (1 - level) / 2) break;
  }
  const low = sorted[cut - 1];
  const high = sorted[sorted.length - cut];
  return low === undefined || high === undefined ? undefined : { low, high };
}
