import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { compareGroups, compareVariants, type ScenarioComparison } from "../../../grader/trials/compare.ts";
import { comparisonDocument } from "../../../grader/trials/compare-document.ts";
import { decidingShift } from "../../../grader/trials/compare-shift.ts";
import type { Trial } from "../../../grader/trials/trial.ts";
import { needsShared, SHARED } from "../../support/project.ts";
import { group, trialOf } from "../../support/trials.ts";
import { readBank } from "../statistics/bank.ts";

function on(a: readonly Trial[], b: readonly Trial[], options = {}): ScenarioComparison {
  const [only, other] = compareGroups(a, b, options).comparisons;
  assert.ok(only !== undefined && other === undefined);
  return only;
}

function near(actual: number | null | undefined, expected: number, digits = 1e-9): void {
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < digits, `${actual} is not ${expected}`);
}

test("the reference values of two proportions come out of a whole comparison", needsShared("oracles"), () => {
  for (const { x1, n1, x2, n2, ...want } of readBank().two_proportions.cases) {
    const { pass } = on(group(x1, n1 - x1), group(x2, n2 - x2));
    near(pass.p, want.fisher_two_sided_p);
    near(pass.barnard, want.barnard_pooled_two_sided_p, 1e-7);
    near(pass.difference.low, want.newcombe_95[0], 1e-6);
    near(pass.difference.high, want.newcombe_95[1], 1e-6);
  }
});

test("3 of 5 against 4 of 5 is no evidence either way, and says what 5 runs could show", () => {
  const { pass, words } = on(group(3, 2), group(4, 1), { names: ["old", "new"] });
  assert.deepEqual([pass.kind, pass.evidence, pass.decision], ["independent", "none", "none"]);
  assert.match(words[0] ?? "", /^no evidence either way: 3 of 5 against 4 of 5, difference −20 points/);
  assert.ok(words.includes("5 runs a side show a difference from 5/5 against 1/5 on"));
});

test("the McNemar reference values come out of two sides paired by task", needsShared("oracles"), () => {
  for (const { only_A_passes: onlyA, only_B_passes: onlyB, exact_two_sided_p: p } of readBank().mcnemar_exact.cases) {
    const tasks = Array.from({ length: onlyA + onlyB + 3 }, (_, at) => `t${at}`);
    const side = (passes: (at: number) => boolean): readonly Trial[] =>
      tasks.map((task, at) => trialOf({ verdict: passes(at) ? "pass" : "fail", manifest: { task } }));
    const { pass, flips } = on(
      side((at) => at < onlyA || at >= onlyA + onlyB),
      side((at) => at >= onlyA),
    );
    assert.deepEqual([pass.kind, pass.test], ["paired", "mcnemar"]);
    near(pass.p, p);
    assert.equal(flips.filter(({ direction }) => direction === "pass_to_fail").length, onlyA);
    assert.equal(flips.length, onlyA + onlyB);
  }
});

test("errors and inconclusive runs are counted apart and are in no rate", needsShared("cases", "I02"), () => {
  const runs = JSON.parse(readFileSync(join(SHARED, "cases", "I02", "runs.json"), "utf8")) as {
    status: "pass" | "fail" | "error";
  }[];
  const trials = runs.map(({ status }) => trialOf({ verdict: status === "error" ? "launch error" : status }));
  const { a, b, words, pass } = on(trials, group(6, 2));
  assert.deepEqual([a.n, a.passed, a.failed, a.errors], [8, 2, 4, 2]);
  near(a.rate, 2 / 6);
  near(a.rate_of_all, 2 / 8);
  assert.deepEqual([b.n, b.rate], [8, 0.75]);
  assert.ok(words.includes("2 runs of A could not be graded and are in no rate"));
  // Fisher 2/8 against 6/8: margins 8, 8, 8, 8; (C(8,2)^2 + C(8,1)^2 + 1) * 2 / C(16,8) = 1698 / 12870.
  near(pass.unknown_as_failed?.p, 1698 / 12_870);
});

test("interrupted runs are counted and in no figure", () => {
  const { a } = on([...group(2, 1), trialOf({ verdict: "interrupted" })], group(1, 1));
  assert.deepEqual([a.n, a.interrupted, a.rate_of_all], [3, 1, 2 / 3]);
});

test("runs graded by other markers, or by other scenarios, are not compared", () => {
  const other = group(1, 1, { result: { markers_sha256: "1".repeat(64) } });
  assert.throws(() => compareGroups(group(1, 1), other), { code: "WM_COMPARE_MARKERS" });
  assert.throws(() => compareGroups(group(1, 0), group(1, 0, { result: { scenario: "z" } })), {
    code: "WM_COMPARE_SCENARIO",
  });
  assert.throws(() => compareGroups(group(1, 0), group(1, 0), { scenario: "z" }), { code: "WM_COMPARE_SCENARIO" });
});

