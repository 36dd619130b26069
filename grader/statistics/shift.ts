import { DEFAULT_LEVEL } from "./counts.ts";
import type { Interval } from "./interval.ts";
import { normalMultiplier } from "./normal.ts";
import { ascending, median } from "./quantiles.ts";

/** How much larger the values of A are than those of B, in their unit (a duration, a cost). */
export interface Shift {
  readonly estimate: number;
  /** Undefined when there are too few values for the level: 95% needs four on each side. */
  readonly interval: Interval | undefined;
}

/** Up to this many pairs the rank distribution is counted out; above it the normal law stands in for it. */
const EXACT_PAIRS = 900;

/**
 * The Hodges-Lehmann shift between two independent samples: the median of all differences a - b, with the interval that
 * inverts the Mann-Whitney test (Hodges & Lehmann 1963; Bauer 1972). It assumes no normal law, so one run that took ten
 * times as long does not move it much. Exact up to 900 pairs, by the normal approximation above. Undefined when a side
 * is empty; a non-finite value is a `RangeError`.
 */
export function shiftBetween(
  a: readonly number[],
  b: readonly number[],
  level: number = DEFAULT_LEVEL,
): Shift | undefined {
  const differences = ascending(a.flatMap((value) => b.map((other) => value - other)));
  const estimate = median(differences);
  if (estimate === undefined) return undefined;
  const cut = criticalRank(a.length, b.length, level);
  const low = differences[cut - 1];
  const high = differences[differences.length - cut];
  return { estimate, interval: low === undefined || high === undefined ? undefined : { low, high } };
}

/** The largest k whose k - 1 smallest values of the Mann-Whitney statistic hold at most half of 1 - level. */
function criticalRank(n: number, m: number, level: number): number {
  if (n * m > EXACT_PAIRS) {
    const spread = Math.sqrt((n * m * (n + m + 1)) / 12);
    return Math.max(0, Math.floor((n * m) / 2 - normalMultiplier(level) * spread));
  }
  const ways = rankSumWays(n, m);
  const allowed = (ways.reduce((sum, count) => sum + count, 0) * (1 - level)) / 2;
  let tail = 0;
  const first = ways.findIndex((count) => {
    tail += count;
    return tail > allowed;
  });
  return Math.max(0, first);
}

/**
 * For each value u of the Mann-Whitney statistic, in how many of the orders of n and m values it arises: partitions of u
 * into at most n parts of at most m, counted by taking each of the n + m ranks or not.
 */
function rankSumWays(n: number, m: number): number[] {
  const width = n * m + 1;
  const ways = Array.from({ length: n + 1 }, () => new Array<number>(width).fill(0));
  const none = ways[0];
  if (none !== undefined) none[0] = 1;
  for (let rank = 1; rank <= n + m; rank++) {
    for (let taken = Math.min(n, rank); taken >= 1; taken--) addRank(ways[taken - 1], ways[taken], rank - taken);
  }
  return ways[n] ?? [];
}

/** Taking this rank as the `taken`-th smallest puts `below` values of the other sample beneath it. */
function addRank(from: readonly number[] | undefined, to: number[] | undefined, below: number): void {
  if (from === undefined || to === undefined) return;
  for (let u = to.length - 1; u >= below; u--) to[u] = (to[u] ?? 0) + (from[u - below] ?? 0);
}
