import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../../examples/chat/random.ts";
import { learnRuns } from "../../../grader/learn/learn.ts";
import { createPredictor, type HeldRun } from "../../../grader/learn/predict.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { call, heldRun, learnAndGrade } from "../../support/learning.ts";

const LOADING = [
  heldRun("a", ["Search Dialog", "Search Results"]),
  heldRun("b", ["Search Dialog", "Loading", "Search Results"]),
  heldRun("c", ["Search Dialog", "Search Results"]),
];

test("the loading-screen example of the method", () => {
  const { model, text } = learnRuns(LOADING, "search");
  const { scenario } = parseScenario(text, "search.yaml");
  const shown = scenario.markers.map(({ name, optional }) => [name, optional]);
  assert.deepEqual(shown, [
    ["Search Dialog", false],
    ["Loading", true],
    ["Search Results", false],
  ]);
  assert.deepEqual(model.provisional, []);
  const failed = createPredictor(text).grade(heldRun("d", ["Search Dialog", "Loading"]));
  assert.equal(failed.verdict, "fail");
  assert.match(failed.reason, /^'Search Results' never reached after 'Search Dialog'/);
  assert.equal(failed.coverage, 0.5);
});

test("the same runs in any of 20 orders give the same bytes", () => {
  const runs = [
    heldRun("a", [
      call("get_user", { id: "u1" }),
      call("cancel_order", { order: "o1", reason: "late" }),
      call("update_address", { zip: "1" }),
    ]),
    heldRun("b", [call("update_address", { zip: "1" }), call("cancel_order", { order: "o1", reason: "other" })]),
    heldRun("c", [
      call("get_user", { id: "u1" }),
      call("cancel_order", '{"order": "o1"}'),
      call("update_address", { zip: 1 }),
    ]),
    heldRun("d", [
      call("cancel_order", { order: "o1" }),
      call("send_mail", { to: "x" }),
      call("update_address", { zip: "1" }),
    ]),
    heldRun("e", ["view_shown", call("cancel_order", { order: "o1" }), call("update_address", { zip: "1" })]),
  ];
  const { text } = learnRuns(runs, "orders");
  for (let shuffle = 0; shuffle < 20; shuffle++) assert.equal(learnRuns(shuffled(runs, shuffle), "orders").text, text);
});

function shuffled(runs: readonly HeldRun[], seed: number): readonly HeldRun[] {
  const random = seededRandom([seed]);
  const left = [...runs];
  return runs.flatMap(() => left.splice(random.below(left.length), 1));
}

const CANCELS = ["a", "b", "c"].map((id) =>
  heldRun(id, [
    call("get_order", { order: "o1", trace: id }, { write: false }),
    call("cancel_order", { order: "o1", trace: id }, { write: true }),
  ]),
);

test("facts that all good runs share are tested, and each way to break them has a reason of its own", () => {
  const cancel = (order: string) => call("cancel_order", { order, trace: "x" }, { write: true });
  const verdictOf = (...events: readonly ReturnType<typeof call>[]) => learnAndGrade(CANCELS, heldRun("x", events));
  assert.equal(verdictOf(cancel("o1")).verdict, "pass");
  assert.match(verdictOf(cancel("o2")).reason, /cancel_order/);
  assert.match(verdictOf(cancel("o1"), cancel("o1")).reason, /as often as in good runs/);
  assert.match(
    verdictOf(cancel("o1"), call("refund", { order: "o1" }, { write: true })).reason,
    /No effect that no good run had/,
  );
  assert.equal(
    verdictOf(cancel("o1"), call("refund", {}, { write: true, error: true })).verdict,
    "pass",
    "what failed changed nothing",
  );
});

test("reads are advisory: they count in coverage, not in the verdict", () => {
  const run = learnAndGrade(
    CANCELS,
    heldRun("x", [call("cancel_order", { order: "o1", trace: "y" }, { write: true })]),
  );
  assert.equal(run.verdict, "pass");
  assert.equal(run.coverage, 0.5);
});

test("a claim is never evidence", () => {
  const good = ["a", "b", "c"].map((id) => heldRun(id, ["order_placed", ["submit", { text: id }]]));
  assert.equal(learnAndGrade(good, heldRun("x", ["submit"])).verdict, "fail");
  assert.equal(learnAndGrade(good, heldRun("x", ["order_placed"])).verdict, "pass");
});

test("a value of the run's own goal becomes a parameter, also inside a text", () => {
  const run = (id: string, order: string) =>
    heldRun(id, [call("cancel_order", { order, note: `cancel ${order}` }, { write: true })], { params: { order } });
  const { text } = learnRuns([run("a", "o11"), run("b", "o22"), run("c", "o33")], "cancel");
  assert.match(text, /data\.args\.order: \$order/);
  assert.match(text, /cancel \$\{order\}/);
  const predictor = createPredictor(text);
  assert.equal(predictor.grade(run("d", "o44")).verdict, "pass");
  const wrong = { ...run("d", "o44"), params: new Map([["order", "o55"]]) };
  assert.equal(predictor.grade(wrong).verdict, "fail");
});

