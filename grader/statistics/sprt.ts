/** Wald's sequential test of a pass rate: is it `p1` or better, or `p0` or worse? All but `maximum` are probabilities. */
export interface SprtPlan {
  /** Pass rate that counts as bad. */
  readonly p0: number;
  /** Pass rate that counts as good; above `p0`. */
  readonly p1: number;
  /** Allowed probability to accept an app whose rate is `p0`. */
  readonly alpha: number;
  /** Allowed probability to reject an app whose rate is `p1`. */
  readonly beta: number;
  /** Graded runs after which the test ends undecided; Infinity for no end. */
  readonly maximum: number;
}

export type PlannedSprt = { readonly ok: true; readonly plan: SprtPlan } | { readonly ok: false; readonly why: string };

/** `accept`: p1 or better; `reject`: p0 or worse; `continue`: more runs are needed; `undecided`: the maximum is reached. */
export type SprtDecision = "accept" | "reject" | "continue" | "undecided";

export interface SprtState {
  readonly passed: number;
  readonly failed: number;
  /** Log of the likelihood ratio of p1 to p0, natural logarithm. */
  readonly logRatio: number;
  readonly decision: SprtDecision;
}

/** What `--until-sure` uses when nothing else is said. */
export const DEFAULT_SPRT: SprtPlan = { p0: 0.5, p1: 0.9, alpha: 0.05, beta: 0.05, maximum: 20 };

/** A log ratio this close to a bound has reached it, so that rounding never costs an extra run. */
const ROUNDING = 1e-9;

/** Fills a plan from the defaults and checks it; a plan that cannot be is a value with the reason, in words. */
export function planSprt(wanted: Partial<SprtPlan> = {}): PlannedSprt {
  const plan = { ...DEFAULT_SPRT, ...wanted };
  const why = complaint(plan);
  return why === undefined ? { ok: true, plan } : { ok: false, why };
}

function complaint({ p0, p1, alpha, beta, maximum }: SprtPlan): string | undefined {
  if (!(p0 > 0 && p0 < 1)) return `p0 must lie between 0 and 1, got ${p0}`;
  if (!(p1 > 0 && p1 < 1)) return `p1 must lie between 0 and 1, got ${p1}`;
  if (!(p1 > p0)) return `p1 (${p1}) must be above p0 (${p0})`;
  if (!(alpha > 0 && alpha < 0.5)) return `alpha must lie between 0 and 0.5, got ${alpha}`;
  if (!(beta > 0 && beta < 0.5)) return `beta must lie between 0 and 0.5, got ${beta}`;
  const isLimit = maximum === Number.POSITIVE_INFINITY || Number.isSafeInteger(maximum);
  if (!isLimit || maximum < 1) return `the maximum must be a whole number of runs from 1, got ${maximum}`;
  return undefined;
}

/** The numbers the test works with, as natural logarithms: what a pass and a failure add, and where it stops. */
export interface SprtBounds {
  readonly perPass: number;
  readonly perFailure: number;
  /** log((1 - beta) / alpha); accepted from here up. */
  readonly acceptAt: number;
  /** log(beta / (1 - alpha)); rejected from here down. */
  readonly rejectAt: number;
}

/** Wald's bounds (Wald 1945, "Sequential tests of statistical hypotheses"). The plan is one `planSprt` let through. */
export function sprtBounds({ p0, p1, alpha, beta }: SprtPlan): SprtBounds {
  return {
    perPass: Math.log(p1 / p0),
    perFailure: Math.log((1 - p1) / (1 - p0)),
    acceptAt: Math.log((1 - beta) / alpha),
    rejectAt: Math.log(beta / (1 - alpha)),
  };
}

/** The state before the first run. */
export function startSprt(): SprtState {
  return { passed: 0, failed: 0, logRatio: 0, decision: "continue" };
}

/**
 * The state after one more graded run, in the order the runs were started. Runs that ended in `error` or `inconclusive`
 * are no observations and are not given here. Once decided, the state never changes: a later run cannot undo it.
 */
export function stepSprt(plan: SprtPlan, state: SprtState, didPass: boolean): SprtState {
  if (state.decision !== "continue") return state;
  const passed = state.passed + (didPass ? 1 : 0);
  const failed = state.failed + (didPass ? 0 : 1);
  return { passed, failed, ...sprtRule(plan)(passed, failed) };
}

/** `stepSprt` over a list of outcomes (true is a pass). */
export function runSprt(plan: SprtPlan, outcomes: readonly boolean[]): SprtState {
  return outcomes.reduce((state, didPass) => stepSprt(plan, state, didPass), startSprt());
}

/** The stopping rule over counts, with its bounds worked out once. */
export function sprtRule(plan: SprtPlan): (passed: number, failed: number) => Pick<SprtState, "logRatio" | "decision"> {
  const { perPass, perFailure, acceptAt, rejectAt } = sprtBounds(plan);
  return (passed, failed) => {
    const logRatio = passed * perPass + failed * perFailure;
    if (logRatio >= acceptAt - ROUNDING) return { logRatio, decision: "accept" };
    if (logRatio <= rejectAt + ROUNDING) return { logRatio, decision: "reject" };
    return { logRatio, decision: passed + failed >= plan.maximum ? "undecided" : "continue" };
  };
}

/** After `runs` graded runs: the fewest passes that accept and the most that reject; undefined where none can. */
export interface SprtThreshold {
  readonly runs: number;
  readonly acceptFrom: number | undefined;
  readonly rejectUpTo: number | undefined;
}

/** The stopping rule as counts, for a table or a sentence. `runs` is a whole number from 1. */
export function sprtThreshold(plan: SprtPlan, runs: number): SprtThreshold {
  let acceptFrom: number | undefined;
  let rejectUpTo: number | undefined;
  const rule = sprtRule({ ...plan, maximum: Number.POSITIVE_INFINITY });
  for (let passed = 0; passed <= runs; passed++) {
    const { decision } = rule(passed, runs - passed);
    if (decision === "reject") rejectUpTo = passed;
    if (decision === "accept") acceptFrom ??= passed;
  }
  return { runs, acceptFrom, rejectUpTo };
}

/** Runs in a row, all alike, that settle the test soonest: passes to accept, failures to reject. */
export function sprtShortest(plan: SprtPlan): { readonly passesToAccept: number; readonly failuresToReject: number } {
  const { perPass, perFailure, acceptAt, rejectAt } = sprtBounds(plan);
  return {
    passesToAccept: Math.ceil((acceptAt - ROUNDING) / perPass),
    failuresToReject: Math.ceil((rejectAt + ROUNDING) / perFailure),
  };
}
