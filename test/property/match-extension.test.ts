import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { TimedEvent } from "../support/brute-force.ts";
import { gradeEvents } from "../support/grade-events.ts";
import { logs, markerLists } from "../support/random-markers.ts";

const seed = Number(process.env["WAYMARK_SEED"] ?? Date.now() % 1_000_000);
const events = { time: "t" };

test("markers that were found stay found, on the same lines, whatever follows", (t) => {
  t.diagnostic(`seed ${seed}`);
  const check = fc.property(markerLists(true), logs(10), fc.nat(10), (scenario, log, cut) => {
    const before = gradeEvents({ ...scenario, events }, log.slice(0, cut), { kind: "cut", why: "test" });
    if (!before.matchedInOrder) return;
    const after = gradeEvents({ ...scenario, events }, log);
    assert.ok(after.matchedInOrder);
    assert.deepEqual(after.matchIndices, before.matchIndices);
  });
  fc.assert(check, { seed, numRuns: 600 });
});

test("events the scenario does not ask about never break a pass", (t) => {
  t.diagnostic(`seed ${seed}`);
  const places = fc.array(fc.nat(10), { maxLength: 6 });
  const check = fc.property(markerLists(true), logs(9), places, (scenario, log, at) => {
    fc.pre(!JSON.stringify(scenario).includes("immediately"));
    const before = gradeEvents({ ...scenario, events }, log);
    fc.pre(before.matchedInOrder && log.length > 0);
    const after = gradeEvents({ ...scenario, events }, insert(log, at));
    assert.ok(after.matchedInOrder);
  });
  fc.assert(check, { seed, numRuns: 600 });
});

/** The log with events of another name in it, each at the time of the event before it. */
function insert(log: readonly TimedEvent[], at: readonly number[]): TimedEvent[] {
  return log.flatMap((event, index) => {
    const noise = at.filter((place) => place === index + 1).map(() => ({ t: event.t, name: "noise", id: "1" }));
    return [event, ...noise];
  });
}
