import type { SeriesStanding } from "../live-series.ts";

/** Tells a standing from those of other series, and of other parts of the same. */
export function standingKey({ log, part }: SeriesStanding): string {
  return part === undefined ? log : `${log}\n${part}`;
}
