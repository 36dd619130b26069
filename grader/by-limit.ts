import type { Readable } from "node:stream";
import type { SeriesOptions, SeriesVerdicts, Watching } from "./grade-series.ts";
import { type Group, groupsOf } from "./limit-groups.ts";
import { branchesOf } from "./read/branches.ts";
import { streamOf } from "./read/read.ts";
import type { Series } from "./read/series.ts";

/** Grades one series against seats that all have the same limit of line length; a stream is read from `source`. */
export type GradeTogether = (series: Series, options: SeriesOptions, source?: Readable) => Promise<SeriesVerdicts>;

/**
 * Grades one series against every seat, as each of them alone would be. A line too long for one scenario is evidence that
 * is missing, for that one only; so scenarios with another limit read the series for themselves. What can be read
 * only once, or is followed, they read side by side.
 */
export async function gradeByLimit(
  series: Series,
  options: SeriesOptions,
  grade: GradeTogether,
): Promise<SeriesVerdicts> {
  const groups = groupsOf(options.seats);
  const source = series.kind === "stream" ? await streamOf(series, options.stdin) : undefined;
  if (groups.length <= 1) return grade(series, options, source);
  const sources = source === undefined ? [] : branchesOf(source, groups.length);
  const gradeGroup = (group: Group, at: number): Promise<SeriesVerdicts> => {
    const watching = options.watching === undefined ? {} : { watching: watchApart(options.watching, group) };
    return grade(series, { ...options, seats: group.seats, ...watching }, sources[at]);
  };
  const isAtOnce = source !== undefined || options.follow !== undefined;
  const verdicts = isAtOnce ? await Promise.all(groups.map(gradeGroup)) : await inTurn(groups, gradeGroup);
  return { scenarios: inOrder(groups, (at) => verdicts[at]?.scenarios ?? []) };
}

async function inTurn<T, R>(items: readonly T[], take: (item: T, at: number) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const [at, item] of items.entries()) results.push(await take(item, at));
  return results;
}

/** What each group has for its seats, in the order of all seats. */
function inOrder<T>(groups: readonly Group[], of: (group: number) => readonly T[]): readonly T[] {
  const placed = groups.flatMap(({ places }, at) => of(at).map((one, index) => ({ one, place: places[index] ?? 0 })));
  return placed.sort((a, b) => a.place - b.place).map(({ one }) => one);
}

/** Who watches sees each group apart: they need not stand at the same line, nor see the same captures. */
function watchApart(watching: Watching, { seats }: Group): Watching {
  const part = `lines up to ${seats[0]?.scenario.limits.lineBytes} bytes`;
  return { until: watching.until, onRead: (standing) => watching.onRead(() => ({ ...standing(), part })) };
}
