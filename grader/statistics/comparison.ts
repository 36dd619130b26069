import { barnardExact } from "./barnard.ts";
import { alphaOf, type Counts, DEFAULT_LEVEL } from "./counts.ts";
import { type Difference, newcombe, newcombePaired, type Pairs } from "./difference.ts";
import { fisherExact } from "./fisher.ts";
import { mcnemarExact } from "./mcnemar.ts";

/** `none`: no evidence either way, which is not evidence that they are equal. */
export type Evidence = "a_better" | "b_better" | "none";

/** Two variants measured on runs of their own. */
export interface RateComparison {
  readonly kind: "independent";
  readonly a: Counts;
  readonly b: Counts;
  /** A minus B with Newcombe's interval. */
  readonly difference: Difference;
  /** Two-sided p of Fisher's exact test, which decides. */
  readonly fisher: number;
  /** Two-sided p of Barnard's exact test; undefined above 1,000 runs, where it takes too long and adds nothing. */
  readonly barnard: number | undefined;
  readonly level: number;
  readonly evidence: Evidence;
}

/** Two variants measured on the same tasks. */
export interface PairedComparison {
  readonly kind: "paired";
  readonly pairs: Pairs;
  readonly difference: Difference;
  /** Two-sided p of the exact McNemar test, which decides. */
  readonly mcnemar: number;
  readonly level: number;
  readonly evidence: Evidence;
}

const MOST_RUNS_FOR_BARNARD = 1000;

/** Compares two pass rates. A side without runs gives no evidence, p = 1. Impossible counts are a `RangeError`. */
export function compareRates(a: Counts, b: Counts, level: number = DEFAULT_LEVEL): RateComparison {
  const difference = newcombe(a, b, level);
  const fisher = fisherExact(a, b);
  const barnard = a.runs + b.runs > MOST_RUNS_FOR_BARNARD ? undefined : barnardExact(a, b);
  return {
    kind: "independent",
    a,
    b,
    difference,
    fisher,
    barnard,
    level,
    evidence: evidence(fisher, difference, level),
  };
}

/** Compares two variants task by task. Without pairs that differ: no evidence, p = 1. */
export function comparePairs(pairs: Pairs, level: number = DEFAULT_LEVEL): PairedComparison {
  const difference = newcombePaired(pairs, level);
  const mcnemar = mcnemarExact(pairs);
  return { kind: "paired", pairs, difference, mcnemar, level, evidence: evidence(mcnemar, difference, level) };
}

function evidence(p: number, { estimate }: Difference, level: number): Evidence {
  if (estimate === undefined || !(p < alphaOf(level))) return "none";
  return estimate > 0 ? "a_better" : "b_better";
}
