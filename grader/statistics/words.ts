import type { ClusteredRate } from "./clustered.ts";
import type { PairedComparison, RateComparison } from "./comparison.ts";
import { type Counts, rateOf } from "./counts.ts";
import { visibleAgainstPerfect } from "./detectable.ts";
import type { Difference } from "./difference.ts";
import type { GateDecision } from "./gate.ts";
import { type Interval, wilson } from "./interval.ts";
import { points, probability, range, runsOf, share, signedPoints } from "./numbers.ts";
import { passAtK, passHatK } from "./repeatability.ts";
import { type SprtPlan, type SprtState, sprtShortest } from "./sprt.ts";
import { intervalWithUnknown, rateBounds, type Tally } from "./tally.ts";

/**
 * The pass rate in words: `4 of 5 passed: 80% (95% interval 38–96%)`. With unknown runs it names the denominator:
 * `2 of 8 passed, 4 failed, 2 unknown: 33% of the graded, 25–50% of all (95% interval 7–78%)`.
 */
export function sayRate(tally: Tally): string {
  const { passed, failed, unknown } = tally;
  const runs = passed + failed + unknown;
  const { graded, lowest, highest } = rateBounds(tally);
  if (runs === 0) return "no runs, so there is no pass rate";
  if (graded === undefined || lowest === undefined || highest === undefined) {
    return `none of ${runsOf(runs)} could be graded: nothing is known about the pass rate`;
  }
  const interval = `(95% interval ${range(intervalWithUnknown(tally))})`;
  if (unknown === 0) return `${passed} of ${runs} passed: ${share(graded)} ${interval}`;
  const bounds = range({ low: lowest, high: highest });
  return `${passed} of ${runs} passed, ${failed} failed, ${unknown} unknown: ${share(graded)} of the graded, ${bounds} of all ${interval}`;
}

/** `pass@3 1.00   pass^3 0.40`, or why there is none: `pass@3 and pass^3 need 3 graded runs, there are 2`. */
export function sayRepeatability(counts: Counts, k: number): string {
  const [some, every] = [passAtK(counts, k), passHatK(counts, k)];
  if (some === undefined || every === undefined) {
    return `pass@${k} and pass^${k} need ${k} graded runs, there are ${counts.runs}`;
  }
  return `pass@${k} ${some.toFixed(2)}   pass^${k} ${every.toFixed(2)}`;
}

/**
 * What so many runs cannot tell apart: `5 runs cannot tell 80% from 95%`. Named is the best round rate (a multiple of 5%)
 * that the 95% Wilson interval still allows; the worst one when nothing better is left.
 */
export function sayResolution(counts: Counts): string {
  const rate = rateOf(counts);
  if (rate === undefined) return "without graded runs nothing can be told apart";
  const interval = wilson(counts);
  const other = roundRateWithin(interval, rate);
  if (other !== undefined) return `${runsOf(counts.runs)} cannot tell ${share(rate)} from ${other}%`;
  return `${runsOf(counts.runs)} place the rate between ${share(interval.low)} and ${share(interval.high)}`;
}

function roundRateWithin({ low, high }: Interval, rate: number): number | undefined {
  for (const step of [5, 1]) {
    const top = Math.floor(high * (100 / step) + 1e-9) * step;
    const bottom = Math.ceil(low * (100 / step) - 1e-9) * step;
    const isOther = (percent: number) => `${percent}%` !== share(rate) && percent / 100 <= high && percent / 100 >= low;
    if (top / 100 > rate && top < 100 && isOther(top)) return top;
    if (bottom / 100 < rate && isOther(bottom)) return bottom;
  }
  return undefined;
}

/** A gate's decision and by how much: `gate "all": not met by 1 run`, `gate "80%": met, 4 of 5 passed and 4 were needed`. */
export function sayGate({ gate, answer, tally, needed }: GateDecision): string {
  const runs = tally.passed + tally.failed + tally.unknown;
  const name = `gate "${gate.text}"`;
  if (runs === 0) return `${name}: undecided, because there are no runs`;
  const unknown = tally.unknown === 0 ? "" : ` (${runsOf(tally.unknown)} could not be graded)`;
  if (needed === undefined) return `${name}: not met, and ${runsOf(runs)} are too few to ever meet it`;
  switch (answer) {
    case "met":
      return `${name}: met, ${tally.passed} of ${runs} passed and ${needed} ${needed === 1 ? "was" : "were"} needed${unknown}`;
    case "not_met":
      return `${name}: not met by ${runsOf(needed - tally.passed)}${unknown}`;
    case "undecided":
      return `${name}: undecided, ${tally.passed} of ${runs} passed, ${needed} needed, and ${runsOf(tally.unknown)} could not be graded`;
  }
}

