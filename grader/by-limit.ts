import type { Readable } from "node:stream";
import type { SeriesOptions, SeriesVerdicts, Watching } from "./grade-series.ts";
import type { ScenarioStanding, SeriesStanding } from "./live-series.ts";
import type { Seat } from "./panel.ts";
import { branchesOf } from "./read/branches.ts";
import { streamOf } from "./read/read.ts";
import type { Series } from "./read/series.ts";

/** Seats that allow lines of the same length, and where they stand among all. */
interface Group {
  readonly seats: readonly Seat[];
  readonly places: readonly number[];
}

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
  const source = series.kind === "stream" ? streamOf(series, options.stdin) : undefined;
  if (groups.length <= 1) return grade(series, options, source);
  const sources = source === undefined ? [] : branchesOf(source, groups.length);
  const watchings = options.watching === undefined ? [] : watchTogether(options.watching, groups);
  const gradeGroup = ({ seats }: Group, at: number): Promise<SeriesVerdicts> => {
    const watching = watchings[at];
    return grade(series, { ...options, seats, ...(watching === undefined ? {} : { watching }) }, sources[at]);
  };
  const isAtOnce = source !== undefined || options.follow !== undefined;
  const verdicts = isAtOnce ? await Promise.all(groups.map(gradeGroup)) : await inTurn(groups, gradeGroup);
  return { scenarios: inOrder(groups, (at) => verdicts[at]?.scenarios ?? []) };
}

function groupsOf(seats: readonly Seat[]): readonly Group[] {
  const groups = new Map<number, { readonly seats: Seat[]; readonly places: number[] }>();
  for (const [place, seat] of seats.entries()) {
    const { lineBytes } = seat.scenario.limits;
    const group = groups.get(lineBytes) ?? { seats: [], places: [] };
    group.seats.push(seat);
    group.places.push(place);
    groups.set(lineBytes, group);
  }
  return [...groups.values()];
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

/** What every group is watched by: who watches sees one series with all its scenarios. */
function watchTogether(watching: Watching, groups: readonly Group[]): readonly Watching[] {
  const latest: (() => SeriesStanding)[] = [];
  const standing = (): SeriesStanding => {
    const all = groups.map((_, at) => latest[at]?.());
    return together(
      all,
      inOrder(groups, (at): readonly ScenarioStanding[] => all[at]?.scenarios ?? []),
    );
  };
  return groups.map((_, at) => ({
    until: watching.until,
    onRead: (own) => {
      latest[at] = own;
      watching.onRead(standing);
    },
  }));
}

/** As the group stands that has come furthest. */
function together(
  all: readonly (SeriesStanding | undefined)[],
  scenarios: readonly ScenarioStanding[],
): SeriesStanding {
  const known = all.filter((one) => one !== undefined);
  const furthest = known.reduce((a, b) => (b.life > a.life || (b.life === a.life && b.events > a.events) ? b : a));
  return { ...furthest, scenarios };
}
