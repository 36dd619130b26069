import assert from "node:assert/strict";
import test from "node:test";
import { fidelityOf } from "../../../grader/trials/fidelity.ts";
import { editDistance, selfSimilarity, similarity } from "../../../grader/trials/fidelity-sequence.ts";
import type { Trial } from "../../../grader/trials/trial.ts";
import { trialOf } from "../../support/trials.ts";

test("edit distances of published examples", () => {
  // Wagner & Fischer's and the textbook pairs: kitten/sitting 3, saturday/sunday 3, intention/execution 5.
  for (const [a, b, distance] of [
    ["kitten", "sitting", 3],
    ["saturday", "sunday", 3],
    ["intention", "execution", 5],
    ["", "abc", 3],
    ["abc", "abc", 0],
  ] as const) {
    assert.equal(editDistance([...a], [...b]), distance);
    assert.equal(editDistance([...b], [...a]), distance);
  }
  assert.equal(similarity([..."kitten"], [..."sitting"]), 1 - 3 / 7);
  assert.equal(similarity([], []), 1);
  assert.equal(selfSimilarity([["a"]]), undefined);
});

function runs(task: string, verdicts: string, more: { variant?: string } = {}): readonly Trial[] {
  return [...verdicts].map((letter) =>
    trialOf({ verdict: letter === "p" ? "pass" : "fail", manifest: { task, ...more } }),
  );
}

test("verdict agreement, majorities and the largest difference, worked out by hand", () => {
  const live = [...runs("one", "pppp"), ...runs("two", "ppff"), ...runs("three", "pfff")];
  const simulated = [...runs("one", "pp"), ...runs("two", "pf"), ...runs("three", "pp"), ...runs("four", "p")];
  const [report] = fidelityOf(live, simulated, { names: ["live", "simulated"] });
  // One: 1. Two: 1/2 * 1/2 + 1/2 * 1/2 = 1/2. Three: 1/4 * 1 + 3/4 * 0 = 1/4. Mean 7/12.
  assert.ok(Math.abs((report?.agreement?.estimate ?? 0) - 7 / 12) < 1e-12);
  // Pairs of live runs alike: 6/6, (1 + 1)/6, (0 + 3)/6; mean (1 + 1/3 + 1/2) / 3 = 11/18.
  assert.ok(Math.abs((report?.self_agreement ?? 0) - 11 / 18) < 1e-12);
  assert.deepEqual(report?.majority, { same: 1, different: 1, split: 1, kappa: 0 });
  const [variant] = report?.variants ?? [];
  // 7 of 12 against 5 of 6.
  assert.deepEqual(
    [variant?.a, variant?.b, variant?.worst_task],
    [{ passed: 7, runs: 12 }, { passed: 5, runs: 6 }, "three"],
  );
  assert.ok(Math.abs((variant?.difference ?? 0) - (7 / 12 - 5 / 6)) < 1e-12);
});

test("event orders are compared run by run, and a group against itself is alike", () => {
  const live = runs("t", "pp");
  const simulated = runs("t", "p");
  const ids = [...live, ...simulated].map(({ manifest }) => manifest.id);
  const names = [
    ["a", "b", "c", "d"],
    ["a", "b", "c", "d"],
    ["a", "x", "c"],
  ];
  const events = new Map(ids.map((id, at) => [id, { names: names[at] ?? [], isCut: false }]));
  const [report] = fidelityOf(live, simulated, { events });
  // b becomes x and d goes: distance 2 of 4, for both live runs.
  assert.deepEqual(report?.event_order, { estimate: 0.5, interval: null, tasks: 1, self: 1, cut: 0 });
  // Shares of a, b, c, d, x: 1/4 each and none against 1/3, 0, 1/3, 0, 1/3.
  const [p, q] = [
    [1 / 4, 1 / 4, 1 / 4, 1 / 4, 0],
    [1 / 3, 0, 1 / 3, 0, 1 / 3],
  ];
  const entropy = (shares: readonly number[]): number =>
    shares.reduce((sum, share) => sum - (share === 0 ? 0 : share * Math.log2(share)), 0);
  const divergence = entropy(p.map((share, at) => (share + (q[at] ?? 0)) / 2)) - (entropy(p) + entropy(q)) / 2;
  assert.ok(Math.abs((report?.event_mix ?? 0) - Math.sqrt(divergence)) < 1e-9);
  const [self] = fidelityOf(live, live, { events });
  assert.deepEqual([self?.agreement?.estimate, self?.event_order?.estimate, self?.event_mix], [1, 1, 0]);
});

test("variants are matched by name, and left aside when the groups share none", () => {
  const a = [...runs("t", "pp", { variant: "m1" }), ...runs("t", "ff", { variant: "m2" })];
  const b = [...runs("t", "pf", { variant: "m1" }), ...runs("t", "ff", { variant: "m2" })];
  const [report] = fidelityOf(a, b);
  assert.deepEqual(
    report?.variants.map(({ variant, difference }) => [variant, difference]),
    [
      ["m1", 0.5],
      ["m2", 0],
    ],
  );
  const [other] = fidelityOf(runs("t", "pp", { variant: "live" }), runs("t", "pf", { variant: "sim" }));
  assert.equal(other?.agreement?.estimate, 0.5);
});