/** A plan in words: `6 passes in a row settle "90% or better", 2 failures in a row "50% or worse"; at most 20 runs`. */
export function saySprtPlan(plan: SprtPlan): string {
  const { passesToAccept, failuresToReject } = sprtShortest(plan);
  const passes = passesToAccept === 1 ? "1 pass settles" : `${passesToAccept} passes in a row settle`;
  const failures = failuresToReject === 1 ? "1 failure" : `${failuresToReject} failures in a row`;
  const end = Number.isFinite(plan.maximum) ? `at most ${runsOf(plan.maximum)}` : "no maximum";
  return `${passes} "${share(plan.p1)} or better", ${failures} "${share(plan.p0)} or worse"; ${end}`;
}

/** The sequential test in words: `undecided after 20 runs: 16 passed. Neither "90% or better" nor "50% or worse" is settled.` */
export function saySprt({ p0, p1 }: SprtPlan, { passed, failed, decision }: SprtState): string {
  const runs = runsOf(passed + failed);
  const good = `"${share(p1)} or better"`;
  const bad = `"${share(p0)} or worse"`;
  switch (decision) {
    case "accept":
      return `sure after ${runs}: ${passed} passed, so ${good} rather than ${bad}`;
    case "reject":
      return `sure after ${runs}: ${passed} passed, so ${bad} rather than ${good}`;
    case "continue":
      return `not sure yet after ${runs}: ${passed} passed`;
    case "undecided":
      return `undecided after ${runs}: ${passed} passed. Neither ${good} nor ${bad} is settled.`;
  }
}

/**
 * A comparison in words: `no evidence either way: 3 of 5 against 4 of 5, difference −20 points (95% interval −60 to +31),
 * Fisher p = 1.00, Barnard p = 0.66`. `names` are the variants', A first.
 */
export function sayComparison(comparison: RateComparison, [nameA, nameB]: readonly [string, string]): string {
  const { a, b, difference, fisher, barnard, evidence } = comparison;
  if (difference.estimate === undefined) {
    return `nothing to compare: ${a.runs === 0 ? nameA : nameB} has no graded run`;
  }
  const counts = `${a.passed} of ${a.runs} against ${b.passed} of ${b.runs}`;
  const tests = [`Fisher p ${probability(fisher)}`];
  if (barnard !== undefined) tests.push(`Barnard p ${probability(barnard)}`);
  return `${verdictWords(evidence, [nameA, nameB])}: ${counts}, ${sayDifference(difference, comparison.level)}, ${tests.join(", ")}`;
}

/** The paired comparison in words, with the flips: `5 tasks only A passed, 0 only B`. */
export function sayPairedComparison(comparison: PairedComparison, [nameA, nameB]: readonly [string, string]): string {
  const { pairs, difference, mcnemar, evidence } = comparison;
  if (difference.estimate === undefined) return `nothing to compare: ${nameA} and ${nameB} share no graded task`;
  const flips = `only ${nameA} passed ${pairs.onlyA}, only ${nameB} ${pairs.onlyB}, both ${pairs.both}, neither ${pairs.neither}`;
  return `${verdictWords(evidence, [nameA, nameB])}: ${flips}; ${sayDifference(difference, comparison.level)}, McNemar p ${probability(mcnemar)}`;
}

function verdictWords(evidence: RateComparison["evidence"], [nameA, nameB]: readonly [string, string]): string {
  if (evidence === "none") return "no evidence either way";
  return evidence === "a_better" ? `${nameA} is better than ${nameB}` : `${nameB} is better than ${nameA}`;
}

function sayDifference({ estimate = 0, low, high }: Difference, level: number): string {
  return `difference ${signedPoints(estimate)} ${points(estimate)} (${share(level)} interval ${signedPoints(low)} to ${signedPoints(high)})`;
}

/** What a comparison of this size can show at all: `5 runs a side show a difference from 5/5 against 1/5 on`. */
export function sayVisible(runs: number): string {
  if (runs < 1) return "without runs nothing can be compared";
  const visible = visibleAgainstPerfect(runs);
  const side = `${runsOf(runs)} a side`;
  if (visible === undefined) return `${side} cannot show any difference, not even ${runs}/${runs} against 0/${runs}`;
  return `${side} show a difference from ${runs}/${runs} against ${visible}/${runs} on`;
}

/** An average over tasks in words: `67% over 3 tasks (95% interval 0–100%, clustered by task)`. */
export function sayOverTasks({ estimate, interval, tasks, leftOut }: ClusteredRate): string {
  const over = `${share(estimate)} over ${tasks === 1 ? "1 task" : `${tasks} tasks`}`;
  const missing = leftOut === 0 ? "" : `; ${leftOut} left out for want of runs`;
  if (interval === undefined) return `${over} (one task says nothing about others, so there is no interval)${missing}`;
  return `${over} (95% interval ${range(interval)}, clustered by task)${missing}`;
}
