import assert from "node:assert/strict";
import test from "node:test";
import { compileProgram } from "../../../grader/match/program.ts";
import { createTraceGrader } from "../../../grader/match/stream.ts";
import type { TraceGrader, TraceOutcome } from "../../../grader/match/trace.ts";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { gradeEvents, gradeSessions } from "../../support/grade-events.ts";
import { type ScenarioJson, scenarioFrom } from "../../support/scenario-from-json.ts";

const A = { name: "A", event: "a" };
const B = { name: "B", event: "b" };
const COMPLETE = { kind: "complete" } as const;

function grader(scenario: ScenarioJson): { grader: TraceGrader; add(event: JsonObject): void } {
  const made = createTraceGrader(compileProgram(scenarioFrom(scenario), new Map()));
  let record = 0;
  const add = (event: JsonObject): void => {
    made.event(event, { file: "a.log", line: record + 1, record });
    record += 1;
  };
  return { grader: made, add };
}

function only(outcomes: readonly TraceOutcome[]): TraceOutcome {
  assert.equal(outcomes.length, 1);
  const [outcome] = outcomes;
  assert.ok(outcome);
  return outcome;
}

test("by line, a step back in time counts as none and is counted", () => {
  const scenario = { markers: [A, { ...B, within: "5s" }] };
  const events = [
    { name: "a", time: "2026-01-31T12:00:10.000Z" },
    { name: "x", time: "2026-01-31T12:00:02.000Z" },
    { name: "b", time: "2026-01-31T12:00:15.000Z" },
  ];
  const outcome = gradeEvents(scenario, events);
  assert.equal(outcome.verdict, "pass");
  assert.equal(outcome.stream.stepsBack, 1);
  assert.equal(outcome.startedAtMs, Date.parse("2026-01-31T12:00:10.000Z"));
  assert.equal(outcome.durationMs, 5000);
});

test("times are read from the event, else from its arrival, in ISO 8601 or as numbers of any unit", () => {
  const spellings: JsonObject[][] = [
    [
      { name: "a", time: "2026-01-31T12:00:00Z" },
      { name: "b", time: "2026-01-31T13:00:05.000+01:00" },
    ],
    [
      { name: "a", time: 1769860800 },
      { name: "b", time: 1769860805 },
    ],
    [
      { name: "a", time: 1769860800000 },
      { name: "b", time: 1769860805000 },
    ],
    [
      { name: "a", time: 1769860800000000n },
      { name: "b", time: 1769860805000000n },
    ],
    [
      { name: "a", time: "1769860800000000000" },
      { name: "b", time: "1769860805000000000" },
    ],
    [
      { name: "a", $capture: { at: "2026-01-31T12:00:00.000Z" } },
      { name: "b", $capture: { at: "2026-01-31T12:00:05.000Z" } },
    ],
  ];
  for (const [first = {}, second = {}] of spellings) {
    const kept = gradeEvents({ markers: [A, { ...B, within: "5s" }] }, [first, second]);
    const broken = gradeEvents({ markers: [A, { ...B, within: "4999ms" }] }, [first, second]);
    assert.deepEqual([kept.verdict, broken.verdict, kept.durationMs], ["pass", "fail", 5000], String(first["time"]));
  }
});

test("an event without a time makes the limits on it inconclusive, nothing else", () => {
  const untimed = [{ name: "a", time: 0 }, { name: "b" }];
  assert.equal(gradeEvents({ markers: [A, B] }, untimed).verdict, "pass");
  assert.equal(gradeEvents({ markers: [A, { ...B, within: "5s" }] }, untimed).verdict, "inconclusive");
  const twice = [...untimed, { name: "b", time: 4000 }];
  assert.equal(gradeEvents({ markers: [A, { ...B, within: "5s" }] }, twice).verdict, "pass");
  const answer = { after: { event: "a" }, expect: { event: "b" }, within: "5s" };
  assert.equal(gradeEvents({ rules: [answer] }, untimed).verdict, "inconclusive");
  assert.equal(gradeEvents({ rules: [answer] }, [{ name: "a" }, { name: "x" }]).verdict, "fail");
  const most = { count: { event: "b" }, max: 1, timespan: "5s" };
  assert.equal(gradeEvents({ rules: [most] }, [{ name: "b" }, { name: "b" }]).verdict, "inconclusive");
  assert.equal(
    gradeEvents({ rules: [{ count: { event: "b" }, max: 1 }] }, [{ name: "b" }, { name: "b" }]).verdict,
    "fail",
  );
});

