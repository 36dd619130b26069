import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { allMatches, earliestEnd, leftmost } from "../support/brute-force.ts";
import { gradeEvents } from "../support/grade-events.ts";
import { logs, markerLists } from "../support/random-markers.ts";
import { scenarioFrom } from "../support/scenario-from-json.ts";

const seed = Number(process.env["WAYMARK_SEED"] ?? Date.now() % 1_000_000);
const runs = Number(process.env["WAYMARK_RUNS"] ?? 2500);
const TIMES = { time: "t" };

for (const isTimed of [false, true]) {
  const kind = isTimed ? "with time limits and captures" : "without time limits";
  test(`the matcher agrees with trying every assignment, ${kind}`, (t) => {
    t.diagnostic(`seed ${seed}`);
    fc.assert(
      fc.property(markerLists(isTimed), logs(isTimed ? 9 : 8), (scenario, events) => {
        const timed = { ...scenario, events: TIMES };
        const { markers, timespanMs } = scenarioFrom(timed);
        const matches = allMatches(markers, events, timespanMs);
        const end = earliestEnd(matches);
        const outcome = gradeEvents(timed, events);
        assert.equal(outcome.matchedInOrder, end !== undefined, "found");
        if (end === undefined) return;
        const lines = [...outcome.matchIndices];
        assert.equal(Math.max(-1, ...lines), end, "earliest end");
        if (isTimed)
          assert.ok(
            matches.some((used) => used.join() === lines.join()),
            `${lines.join()} is no match`,
          );
        else assert.deepEqual(lines, leftmost(matches, end), "smallest lines");
      }),
      { seed, numRuns: runs },
    );
  });
}
