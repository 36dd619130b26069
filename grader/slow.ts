import { eventKeysOf, whyEveryEvent } from "./match/selective.ts";
import type { Seat } from "./panel.ts";

/**
 * Why every line of a log will be parsed, a sentence each; nothing where most lines are passed over. `session`: the only
 * one that counts. One such scenario makes all that are graded beside it wait.
 */
export function whatSlows(seats: readonly Seat[], session?: string): readonly string[] {
  if (session !== undefined) return ["every event is parsed, because only one session counts"];
  const own = seats.flatMap(({ scenario, program }) => {
    const why = program === undefined ? undefined : whyEveryEvent(program);
    return why === undefined ? [] : [`every event is parsed for the scenario ${scenario.id}, because ${why}`];
  });
  return own.length > 0 ? own : whatDiffers(seats);
}

/** That scenarios do not agree on where an event has its name and time. */
function whatDiffers(seats: readonly Seat[]): readonly string[] {
  const keyed = seats.flatMap(({ scenario, program }) => {
    const keys = program === undefined ? undefined : eventKeysOf(program);
    return keys === undefined ? [] : [{ id: scenario.id, keys }];
  });
  const [first] = keyed;
  const other = keyed.find(({ keys }) => keys.name !== first?.keys.name || keys.time !== first.keys.time);
  if (first === undefined || other === undefined) return [];
  return [
    `every event is parsed, because the scenarios ${first.id} and ${other.id} do not read name and time of an event from the same keys`,
  ];
}