test("a late event that a pattern asks for makes its items inconclusive, and says what to do", () => {
  const events = { time: "t", order: "time", lateness: "2s" };
  const scenario = { events, markers: [A, B], rules: [{ name: "no c", never: { event: "c" } }] };
  const late = [
    { name: "a", t: 0 },
    { name: "x", t: 20_000 },
    { name: "b", t: 6000 },
  ];
  const outcome = gradeEvents(scenario, late);
  assert.equal(outcome.verdict, "inconclusive");
  assert.match(outcome.reason, /line 3 arrived 14 s late; raise lateness to 14s/);
  assert.equal(outcome.stream.late, 1);
  assert.equal(outcome.rules[0]?.verdict, "pass");
  const harmless = gradeEvents(scenario, [
    { name: "a", t: 0 },
    { name: "b", t: 1 },
    { name: "x", t: 20_000 },
    { name: "y", t: 1 },
  ]);
  assert.deepEqual([harmless.verdict, harmless.stream.late], ["pass", 1]);
});

test("a single event far in the future does not make the others late; a second one moves the time on", () => {
  const events = { time: "t", order: "time" };
  const hours = (count: number): number => count * 3_600_000;
  const jump = [
    { name: "x", t: 0 },
    { name: "x", t: hours(24 * 365) },
    { name: "a", t: 5000 },
    { name: "b", t: 6000 },
  ];
  const outcome = gradeEvents({ events, markers: [A, B] }, jump);
  assert.deepEqual([outcome.verdict, outcome.stream.late, outcome.stream.clockJumps], ["pass", 0, 1]);
  const night = [
    { name: "a", t: 0 },
    { name: "x", t: hours(9) },
    { name: "x", t: hours(9) + 10_000 },
    { name: "b", t: 1 },
  ];
  const next = gradeEvents({ events, markers: [A, B] }, night);
  assert.deepEqual([next.verdict, next.stream.late, next.stream.clockJumps], ["inconclusive", 1, undefined]);
});

test("events that were sent again are dropped and counted, unless retries count", () => {
  const again = [{ name: "a" }, { name: "a", $capture: { retry: true } }];
  const scenario = { rules: [{ count: { event: "a" }, max: 1 }] };
  const dropped = gradeEvents(scenario, again);
  assert.deepEqual([dropped.verdict, dropped.stream.duplicates, dropped.stream.events], ["pass", 1, 1]);
  const counted = gradeEvents({ ...scenario, events: { retries: "count" } }, again);
  assert.deepEqual([counted.verdict, counted.stream.duplicates], ["fail", 0]);
});

test("an id counts once within dedupe, and again after it", () => {
  const scenario = { events: { time: "t", id: "id", dedupe: "1m" }, rules: [{ count: { event: "a" }, max: 1 }] };
  const at = (t: number): JsonObject => ({ name: "a", id: "1", t });
  assert.equal(gradeEvents(scenario, [at(0), at(60_000)]).verdict, "pass");
  assert.equal(gradeEvents(scenario, [at(0), at(60_001)]).verdict, "fail");
});

test("one outcome per session; lines without one are set aside, or handed to all", () => {
  const events = [
    { name: "a", s: "1" },
    { name: "login" },
    { name: "a", s: 2 },
    { name: "b", s: "1" },
    { name: "b", s: 2 },
  ];
  const scenario = { markers: [A, { event: "login" }, B] };
  const aside = gradeSessions({ ...scenario, events: { session: "s" } }, events);
  assert.deepEqual(
    aside.map(({ session, verdict, stream }) => [session, verdict, stream.withoutSession]),
    [
      ["1", "fail", 1],
      ["2", "fail", 1],
    ],
  );
  const all = gradeSessions({ ...scenario, events: { session: "s", sessionless: "broadcast" } }, events);
  assert.deepEqual(
    all.map(({ session, verdict }) => [session, verdict]),
    [
      ["1", "pass"],
      ["2", "fail"],
    ],
  );
});

