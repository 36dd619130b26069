import assert from "node:assert/strict";
import test from "node:test";
import { createRunIds } from "../../../grader/run-id.ts";

test("the time part is the ULID specification's", () => {
  // the example of the ULID specification: 01ARZ3NDEKTSV4RRFFQ69G5FAV was made at 1469918176385 ms
  const id = createRunIds(() => 1_469_922_850_259)();
  assert.equal(id.slice(0, 10), "01ARZ3NDEK");
  assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
});

test("ids sort by time, within a millisecond by their making, and when the clock goes back", () => {
  const times = [5, 5, 5, 6, 4, 7];
  let call = 0;
  const newId = createRunIds(
    () => times[call++] ?? 0,
    (bytes) => new Uint8Array(bytes).fill(31),
  );
  const ids = times.map(() => newId());
  assert.deepEqual(ids.slice(3), ids.slice(3).toSorted());
  assert.equal(new Set(ids).size, ids.length);
});
