import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../../examples/chat/random.ts";

test("the authors' key gives the authors' first ten numbers (mt19937ar.out)", () => {
  const random = seededRandom([0x123, 0x234, 0x345, 0x456]);
  assert.deepEqual(
    Array.from({ length: 10 }, () => random.bits()),
    [
      1067595299, 955945823, 477289528, 4107218783, 4228976476, 3344332714, 3355579695, 227628506, 810200273,
      2591290167,
    ],
  );
});

test("it goes on after the state is used up as the authors' program does", () => {
  // Python seeds its Mersenne Twister by init_by_array of the number's 32-bit digits: random.Random(7 + (3 << 32)).
  const random = seededRandom([7, 3]);
  const numbers = Array.from({ length: 2000 }, () => random.bits());
  assert.deepEqual(numbers.slice(0, 3), [4196490768, 1353615594, 1118595839]);
  assert.deepEqual(numbers.slice(-3), [2162113367, 3839501384, 2872023857]);
});

test("derived draws stay in their range and near their rate", () => {
  const random = seededRandom([1]);
  const dice = Array.from({ length: 6000 }, () => random.below(6));
  assert.ok(dice.every((face) => Number.isInteger(face) && face >= 0 && face < 6));
  const hits = Array.from({ length: 6000 }, () => random.chance(0.2)).filter(Boolean).length;
  assert.ok(hits > 1000 && hits < 1400, `${hits} hits of 6000 at 0.2`);
  assert.equal(random.chance(0), false);
  assert.equal(random.chance(1), true);
});

test("picking from an empty list is refused", () => {
  assert.throws(() => seededRandom([]).pick([]), RangeError);
});
