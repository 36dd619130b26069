import { type SprtPlan, sprtBounds, sprtRule } from "./sprt.ts";

/** What the sequential test does at one true pass rate, exactly. Probabilities are 0..1 and add up to 1; trials count runs. */
export interface SprtCharacteristics {
  readonly acceptProbability: number;
  readonly rejectProbability: number;
  /** Probability to reach the plan's maximum undecided. */
  readonly undecidedProbability: number;
  readonly expectedTrials: number;
  /** Smallest number of runs by which the test has ended with probability one half or more. */
  readonly medianTrials: number;
}

/** With no maximum the recursion stops when less than this probability is still undecided, or at the step limit. */
const NEGLIGIBLE = 1e-17;
const STEP_LIMIT = 200_000;

/**
 * Exact behaviour of the test at the true pass rate `p` (0..1), by dynamic programming over (runs, passes) with the very
 * stopping rule of `stepSprt`, overshoot and maximum included, where Wald's formulas are approximate. With an endless
 * plan, probability left after 200,000 runs is reported as undecided. A p outside 0..1 is a `RangeError`.
 */
export function sprtCharacteristics(plan: SprtPlan, p: number): SprtCharacteristics {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`a pass rate must lie in 0..1, got ${p}`);
  const last = Math.min(plan.maximum, STEP_LIMIT);
  const rule = sprtRule(plan);
  const ends = { accept: 0, reject: 0, undecided: 0 };
  let alive = new Map([[0, 1]]);
  let expectedTrials = 0;
  let medianTrials = 0;
  for (let runs = 1; runs <= last; runs++) {
    const mass = total(alive);
    if (mass < NEGLIGIBLE) break;
    expectedTrials += mass;
    alive = advance(alive, { runs, p, rule, ends });
    if (medianTrials === 0 && ends.accept + ends.reject + ends.undecided >= 0.5 - 1e-12) medianTrials = runs;
  }
  return {
    acceptProbability: ends.accept,
    rejectProbability: ends.reject,
    undecidedProbability: ends.undecided + total(alive),
    expectedTrials,
    medianTrials: medianTrials === 0 ? last : medianTrials,
  };
}

interface Advance {
  readonly runs: number;
  readonly p: number;
  readonly rule: ReturnType<typeof sprtRule>;
  readonly ends: { accept: number; reject: number; undecided: number };
}

/** One more run from every undecided number of passes; what ends goes to `ends`, what does not is returned. */
function advance(alive: ReadonlyMap<number, number>, { runs, p, rule, ends }: Advance): Map<number, number> {
  const next = new Map<number, number>();
  for (const [passed, probability] of alive) {
    next.set(passed, (next.get(passed) ?? 0) + probability * (1 - p));
    next.set(passed + 1, (next.get(passed + 1) ?? 0) + probability * p);
  }
  for (const [passed, probability] of next) {
    const { decision } = rule(passed, runs - passed);
    if (decision === "continue" && probability > 0) continue;
    if (decision !== "continue") ends[decision] += probability;
    next.delete(passed);
  }
  return next;
}

function total(masses: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const mass of masses.values()) sum += mass;
  return sum;
}

/**
 * Wald's approximate expected numbers of runs at p0 and at p1 (Wald 1945), which ignore overshoot and so are too small;
 * for comparison with the exact numbers of `sprtCharacteristics`.
 */
export function waldExpectedTrials(plan: SprtPlan): { readonly atP0: number; readonly atP1: number } {
  const { perPass, perFailure, acceptAt, rejectAt } = sprtBounds(plan);
  const drift = (p: number) => p * perPass + (1 - p) * perFailure;
  return {
    atP0: (plan.alpha * acceptAt + (1 - plan.alpha) * rejectAt) / drift(plan.p0),
    atP1: ((1 - plan.beta) * acceptAt + plan.beta * rejectAt) / drift(plan.p1),
  };
}
