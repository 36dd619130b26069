import type { Seat } from "./panel.ts";

/** Seats that allow lines of the same length, and where they stand among all. */
export interface Group {
  readonly seats: readonly Seat[];
  readonly places: readonly number[];
}

/** The groups, in the order of the first seat of each. */
export function groupsOf(seats: readonly Seat[]): readonly Group[] {
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
