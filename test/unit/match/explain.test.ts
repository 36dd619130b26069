import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { gradeEvents } from "../../support/grade-events.ts";
import type { ScenarioJson } from "../../support/scenario-from-json.ts";

const A = { name: "A", event: "a" };
const B = { name: "B", event: "b" };

/** Events named by letters, one per line; `a@10` happens at 10 s. Fields behind a colon: `b:id=2`. */
function log(text: string): JsonObject[] {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => {
      const [head = "", fields = ""] = word.split(":");
      const [name = "", at] = head.split("@");
      const pairs = fields === "" ? [] : fields.split(",").map((pair) => pair.split("="));
      return { name, ...(at === undefined ? {} : { time: Number(at) * 1000 }), ...Object.fromEntries(pairs) };
    });
}

const REASONS: readonly [situation: string, scenario: ScenarioJson, events: string, reason: string][] = [
  ["the first marker is missing", { markers: [A, B] }, "x x", "'A' never reached"],
  ["the next marker is missing", { markers: [A, B] }, "x a x", "'B' never reached after 'A' (line 2)"],
  ["out of order", { markers: [A, B] }, "x b x a", "'B' happened (line 2), but before 'A' (line 4)"],
  [
    "too slow",
    { markers: [A, { ...B, within: "5s" }] },
    "a@0 x@1 b@6.2",
    "'B' came 6.2 s after 'A' (lines 1, 3), limit 5 s",
  ],
  [
    "too slow after the latest A, not the first",
    { markers: [A, { ...B, within: "5s" }] },
    "a@0 a@10 b@17",
    "'B' came 7 s after 'A' (lines 2, 3), limit 5 s",
  ],
  [
    "too slow from the first event",
    { markers: [{ ...A, within: "5s" }] },
    "x@0 a@8",
    "'A' came 8 s after the first event (lines 1, 2), limit 5 s",
  ],
  [
    "spoiled",
    { markers: [A, { ...B, without: { event: "payment_failed" } }] },
    "a payment_failed b",
    "'B' (line 3) does not count: 'payment_failed' in between (line 2)",
  ],
  [
    "wrong correlation",
    {
      markers: [
        { name: "Doc opened", event: "open", capture: { d: "docId" } },
        { name: "Doc saved", where: { event: "save", docId: "$d" } },
      ],
    },
    "x x open:docId=x x x x save:docId=y",
    "'Doc saved' (line 7) has docId y, but 'Doc opened' (line 3) had x",
  ],
  [
    "a repetition under way",
    { markers: [{ name: "Chats", event: "s", repeat: 5, distinct: "data.chatId" }] },
    "",
    "'Chats' never reached",
  ],
  [
    "something in between where the next event was asked for",
    { markers: [A, { ...B, immediately: true }] },
    "a x b",
    "'B' (line 3) was not right after 'A' (line 1)",
  ],
  [
    "a block that is half done names what is missing in it",
    { markers: [A, { name: "Both", any_order: [B, { name: "C", event: "c" }] }] },
    "a b",
    "'C' never reached after 'B' (line 2)",
  ],
];

for (const [situation, scenario, events, reason] of REASONS) {
  test(`reason: ${situation}`, () => {
    const lines = events === "" ? log("x") : log(events);
    assert.equal(gradeEvents(scenario, lines).reason, reason);
  });
}

test("a repetition says how many, of what, and where", () => {
  const chat = (chatId: string): JsonObject => ({ name: "chat_switch", data: { chatId } });
  const scenario = { markers: [{ name: "Chat switched", event: "chat_switch", repeat: 5, distinct: "data.chatId" }] };
  const other = { name: "x" };
  const outcome = gradeEvents(scenario, [
    other,
    other,
    chat("a"),
    chat("a"),
    other,
    other,
    chat("b"),
    other,
    chat("c"),
  ]);
  assert.equal(outcome.reason, "'Chat switched': 3 of 5 different data.chatId seen (a, b, c; line 3, 7, 9)");
  assert.equal(outcome.markers[0]?.progress, "3 of 5");
  assert.equal(outcome.coverage, 0);
  assert.equal(outcome.score, 3 / 5);
});

test("a cut capture says what is open and where it is cut", () => {
  const outcome = gradeEvents({ markers: [A, B] }, log("a x"), { kind: "cut", why: "--cut" });
  assert.equal(outcome.verdict, "inconclusive");
  assert.equal(
    outcome.reason,
    "'B' never reached after 'A' (line 1); not decided: the capture is cut after line 2 (--cut)",
  );
  assert.deepEqual(
    outcome.markers.map(({ status }) => status),
    ["found", "undecided"],
  );
});

test("a log without events decides nothing", () => {
  for (const scenario of [{ markers: [A] }, { rules: [{ never: { event: "a" } }] }]) {
    const outcome = gradeEvents(scenario, []);
    assert.equal(outcome.verdict, "inconclusive");
    assert.equal(outcome.reason, "no telemetry event");
  }
});

