import { points, probability, runsOf, signedPoints } from "../statistics/numbers.ts";
import { sayComparison, sayVisible } from "../statistics/words.ts";
import { type Attempt, isDecided } from "./compare-attempt.ts";
import { countsOf, type PassComparison } from "./compare-pass.ts";
import {
  decidingShift,
  type MarkerGap,
  type ShiftComparison,
  type Shifted,
  type ShiftMetric,
} from "./compare-shift.ts";
import type { ComparedSide } from "./compare-side.ts";

type Names = readonly [string, string];

/** What a pass-rate comparison comes to, with its figures, and what so many runs could show at all; a sentence each. */
export function sayPass(
  pass: PassComparison,
  [a, b]: readonly [readonly Attempt[], readonly Attempt[]],
  names: Names,
): readonly string[] {
  const [ofA, ofB] = [countsOf(a), countsOf(b)];
  if (pass.difference.estimate === null) {
    return [`nothing to compare: ${ofA.runs === 0 ? names[0] : names[1]} has no graded run`];
  }
  const said = [pass.kind === "paired" ? sayTasks(pass, names) : sayRates(pass, [a, b], names)];
  if (pass.decision === "equivalent")
    said.push("whatever difference there is, it is smaller than the effect asked for");
  if (pass.evidence !== "none" && pass.decision === "none")
    said.push("the difference is not shown to be as large as the effect asked for");
  said.push(...sayUnknown(pass, [a, b], names), visible(pass, [ofA.runs, ofB.runs]));
  return said;
}

function sayRates(
  pass: PassComparison,
  [a, b]: readonly [readonly Attempt[], readonly Attempt[]],
  names: Names,
): string {
  const { estimate, low, high } = pass.difference;
  return sayComparison(
    {
      kind: "independent",
      a: countsOf(a),
      b: countsOf(b),
      difference: { estimate: estimate ?? undefined, low, high },
      fisher: pass.p,
      barnard: pass.barnard,
      level: 0.95,
      evidence: pass.evidence,
    },
    names,
  );
}

const TESTS = { fisher: "Fisher", mcnemar: "McNemar", "sign-flip": "sign-flip test", sign: "sign test" } as const;

function sayTasks({ tasks, difference, p, test, evidence }: PassComparison, names: Names): string {
  const { shared = 0, a_better: better = 0, b_better: worse = 0, equal = 0 } = tasks ?? {};
  const flips = `of ${shared} tasks ${names[0]} did better on ${better}, ${names[1]} on ${worse}, alike on ${equal}`;
  return `${sayEvidence(evidence, names)}: ${flips}; ${sayPoints(difference)}, ${TESTS[test]} p ${probability(p)}`;
}

/** `A is better than B`, or that there is no evidence either way. */
export function sayEvidence(evidence: PassComparison["evidence"], [nameA, nameB]: Names): string {
  if (evidence === "none") return "no evidence either way";
  return evidence === "a_better" ? `${nameA} is better than ${nameB}` : `${nameB} is better than ${nameA}`;
}

/** `difference −20 points (95% interval −60 to +31)`. */
export function sayPoints(difference: { estimate: number | null; low: number; high: number }): string {
  const estimate = difference.estimate ?? 0;
  return `difference ${signedPoints(estimate)} ${points(estimate)} (95% interval ${signedPoints(difference.low)} to ${signedPoints(difference.high)})`;
}

function sayUnknown(
  pass: PassComparison,
  sides: readonly [readonly Attempt[], readonly Attempt[]],
  names: Names,
): readonly string[] {
  const said = sides.flatMap((side, at) => {
    const unknown = side.filter((attempt) => !isDecided(attempt) && attempt.verdict !== "interrupted").length;
    if (unknown === 0) return [];
    return [
      `${runsOf(unknown)} of ${names[at] ?? ""} could not be graded and ${unknown === 1 ? "is" : "are"} in no rate`,
    ];
  });
  const other = pass.unknown_as_failed;
  if (other === undefined || other.evidence === pass.evidence) return said;
  return [...said, `had they failed: ${sayEvidence(other.evidence, names)}, Fisher p ${probability(other.p)}`];
}

