import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { Eldest } from "../../../grader/match/eldest.ts";

interface Step {
  readonly kind: "set" | "delete" | "drop" | "clear";
  readonly key: number;
}

const key = fc.integer({ min: 0, max: 40 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: key.map((key): Step => ({ kind: "set", key })) },
  { weight: 2, arbitrary: key.map((key): Step => ({ kind: "delete", key })) },
  { weight: 5, arbitrary: fc.constant<Step>({ kind: "drop", key: 0 }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "clear", key: 0 }) },
);

/** As a list would do it: set moves to the end, drop takes the first. */
function inAList(steps: readonly Step[]): number[] {
  let list: number[] = [];
  for (const one of steps) {
    if (one.kind === "clear") list = [];
    else if (one.kind === "drop") list.shift();
    else list = [...list.filter((other) => other !== one.key), ...(one.kind === "set" ? [one.key] : [])];
  }
  return list;
}

test("the eldest goes, whatever was set anew, deleted or cleared meanwhile", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const map = new Map<number, object>();
      const eldest = new Eldest(map);
      for (const one of steps) {
        if (one.kind === "clear") map.clear();
        else if (one.kind === "drop") eldest.drop();
        else {
          map.delete(one.key);
          if (one.kind === "set") map.set(one.key, {});
        }
      }
      assert.deepEqual([...map.keys()], inAList(steps));
    }),
    { numRuns: 2000 },
  );
});
