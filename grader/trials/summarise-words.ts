import type { Counts } from "../statistics/counts.ts";
import type { GateDecision } from "../statistics/gate.ts";
import { range, runsOf, share } from "../statistics/numbers.ts";
import { passAtK } from "../statistics/repeatability.ts";
import { intervalWithUnknown, type Tally } from "../statistics/tally.ts";
import { sayGate, sayRate, sayRepeatability, sayResolution } from "../statistics/words.ts";
import type { GroupStatistics, GroupSummary } from "./batch.ts";

/** `pass@3` and `pass^3` are shown, as far as there are three runs. */
export const SHOWN_K = 3;

/** The sentences of a group, most telling first: rate, repeatability, errors, where it stalls, what so many runs show. */
export function wordsOf(
  stats: GroupStatistics,
  { stalls, outliers, isSequential = false }: Pick<GroupSummary, "stalls" | "outliers"> & { isSequential?: boolean },
): readonly string[] {
  const counts: Counts = { passed: stats.passed, runs: stats.passed + stats.failed };
  const tally: Tally = { passed: stats.passed, failed: stats.failed, unknown: stats.inconclusive + stats.errors };
  if (stats.n === 0) return [stats.interrupted === 0 ? "no runs" : `${runsOf(stats.interrupted)} stopped, none graded`];
  return [
    `${rateWords(stats, tally)}${passAtK(counts, SHOWN_K) === undefined ? "" : `   ${sayRepeatability(counts, SHOWN_K)}`}`,
    ...(stats.interrupted === 0 ? [] : [`${runsOf(stats.interrupted)} stopped and not graded`]),
    ...(stats.retried === 0 ? [] : [`${stats.passed === 0 ? "" : "flaky: "}${retriedWords(stats.retried)}`]),
    ...stalls.map(stallWords(counts.runs)),
    ...outlierWords(outliers),
    ...(counts.runs === 0
      ? []
      : [
          `${sayResolution(counts)}${stats.failed > 0 && stats.passed > 0 && !isSequential ? "; try --until-sure" : ""}`,
        ]),
  ];
}

/** Where runs have no grade, the sentence says both rates and what each counts. */
function rateWords(stats: GroupStatistics, tally: Tally): string {
  const graded = stats.passed + stats.failed;
  if (tally.unknown === 0 || graded === 0) return sayRate(tally);
  const kinds = [
    `${stats.passed} pass`,
    `${stats.failed} fail`,
    ...(stats.inconclusive === 0 ? [] : [`${stats.inconclusive} inconclusive`]),
    ...(stats.errors === 0 ? [] : [`${stats.errors} error`]),
  ];
  const without = `${stats.passed}/${graded} = ${percent(stats.passed, graded)} without those that have no grade`;
  const all = `${stats.passed}/${stats.n} = ${percent(stats.passed, stats.n)} with them as failures`;
  return `${kinds.join(" / ")} of ${stats.n}: ${without}, ${all} (95% interval ${range(intervalWithUnknown(tally))}, whatever they would have been)`;
}

function percent(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)}%`;
}

function retriedWords(count: number): string {
  return `${count === 1 ? "1 try" : `${count} tries`} ended in an error and ${count === 1 ? "was" : "were"} made again`;
}

function stallWords(graded: number) {
  return ({ after, before, runs }: GroupSummary["stalls"][number]): string => {
    const where = after === undefined ? `before ${before}` : `between ${after} and ${before}`;
    return `${runs} of ${graded} stalled ${where}`;
  };
}

function outlierWords(outliers: GroupSummary["outliers"]): readonly string[] {
  return outliers.map(({ run, of, times }) => {
    const what = of === "cost" ? "cost" : "took";
    return `run ${run} passed, but ${what} ${times >= 10 ? Math.round(times) : times.toFixed(1)} times the median`;
  });
}

/** A gate's decision in words; a gate that is met although some runs have no grade says so. */
export function gateWords(decision: GateDecision): string {
  return sayGate(decision);
}

/** `80%`, for tables. */
export function rateText(rate: number | null): string {
  return rate === null ? "–" : share(rate);
}
