import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { isoTime } from "../../proxy/decoders/event-time.ts";

const digits = (count: number) =>
  fc.integer({ min: 0, max: 10 ** count - 1 }).map((n) => String(n).padStart(count, "0"));
/** Mostly within bounds, so that each bound is met alone. */
const mostly = (most: number) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: most + 1 }).map((n) => String(n).padStart(2, "0")) },
    digits(2),
  );
const time = fc
  .tuple(
    digits(4),
    mostly(12),
    mostly(31),
    fc.constantFrom("T", "T", " ", "t"),
    mostly(24),
    mostly(59),
    fc.option(mostly(59), { nil: undefined }),
    fc.constantFrom("", ".5", ",25", ".123456789", ".", ",", ".1x"),
    fc.constantFrom("Z", "Z", "", "z", "+01:00", "-0930", "Z "),
  )
  .map(([year, month, day, t, hour, minute, second, fraction, zone]) => {
    return `${year}-${month}-${day}${t}${hour}:${minute}${second === undefined ? "" : `:${second}${fraction}`}${zone}`;
  });
const SHAPE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;

test("ISO text is an event's time just when JavaScript's own reader of dates takes it", () => {
  fc.assert(
    fc.property(time, (text) => {
      const isTime = SHAPE.test(text) && !Number.isNaN(Date.parse(text.replace(",", ".")));
      assert.equal(isoTime(text), isTime ? text : undefined);
    }),
    { numRuns: 5_000 },
  );
});
