import type { FieldCheck } from "../operators/where.ts";
import type { Interest, Selection } from "../read/selection.ts";
import { testOf } from "./interest.ts";

/**
 * Which events have to be seen by someone who looks for those that satisfy all of the checks: these, and some that turn
 * out not to when they are looked at. `couldBeNamed`: false for names that none of them has ("" stands for none).
 */
export function selectionBy(
  checks: readonly FieldCheck[],
  couldBeNamed: (name: string) => boolean = () => true,
): Selection {
  const all: readonly Interest[] = [{ tests: checks.map(testOf), least: checks.length }];
  const names = checks.flatMap((check) => (check.names === undefined ? [] : [check.names]));
  const isWanted = (name: string): boolean => couldBeNamed(name) && names.every((known) => known.includes(name));
  return selection((name) => (isWanted(name) ? all : []));
}

/** For someone who looks for no event at all, only at what a log is made of. */
export const NO_EVENT = selection(() => []);

function selection(interests: Selection["interests"]): Selection {
  return {
    keys: { name: "name", time: "time" },
    interests,
    generation: 0,
    numberTimes: "guess",
    pass: () => undefined,
    passRun: () => undefined,
  };
}