test("a rule names the event, what it asks for, and the line", () => {
  const rule = {
    name: "Verify after write",
    after: { event: "file_write" },
    capture: { f: "data.path" },
    expect: { event: ["file_read", "file_hash"], "data.path": "$f" },
  };
  const write = { name: "file_write", data: { path: "/a" } };
  const outcome = gradeEvents({ rules: [rule] }, [{ name: "x" }, { name: "x" }, { name: "x" }, write]);
  assert.equal(
    outcome.rules[0]?.violations[0]?.reason,
    "file_write /a (line 4) was never followed by file_read or file_hash with data.path /a",
  );
  assert.match(outcome.reason, /^rule 'Verify after write': file_write/);
});

test("at most ten violations are kept, all are counted", () => {
  const outcome = gradeEvents({ rules: [{ never: { event: "x" } }] }, log("x ".repeat(25)));
  assert.equal(outcome.rules[0]?.violations.length, 10);
  assert.equal(outcome.rules[0]?.violationCount, 25);
  assert.match(outcome.reason, /\(25 violations\)$/);
});

test("a warning does not decide the verdict", () => {
  const outcome = gradeEvents({ rules: [{ never: { event: "x" }, severity: "warn" }] }, log("x"));
  assert.equal(outcome.rules[0]?.verdict, "fail");
  assert.equal(outcome.verdict, "pass");
});

test("a rule whose trigger never came passes unexercised, and fails with require_trigger", () => {
  const rule = { after: { event: "a" }, expect: { event: "b" } };
  const [free, bound] = gradeEvents({ rules: [rule, { ...rule, require_trigger: true }] }, log("x")).rules;
  assert.deepEqual([free?.verdict, free?.exercised], ["pass", 0]);
  assert.deepEqual([bound?.verdict, bound?.exercised], ["fail", 0]);
});

test("the nearest miss is the event with the most satisfied tests, with the cause of the failure", () => {
  const scenario = { markers: [{ name: "Tab", where: { event: "tab", "data.tab": "calendar", "data.user": "ann" } }] };
  const events = [
    { name: "tab", data: { tab: "chat", user: "bob" } },
    { name: "tab", data: { tab: "Calendar", user: "ann" } },
    { name: "other", data: { tab: "calendar", user: "ann" } },
  ];
  const nearest = gradeEvents(scenario, events).markers[0]?.nearest;
  assert.equal(nearest?.line, 2);
  assert.deepEqual(
    nearest?.failed.map(({ path, want, got }) => ({ path, want, got })),
    [{ path: "data.tab", want: "calendar", got: "Calendar" }],
  );
  assert.match(nearest?.failed[0]?.hint ?? "", /other case/);
  assert.equal(nearest?.passed.length, 2);
});

test("a name in other case is a near miss although no test holds", () => {
  const nearest = gradeEvents({ markers: [A] }, log("x A x")).markers[0]?.nearest;
  assert.equal(nearest?.line, 2);
  assert.match(nearest?.failed[0]?.hint ?? "", /other case/);
});

test("no event is a near miss when none satisfies a single test", () => {
  assert.equal(gradeEvents({ markers: [A] }, log("x y z")).markers[0]?.nearest, undefined);
});

test("found markers carry their lines and the time since the marker before", () => {
  const outcome = gradeEvents(
    { markers: [A, { ...B, optional: true }, { name: "C", event: "c" }] },
    log("x@0 a@1 c@3.5"),
  );
  assert.deepEqual(
    outcome.markers.map(({ name, status, afterMs, evidence }) => [name, status, afterMs, evidence[0]?.line]),
    [
      ["A", "found", 0, 2],
      ["B", "skipped", undefined, undefined],
      ["C", "found", 2500, 3],
    ],
  );
  assert.equal(outcome.coverage, 1);
  assert.deepEqual(outcome.notFound, []);
  assert.deepEqual(outcome.matchIndices, [1, 2]);
});

test("advisory markers count in the coverage, not in the verdict, also behind the last one", () => {
  const scenario = { markers: [A, { ...B, advisory: true }] };
  const without = gradeEvents(scenario, log("a x"));
  assert.deepEqual([without.verdict, without.coverage, without.notFound], ["pass", 0.5, ["B"]]);
  const with_ = gradeEvents(scenario, log("a x b"));
  assert.deepEqual([with_.verdict, with_.coverage, with_.matchIndices], ["pass", 1, [0, 2]]);
});

test("seen lists markers whose event occurred, whatever the order", () => {
  const outcome = gradeEvents({ markers: [A, B, { name: "C", event: "c" }] }, log("c b"));
  assert.deepEqual(outcome.seen, ["B", "C"]);
  assert.deepEqual([outcome.reached, outcome.waitingFor], [undefined, "A"]);
});

test("the score weighs markers and rules", () => {
  const scenario = {
    markers: [{ ...A, weight: 3 }, B],
    rules: [{ never: { event: "x" }, weight: 4 }],
  };
  assert.equal(gradeEvents(scenario, log("a")).score, (3 + 4) / 8);
});
