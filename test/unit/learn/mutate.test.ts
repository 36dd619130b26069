import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { scoreScenario } from "../../../grader/learn/mutate/score.ts";
import { createSubject } from "../../../grader/learn/mutate/subject.ts";
import { synthesiseRuns } from "../../../grader/learn/mutate/synthesise.ts";
import { listScenarios } from "../../../grader/scenario/find.ts";
import { loadScenario } from "../../../grader/scenario/load.ts";
import { itemNamed, scoreOf } from "../../support/mutation.ts";
import { PROJECT } from "../../support/project.ts";

test("every shipped scenario catches all that is planted, never cries wolf, and each required marker can fail", async () => {
  const shipped = await listScenarios(join(PROJECT, "markers"));
  assert.ok(shipped.length >= 4);
  for (const { file } of shipped) {
    const subject = createSubject(await loadScenario(file), new Map());
    const runs = (await synthesiseRuns(subject)).map((run) => ({ ...run, params: subject.given }));
    const { score, falseAlarms, items, controls } = await scoreScenario(subject, runs, 1);
    assert.equal(score, 1, file);
    assert.equal(falseAlarms, 0, file);
    assert.ok(controls.length >= 9, file);
    for (const { target, status } of items) {
      assert.equal(status, target.name === "Spinner" ? "by_design" : "can_fail", `${file}: ${target.name}`);
    }
  }
});

const SHOP = [
  { event: "cart_opened", name: "Cart" },
  { event: "order_placed", name: "Order" },
];

test("a marker that any event satisfies is named, and the others are not", async () => {
  const [cart, order] = SHOP;
  const score = await scoreOf({ markers: [cart, { name: "Anything", where: {} }, order] });
  assert.equal(itemNamed(score, "Anything").status, "cannot_fail");
  assert.match(itemNamed(score, "Anything").why ?? "", /another event also satisfies it/);
  assert.equal(itemNamed(score, "Cart").status, "can_fail");
  assert.equal(itemNamed(score, "Order").status, "can_fail");
  assert.equal(score.falseAlarms, 0);
});

test("a marker that the app's heartbeats satisfy is named in a run that has them", async () => {
  const events = ["cart_opened", "beat_1", "beat_2", "order_placed"].map((name) => ({ name }));
  const beats = { name: "Alive", where: { "name|startswith": "beat" } };
  const score = await scoreOf({ markers: [SHOP[0], beats, SHOP[1]] }, events);
  // dropping one beat leaves the other; dropping both is noticed
  const alive = itemNamed(score, "Alive");
  assert.equal(alive.status, "can_fail");
  assert.deepEqual(
    alive.kinds.find(({ kind }) => kind === "drop"),
    {
      kind: "drop",
      caught: 1,
      missed: 0,
      equivalent: 1,
      undecided: 0,
    },
  );
});

test("an alternative that no run takes is not tested, and no reason to fail", async () => {
  const ways = {
    name: "Paid",
    one_of: [
      { event: "card", name: "Card" },
      { event: "cash", name: "Cash" },
    ],
  };
  const score = await scoreOf({ markers: [SHOP[0], ways] }, [{ name: "cart_opened" }, { name: "card" }]);
  assert.equal(itemNamed(score, "Card").status, "can_fail");
  assert.equal(itemNamed(score, "Cash").status, "not_exercised");
});

test("optional and advisory markers and rules that only warn never fail the run, by design", async () => {
  const score = await scoreOf({
    markers: [
      SHOP[0],
      { event: "tip", name: "Tip", optional: true },
      { event: "hint", name: "Hint", advisory: true },
      SHOP[1],
    ],
    rules: [{ name: "No toast", never: { event: "toast" }, severity: "warn" }],
  });
  for (const name of ["Tip", "Hint", "No toast"]) assert.equal(itemNamed(score, name).status, "by_design", name);
});

