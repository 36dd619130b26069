import assert from "node:assert/strict";
import test from "node:test";
import { compileProgram } from "../../../grader/match/program.ts";
import { RunSetMatcher } from "../../../grader/match/runs.ts";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { gradeEvents, gradeSessions } from "../../support/grade-events.ts";
import { type ScenarioJson, scenarioFrom } from "../../support/scenario-from-json.ts";

/** Most runs that were open at once on a log. */
function mostRuns(scenario: ScenarioJson, events: readonly JsonObject[]): number {
  const matcher = new RunSetMatcher(compileProgram(scenarioFrom(scenario), new Map()).markers, 1_000_000);
  let most = 0;
  for (const [index, event] of events.entries()) {
    const at = Number(event["t"]);
    matcher.event({ event, place: { file: "a.log", line: index + 1, record: index }, index, at, clock: at });
    most = Math.max(most, matcher.size);
  }
  return most;
}

/** Dense noise: every second event fits the first marker, the last one never comes. */
function noise(count: number, name: (index: number) => string): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({ t: index * 20, name: name(index), id: index % 200 }));
}

const alternating = (index: number): string => (index % 2 === 0 ? "a" : "b");

test("dense noise keeps few runs open (LANGUAGE.md section 8.2)", () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ where: { name } }));
  const never = { where: { name: "never" } };
  const pair = { markers: [a ?? {}, { ...never, within: "5s" }] };
  assert.ok(mostRuns(pair, noise(3000, alternating)) <= 3);
  const chained = { markers: [a ?? {}, { ...b, within: "5s" }, { ...c, within: "5s" }], timespan: "60s" };
  assert.ok(mostRuns(chained, noise(3000, alternating)) <= 3);
  const distinct = {
    markers: [
      { ...a, repeat: 5, distinct: "id", timespan: "60s" },
      { ...never, within: "5s" },
    ],
  };
  assert.ok(mostRuns(distinct, noise(3000, alternating)) <= 2);
  const captured = { markers: [{ ...a, capture: { k: "id" } }, { where: { name: "never", id: "$k" } }] };
  assert.ok(
    mostRuns(
      captured,
      noise(3000, () => "a"),
    ) <= 201,
  );
  const block = {
    markers: [
      { any_order: [a ?? {}, b ?? {}, { where: { name: ["a", "b"] } }, { where: { name: ["b", "c"] } }] },
      never,
    ],
  };
  assert.ok(mostRuns(block, noise(3000, alternating)) <= 48);
});

test("too many runs: what is not found is inconclusive, and the limit is named", () => {
  const scenario = {
    limits: { runs: 10 },
    markers: [{ where: { name: "a" }, capture: { k: "id" } }, { where: { name: "b", id: "$k" } }],
  };
  const starts = Array.from({ length: 50 }, (_, id) => ({ name: "a", id }));
  const forgotten = gradeEvents(scenario, [...starts, { name: "b", id: 0 }]);
  assert.equal(forgotten.verdict, "inconclusive");
  assert.deepEqual(forgotten.stream.limitsHit, ["runs"]);
  assert.match(forgotten.reason, /limit reached: runs/);
  const found = gradeEvents(scenario, [...starts, { name: "b", id: 49 }]);
  assert.deepEqual([found.verdict, found.stream.limitsHit], ["pass", ["runs"]]);
});

test("too many keys: a rule is inconclusive unless it fails for certain", () => {
  const rule = { after: { name: "a" }, capture: { k: "id" }, expect: { name: "b", id: "$k" } };
  const scenario = { limits: { keys: 10 }, rules: [rule] };
  const many = Array.from({ length: 50 }, (_, id) => ({ name: "a", id }));
  const outcome = gradeEvents(scenario, many);
  assert.equal(outcome.verdict, "inconclusive");
  assert.deepEqual(outcome.stream.limitsHit, ["keys"]);
  const before = { before: { name: "b" }, capture: { k: "id" }, expect: { name: "a", id: "$k" } };
  assert.equal(
    gradeEvents({ limits: { keys: 10 }, rules: [before] }, [...many, { name: "b", id: 0 }]).verdict,
    "inconclusive",
  );
});

test("too many sessions: the one silent for longest is settled as undecided", () => {
  const scenario = {
    limits: { sessions: 2 },
    events: { session: "s" },
    markers: [{ where: { name: "a" } }, { where: { name: "b" } }],
  };
  const outcomes = gradeSessions(scenario, [
    { name: "a", s: "1" },
    { name: "a", s: "2" },
    { name: "a", s: "3" },
    { name: "b", s: "2" },
  ]);
  assert.deepEqual(
    outcomes.map(({ session, verdict }) => [session, verdict]),
    [
      ["1", "inconclusive"],
      ["3", "fail"],
      ["2", "pass"],
    ],
  );
  assert.ok(outcomes.every(({ stream }) => stream.limitsHit.includes("sessions")));
});

test("a full reorder buffer gives up its earliest event and says so", () => {
  const scenario = {
    limits: { lateness_events: 5 },
    events: { time: "t", order: "time", lateness: "1h" },
    markers: [{ where: { name: "a" } }],
  };
  const outcome = gradeEvents(
    scenario,
    Array.from({ length: 20 }, (_, t) => ({ name: "x", t })),
  );
  assert.deepEqual(outcome.stream.limitsHit, ["lateness_events"]);
});
