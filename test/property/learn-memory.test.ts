import assert from "node:assert/strict";
import test from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { seededRandom } from "../../examples/chat/random.ts";
import { Distiller } from "../../grader/learn/distil.ts";
import type { JsonObject } from "../../proxy/record/json.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const NAMES = 2;
/** As many of a name as are kept apart at most, and ten times as many. */
const [FEW, MANY] = [2000, 20_000];
/** An event costs its place in its run for good: the index of its item and its time, while lists grow half as much again. */
const PLACE_BYTES = 2 * 8 * 1.5;

/** Memory that is held while so many events of each name have been taken, in bytes. */
function heldAfter(marks: readonly number[], make: (at: number) => JsonObject): readonly number[] {
  collect();
  const before = process.memoryUsage().heapUsed;
  const distiller = new Distiller();
  const open = distiller.open();
  let at = 0;
  return marks.map((mark) => {
    for (; at < mark * NAMES; at++) open.event(make(at));
    collect();
    return process.memoryUsage().heapUsed - before;
  });
}

/** No two events are equal: paths whose values never come twice, and paths that have few values but go together in many ways. */
function variedEvents(
  seed: number,
  paths: { readonly ids: number; readonly words: number },
): (at: number) => JsonObject {
  const random = seededRandom([seed]);
  const textOf = (): string => random.bits().toString(36).padStart(7, "0").repeat(3);
  return (at) => ({
    name: `name ${at % NAMES}`,
    time: 1_700_000_000_000 + at,
    data: Object.fromEntries([
      ...Array.from({ length: paths.ids }, (_, path) => [`id${path}`, textOf()]),
      ...Array.from({ length: paths.words }, (_, path) => [`word${path}`, `value ${random.below(6)}`]),
    ]) as JsonObject,
  });
}

test("ten times as many varied events of a name hold no more memory, but for each event's place in its run", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 3, max: 6 }), (seed, ids, words) => {
      const [few = 0, many = 0] = heldAfter([FEW, MANY], variedEvents(seed, { ids, words }));
      const places = (MANY - FEW) * NAMES * PLACE_BYTES;
      assert.ok(many - places < few, `${few} bytes with ${FEW} events of a name, ${many} with ${MANY}`);
    }),
    { numRuns: 2 },
  );
});

test("while values are still told apart, two thousand varied events of a name take less memory than their own text", () => {
  const make = variedEvents(7, { ids: 12, words: 8 });
  const [held = 0] = heldAfter([FEW], make);
  let text = 0;
  for (let at = 0; at < FEW * NAMES; at++) text += JSON.stringify(make(at)).length;
  assert.ok(held < text, `${held} bytes are held of ${text}`);
});