test("durations are those of passing runs; a shift whose interval leaves out 0 is evidence", () => {
  const timed = (times: readonly number[], verdict: "pass" | "fail" = "pass"): readonly Trial[] =>
    times.map((ms) => trialOf({ verdict, result: { duration_ms: ms }, manifest: { used: { cost_usd: ms / 1000 } } }));
  const a = [...timed([100, 110, 120, 130, 140]), ...timed([1], "fail")];
  const b = timed([200, 210, 220, 230, 240]);
  const { shifts, words } = on(a, b);
  const duration = decidingShift(shifts, "duration");
  assert.deepEqual(duration?.a, { median: 120, counted: 5 });
  // All 25 differences are -100 plus -40..40, so their median is -100; the 95 % interval of 5 and 5 values leaves out
  // the two smallest and two largest (Mann-Whitney, P(U <= 2) = 4/252 <= 0.025 < 7/252), so its ends are the third ones.
  assert.deepEqual(duration?.shift, { estimate: -100, low: -130, high: -70 });
  assert.equal(duration?.evidence, "a_better");
  assert.equal(decidingShift(shifts, "cost")?.a?.counted, 6);
  assert.ok(words.some((line) => line.startsWith("B takes longer: median 120 ms against 220 ms")));
  assert.equal(decidingShift(shifts, "tokens")?.a, null);
});

test("funnel, stalls and times between markers are told for each side", () => {
  const source = { file: "s.yaml", line: 1, column: 1 };
  const markers = (second?: number) => [
    { name: "a", status: "found", after_ms: 0, source } as const,
    second === undefined
      ? ({ name: "b", status: "missing", source } as const)
      : ({ name: "b", status: "found", after_ms: second, source } as const),
  ];
  const passing = (ms: number) => trialOf({ verdict: "pass", result: { markers: markers(ms) } });
  const failing = () => trialOf({ verdict: "fail", result: { markers: markers(), reached: "a", waiting_for: "b" } });
  const a = [passing(10), passing(12), passing(14), failing()];
  const b = [passing(20), passing(22), failing(), failing()];
  const { a: sideA, b: sideB, markers: gaps, words } = on(a, b);
  assert.deepEqual(sideA.funnel, [
    { marker: "a", reached: 4, of: 4 },
    { marker: "b", reached: 3, of: 4 },
  ]);
  assert.deepEqual(sideB.stalls, [{ after: "a", before: "b", runs: 2 }]);
  assert.deepEqual(gaps.find(({ marker }) => marker === "b")?.shift?.estimate, -9);
  assert.ok(words.includes("B: 2 of 2 runs that failed stalled between a and b"));
});

test("the smallest effect that matters decides between evidence, none and equivalent", () => {
  const decide = (a: readonly Trial[], b: readonly Trial[], pass: number) =>
    on(a, b, { minEffects: { pass } }).pass.decision;
  assert.equal(decide(group(20, 0), group(5, 15), 0.5), "a_better");
  assert.equal(decide(group(20, 0), group(12, 8), 0.5), "none");
  assert.equal(decide(group(200, 0), group(200, 0), 0.05), "equivalent");
  assert.equal(decide(group(5, 0), group(5, 0), 0.05), "none");
});

test("exit codes: worse 1, undecided 5, a side without grades 3, each only where it is asked for", () => {
  const code = (a: readonly Trial[], b: readonly Trial[], failOnWorse = true, requireDecision = true) =>
    comparisonDocument(compareGroups(a, b), { metrics: ["pass"], failOnWorse, requireDecision }).exit_code;
  assert.equal(code(group(10, 0), group(1, 9)), 1);
  assert.equal(code(group(10, 0), group(1, 9), false), 0);
  assert.equal(code(group(1, 9), group(10, 0)), 0);
  assert.equal(code(group(3, 2), group(4, 1)), 5);
  assert.equal(code(group(3, 2), group(4, 1), true, false), 0);
  assert.equal(code(group(3, 2), [trialOf({ verdict: "launch error" })], false, false), 3);
});

test("each pair of variants is compared once, by name", () => {
  const groups = ["x", "y", "z"].map((name) => ({ name, trials: group(2, 1) }));
  assert.deepEqual(
    compareVariants(groups).map(({ names }) => names),
    [
      ["x", "y"],
      ["x", "z"],
      ["y", "z"],
    ],
  );
});

test("sessions that differ decide nothing unless it is known how they count together", () => {
  const trial = trialOf({ verdict: "pass", result: { session: "1" } });
  const [first] = trial.results;
  assert.ok(first !== undefined);
  const both = { ...trial, results: [first, { ...first, session: "2", verdict: "fail" as const, success: false }] };
  assert.equal(on([both], group(1, 0)).a.inconclusive, 1);
  assert.equal(on([both], group(1, 0), { sessions: new Map([["s", "any"]]) }).a.passed, 1);
  assert.equal(on([both], group(1, 0), { sessions: new Map([["s", "all"]]) }).a.failed, 1);
});