test("a session ends with its last event, and the next one of the same value is another", () => {
  const scenario = { events: { session: "s", session_end: { event: "closed" } }, markers: [A, B] };
  const outcomes = gradeSessions(scenario, [
    { name: "a", s: "u" },
    { name: "closed", s: "u" },
    { name: "a", s: "u" },
    { name: "b", s: "u" },
  ]);
  assert.deepEqual(
    outcomes.map(({ session, verdict }) => [session, verdict]),
    [
      ["u", "fail"],
      ["u (2)", "pass"],
    ],
  );
});

test("a session that was silent for longer than idle is over", () => {
  const scenario = { events: { time: "t", session: "s", idle: "30m" }, markers: [A, B] };
  const outcomes = gradeSessions(scenario, [
    { name: "a", s: "u", t: 0 },
    { name: "b", s: "u", t: 1_800_001 },
  ]);
  assert.deepEqual(
    outcomes.map(({ session, verdict }) => [session, verdict]),
    [
      ["u", "fail"],
      ["u (2)", "fail"],
    ],
  );
});

test("without split sessions, what comes after the end is not graded, and counted", () => {
  const scenario = { events: { session_end: { event: "closed" } }, markers: [A], rules: [{ never: { event: "x" } }] };
  const outcome = gradeEvents(scenario, [{ name: "a" }, { name: "closed" }, { name: "x" }]);
  assert.deepEqual([outcome.verdict, outcome.stream.events, outcome.stream.afterEnd], ["pass", 2, 1]);
});

test("a gap is a cut, for sessions that were not over before it", () => {
  const scenario = { events: { session: "s", session_end: { event: "closed" } }, rules: [{ never: { event: "x" } }] };
  const { grader: made, add } = grader(scenario);
  add({ name: "a", s: "1" });
  add({ name: "closed", s: "1" });
  add({ name: "a", s: "2" });
  made.gap({ file: "a.log", line: 4, record: 3 }, "no JSON");
  const outcomes = made.finish(COMPLETE);
  assert.deepEqual(
    outcomes.map(({ session, verdict, stream }) => [session, verdict, stream.gaps]),
    [
      ["1", "pass", 1],
      ["2", "inconclusive", 1],
    ],
  );
});

test("a gap may be ignored, and a cut may count as complete", () => {
  const rules = [{ never: { event: "x" } }];
  const ignoring = grader({ events: { unreadable: "ignore" }, rules });
  ignoring.add({ name: "a" });
  ignoring.grader.gap({ file: "a.log", line: 2, record: 1 }, "no JSON");
  const outcome = only(ignoring.grader.finish(COMPLETE));
  assert.deepEqual([outcome.verdict, outcome.stream.gaps], ["pass", 1]);
  const cut = { kind: "cut", why: "loss" } as const;
  assert.equal(gradeEvents({ rules }, [{ name: "a" }], cut).verdict, "inconclusive");
  assert.equal(gradeEvents({ rules, on_cut: "complete" } as ScenarioJson, [{ name: "a" }], cut).verdict, "pass");
});

test("a tick fires deadlines without an event, and does not age the events that come later", () => {
  const rule = { after: { event: "a" }, expect: { event: "b" }, within: "5s" };
  const { grader: made, add } = grader({ events: { time: "t" }, rules: [rule] });
  add({ name: "a", t: 0 });
  made.tick(5000);
  assert.equal(made.decided, false);
  made.tick(5001);
  assert.equal(made.decided, true);
  const outcome = only(made.finish({ kind: "cut", why: "stopped" }));
  assert.equal(outcome.verdict, "fail");
  const slow = grader({ events: { time: "t" }, markers: [A, { ...B, within: "5s" }] });
  slow.add({ name: "a", t: 0 });
  slow.grader.tick(9000);
  slow.add({ name: "b", t: 4000 });
  assert.equal(only(slow.grader.finish(COMPLETE)).verdict, "pass");
});

test("decided: when no further line can change a verdict", () => {
  const { grader: made, add } = grader({ markers: [A, B] });
  add({ name: "a" });
  assert.equal(made.decided, false);
  add({ name: "b" });
  assert.equal(made.decided, true);
  const open = grader({ markers: [A], rules: [{ never: { event: "x" } }] });
  open.add({ name: "a" });
  assert.equal(open.grader.decided, false);
  open.add({ name: "x" });
  assert.equal(open.grader.decided, true);
});