test("alternative ends: the last answer is one that good runs got, and it stands", () => {
  const answer = (text: string) => call("query", { sql: text }, { result: text });
  const good = [["x", "ok: 7 rows"], ["ok: 7 rows"], ["y", "7 rows found"]].map((texts, at) =>
    heldRun(String(at), texts.map(answer)),
  );
  const grade = (...texts: string[]) =>
    learnAndGrade([...good, heldRun("3", [answer("ok: 7 rows")])], heldRun("x", texts.map(answer))).verdict;
  assert.equal(grade("ok: 7 rows"), "pass");
  assert.equal(grade("z", "7 rows found"), "pass");
  assert.equal(grade("8 rows"), "fail");
  assert.equal(grade("ok: 7 rows", "8 rows"), "fail", "the answer was given up again");
});

test("little evidence makes the scenario provisional, and says why", () => {
  assert.match(learnRuns(LOADING.slice(0, 2), "x").text, /provisional: true # learned from 2 runs/);
  const [same] = LOADING;
  assert.ok(same !== undefined);
  assert.match(learnRuns([same, same, same], "x").text, /provisional: true # all runs went one and the same way/);
});

test("limits are three times the slowest good run, and only where there is real time", () => {
  const runs = [100, 900, 400].map((gapMs, at) =>
    heldRun(String(at), at === 1 ? ["a", "m", "b"] : ["a", "b"], { gapMs }),
  );
  assert.match(learnRuns(runs, "x").text, /within: 10s/); // 1.8 s x 3 = 5.4 s
  assert.doesNotMatch(learnRuns(runs, "x", { within: false }).text, /within/);
  assert.doesNotMatch(learnRuns(LOADING, "x").text, /within/);
});

test("a log that a program makes may have no name that no good run had, when asked", () => {
  const good = ["a", "b", "c"].map((id) => heldRun(id, ["open", "write", "write", "close"]));
  const strange = heldRun("x", ["open", "write", "write", "retry", "close"]);
  assert.equal(learnAndGrade(good, strange).verdict, "pass");
  assert.match(learnAndGrade(good, strange, { closedWorld: true }).reason, /No event that no good run had/);
});

test("loops dissolve dominators: the common subsequence takes over and the file says so", () => {
  const good = [
    heldRun("a", ["start", "x", "y", "x", "y", "end"]),
    heldRun("b", ["start", "y", "x", "y", "x", "end"]),
    heldRun("c", ["start", "x", "x", "y", "y", "end"]),
  ];
  const { model, text } = learnRuns(good, "loops");
  assert.equal(model.order.by, "subsequence");
  assert.match(text, /go in loops/);
  assert.equal(learnAndGrade(good, heldRun("d", ["start", "y", "y", "x", "x", "end"])).verdict, "pass");
  assert.equal(learnAndGrade(good, heldRun("d", ["start", "y", "x", "x", "end"])).verdict, "fail");
});

// Drain3 #109: opposites that differ in one word were merged.
test("the word that tells good from bad stays; ids and times are generalised", () => {
  const run = (id: number, word: string) => heldRun(String(id), [["vm", { text: `VM ${id} ${word}` }], "closed"]);
  const good = [run(11, "Started"), run(12, "Started"), run(13, "Started")];
  assert.equal(learnAndGrade(good, run(99, "Started")).verdict, "pass");
  assert.equal(learnAndGrade(good, run(99, "Paused")).verdict, "fail");
});

test("a value with more or fewer words is the same marker's wildcard", () => {
  const run = (user: string, host: number) =>
    heldRun(user, [["login", { text: `Invalid user ${user} from 192.0.2.${host}` }]]);
  const good = [run("test9", 1), run("boris zhang", 2), run("a b c", 3)];
  const { scenario } = parseScenario(learnRuns(good, "x").text, "x.yaml");
  assert.equal(scenario.markers.length, 1);
  assert.equal(learnAndGrade(good, run("root", 9)).verdict, "pass");
  assert.equal(learnAndGrade(good, heldRun("x", [["login", { text: "Accepted password for root" }]])).verdict, "fail");
});

test("ids beyond 2^53 are facts with all their digits", () => {
  const run = (name: string, id: bigint) => heldRun(name, [["send_message", { id, ids: [id, 1] }]]);
  const good = ["a", "b", "c"].map((name) => run(name, 90071992547409931n));
  assert.match(learnRuns(good, "long-ids").text, /data\.id\|str: "90071992547409931"/);
  assert.equal(learnAndGrade(good, run("same", 90071992547409931n)).verdict, "pass");
  assert.equal(learnAndGrade(good, run("other", 90071992547409932n)).verdict, "fail");
});