/** Flips all one way that the exact McNemar test needs for p < 0.05. */
const FEWEST_FLIPS = 6;

function visible({ kind, tasks }: PassComparison, [runsOfA, runsOfB]: readonly [number, number]): string {
  if (kind === "independent") return sayVisible(Math.min(runsOfA, runsOfB));
  const shared = tasks?.shared ?? 0;
  return shared < FEWEST_FLIPS
    ? `${shared} tasks cannot show any difference, not even if all of them went one way`
    : `${shared} tasks show a difference from ${FEWEST_FLIPS} on that differ, all one way`;
}

const WORSE = { duration: "takes longer", cost: "costs more", tokens: "takes more tokens" } as const;
const LIKE = { duration: "time", cost: "cost", tokens: "tokens" } as const;

/** Duration, cost and tokens, a sentence for each that at least one side has figures of. */
export function sayShifts(shifts: readonly ShiftComparison[], names: Names): readonly string[] {
  return (["duration", "cost", "tokens"] as const).flatMap((metric) => {
    const shift = decidingShift(shifts, metric);
    return shift === undefined || (shift.a === null && shift.b === null) ? [] : [sayShift(shift, names)];
  });
}

function sayShift(shift: ShiftComparison, names: Names): string {
  const { metric, of, a, b } = shift;
  const runs = `${of === "passed" ? "passing" : "graded"} runs`;
  if (a === null || b === null)
    return `${LIKE[metric]}: ${a === null ? names[0] : names[1]} has no ${runs} with a figure`;
  const figures = `median ${amount(metric, a.median)} against ${amount(metric, b.median)} over ${a.counted} and ${b.counted} ${runs}`;
  const verdict =
    shift.evidence === "none"
      ? `${LIKE[metric]}: no evidence either way`
      : `${shift.evidence === "a_better" ? names[1] : names[0]} ${WORSE[metric]}`;
  return `${verdict}: ${figures}, ${sayInterval(metric, shift)}`;
}

function sayInterval(metric: ShiftMetric, { shift }: Shifted): string {
  if (shift === null) return "no shift";
  const { estimate, low, high } = shift;
  const interval =
    low === null || high === null
      ? "too few runs for an interval"
      : `95% interval ${signed(metric, low)} to ${signed(metric, high)}`;
  return `shift ${signed(metric, estimate)} (${interval})`;
}

function signed(metric: ShiftMetric, value: number): string {
  return `${value < 0 ? "\u2212" : value > 0 ? "+" : ""}${amount(metric, Math.abs(value))}`;
}

/** `1.2 s`, `$0.041`, `1200 tokens`. */
export function amount(metric: ShiftMetric, value: number): string {
  if (metric === "tokens") return `${Math.round(value)} tokens`;
  if (metric === "cost") return `$${value >= 1 ? value.toFixed(2) : String(Number(value.toPrecision(2)))}`;
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

/** The marker whose time differs most, among those whose interval leaves out 0, with how many were looked at. */
export function sayMarkers(markers: readonly MarkerGap[], names: Names): readonly string[] {
  const clear = markers.filter(({ evidence }) => evidence !== "none");
  const [worst] = [...clear].sort((one, other) => size(other) - size(one));
  if (worst === undefined) return [];
  const slow = worst.evidence === "a_better" ? names[1] : names[0];
  const many = markers.length > 1 ? ` (of ${markers.length} looked at, about one in twenty differs by chance)` : "";
  return [`${slow} is slower up to '${worst.marker}': ${sayInterval("duration", worst)}${many}`];
}

function size({ shift }: MarkerGap): number {
  return Math.abs(shift?.estimate ?? 0);
}

/** Where the failing runs of each side stopped most often. */
export function sayStalls(sides: readonly ComparedSide[]): readonly string[] {
  return sides.flatMap(({ name, stalls, failed }) => {
    const [first] = stalls;
    if (first === undefined) return [];
    const where = first.after === undefined ? `before ${first.before}` : `between ${first.after} and ${first.before}`;
    return [`${name}: ${first.runs} of ${runsOf(failed)} that failed stalled ${where}`];
  });
}