test("what any order allows is equivalent, not missed", async () => {
  const both = {
    name: "Both",
    any_order: [
      { event: "a", name: "A" },
      { event: "b", name: "B" },
    ],
  };
  const score = await scoreOf({ markers: [both] });
  assert.equal(score.score, 1);
  const swaps = score.defects.filter(({ mutant }) => mutant.kind === "swap");
  assert.deepEqual(
    swaps.map(({ outcome }) => outcome),
    ["equivalent"],
  );
});

test("every verb of a rule is broken by some defect, and a rule nothing can break is named", async () => {
  const rules = [
    { name: "never", never: { event: "crash" } },
    { name: "never after", never: { event: "edit" }, after: { event: "close" } },
    { name: "never between", never: { event: "toast" }, between: [{ event: "open" }, { event: "close" }] },
    { name: "expect", expect: { event: "saved" }, within: "10s" },
    {
      name: "answered",
      after: { event: "ask" },
      capture: { q: "data.q" },
      expect: { event: "answer", "data.q": "$q" },
      within: "5s",
    },
    { name: "before", before: { event: "delete" }, expect: { event: "backup" } },
    { name: "at most", count: { event: "retry" }, max: 3 },
    { name: "at least", count: { event: "page" }, min: 2, distinct: "data.page" },
    { name: "each", each: { event: "write" }, must: { "data.path|under": "/out" } },
    { name: "span", span: { start: { event: "on" }, end: { event: "off" }, max: "2s" } },
    { name: "if", if: { event: "login" }, expect: { event: "logout" } },
    { name: "not both", if: { event: "login" }, never: { event: "guest" } },
    { name: "first", first: { event: "began" } },
  ];
  const useless = { name: "useless", each: { event: "write" }, must: { event: "write" } };
  const score = await scoreOf({ rules: [...rules, useless] });
  assert.equal(score.runs.length, 1);
  for (const { name } of rules) assert.equal(itemNamed(score, name).status, "can_fail", name);
  assert.equal(itemNamed(score, "useless").status, "cannot_fail");
  assert.equal(score.score, 1);
  assert.equal(score.falseAlarms, 0);
});

test("limits are tested a millisecond past and exactly at the limit", async () => {
  const events = [
    { name: "cart_opened", time: "2026-01-01T00:00:00.000Z" },
    { name: "order_placed", time: "2026-01-01T00:00:01.000Z" },
  ];
  const score = await scoreOf({ markers: [SHOP[0], { ...SHOP[1], within: "5s" }] }, events);
  const delay = score.defects.find(({ mutant }) => mutant.kind === "delay");
  assert.equal(delay?.outcome, "caught");
  assert.equal(delay?.mutant.events.at(-2)?.["time"], "2026-01-01T00:00:05.001Z");
  const limit = score.controls.find(({ mutant }) => mutant.kind === "limit");
  assert.equal(limit?.outcome, "quiet");
  assert.equal(limit?.mutant.events.at(-2)?.["time"], "2026-01-01T00:00:05.000Z");
});

test("a run of another session changes nothing where sessions are split, and the numbers of the proxy stand in no way", async () => {
  const event = (name: string, seq: number) => ({ name, $capture: { seq, at: "2026-01-01T00:00:00Z", session: "A" } });
  const score = await scoreOf({ events: { session: "$capture.session" }, markers: SHOP }, [
    event("cart_opened", 1),
    event("order_placed", 2),
  ]);
  assert.equal(score.score, 1);
  assert.deepEqual(
    score.controls.filter(({ mutant }) => mutant.kind === "session").map(({ outcome }) => outcome),
    ["quiet"],
  );
});

test("the same seed gives the same score", async () => {
  const markers = [{ event: "click", name: "Clicks", repeat: 9, distinct: "data.id" }];
  const [one, other] = [await scoreOf({ markers }), await scoreOf({ markers })];
  assert.deepEqual(one, other);
});
