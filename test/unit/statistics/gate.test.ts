import assert from "node:assert/strict";
import test from "node:test";
import { decideGate, type Gate, gateMisfit, parseGate } from "../../../grader/statistics/gate.ts";
import { intervalWithUnknown, rateBounds, tallyOf } from "../../../grader/statistics/tally.ts";

function gate(text: string): Gate {
  const parsed = parseGate(text);
  assert.ok(parsed.ok, text);
  return parsed.gate;
}

const tally = (passed: number, failed: number, unknown = 0) => ({ passed, failed, unknown });

test("the five forms are read, in any case and with blanks around", () => {
  assert.deepEqual(gate(" ALL "), { kind: "all", text: "all" });
  assert.deepEqual(gate("any"), { kind: "any", text: "any" });
  assert.deepEqual(gate("4/5"), { kind: "count", text: "4/5", passed: 4, runs: 5 });
  assert.deepEqual(gate("80%"), { kind: "rate", text: "80%", numerator: 80, denominator: 100 });
  assert.deepEqual(gate("66.7%"), { kind: "rate", text: "66.7%", numerator: 667, denominator: 1000 });
  assert.deepEqual(gate("lower:60%"), { kind: "lower", text: "lower:60%", share: 0.6 });
});

test("what could never fail, never be met or is no gate is refused with its reason", () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ["0%", /met even when no run passes/],
    ["0.0%", /met even when no run passes/],
    ["0/5", /met even when no run passes/],
    ["0/0", /met even when no run passes/],
    ["lower:0%", /met even when no run passes/],
    ["6/5", /can never be met/],
    ["101%", /more than 100%/],
    ["lower:100%", /can never be met/],
    ["", /write all, any, 4\/5, 80% or lower:60%/],
    ["80", /not understood/],
    ["0.8", /not understood/],
    ["-80%", /not understood/],
    ["4/5/6", /not understood/],
    ["1e2%", /not understood/],
    ["upper:60%", /not understood/],
    ["most", /not understood/],
  ];
  for (const [text, why] of refused) {
    const parsed = parseGate(text);
    assert.ok(!parsed.ok && why.test(parsed.why), `${text}: ${JSON.stringify(parsed)}`);
  }
});

test("unknown runs decide nothing: met even had they failed, not met even had they passed, else undecided", () => {
  const table: readonly (readonly [string, readonly [number, number, number], string, number | undefined])[] = [
    ["all", [5, 0, 0], "met", 5],
    ["all", [4, 1, 0], "not_met", 5],
    ["all", [4, 0, 1], "undecided", 5],
    ["all", [3, 1, 1], "not_met", 5],
    ["any", [1, 4, 0], "met", 1],
    ["any", [0, 5, 0], "not_met", 1],
    ["any", [0, 4, 1], "undecided", 1],
    ["any", [1, 0, 4], "met", 1],
    ["4/5", [4, 1, 0], "met", 4],
    ["4/5", [4, 0, 1], "met", 4],
    ["4/5", [3, 1, 1], "undecided", 4],
    ["4/5", [3, 2, 0], "not_met", 4],
    ["4/5", [8, 2, 0], "met", 8],
    ["80%", [4, 1, 0], "met", 4],
    ["80%", [7, 3, 0], "not_met", 8],
    ["80%", [2, 4, 2], "not_met", 7],
    ["80%", [6, 1, 1], "undecided", 7],
    ["100%", [5, 0, 0], "met", 5],
    ["0.5%", [1, 199, 0], "met", 1],
    ["lower:60%", [8, 0, 0], "met", 8],
    ["lower:60%", [7, 0, 0], "not_met", undefined],
    ["lower:60%", [7, 0, 1], "undecided", 8],
    ["lower:60%", [18, 2, 0], "met", 17],
  ];
  for (const [text, [passed, failed, unknown], answer, needed] of table) {
    const decision = decideGate(gate(text), tally(passed, failed, unknown));
    assert.equal(decision.answer, answer, `${text} over ${passed}/${failed}/${unknown}`);
    assert.equal(decision.needed, needed, `${text} over ${passed}/${failed}/${unknown}`);
  }
});

test("no runs meet no gate, and only unknown runs leave every gate open", () => {
  for (const text of ["all", "any", "4/5", "80%", "lower:60%"]) {
    assert.equal(decideGate(gate(text), tally(0, 0)).answer, "undecided", text);
    assert.equal(decideGate(gate(text), tally(0, 0, 10)).answer, "undecided", text);
  }
  assert.throws(() => decideGate(gate("all"), tally(-1, 0)), RangeError);
});

test("80% of five is four, without rounding troubles at any size", () => {
  for (let runs = 1; runs <= 2000; runs++) {
    for (const [text, numerator, denominator] of [
      ["80%", 4n, 5n],
      ["70%", 7n, 10n],
      ["58%", 29n, 50n],
    ] as const) {
      const needed = (BigInt(runs) * numerator + denominator - 1n) / denominator;
      assert.equal(decideGate(gate(text), tally(runs, 0)).needed, Number(needed));
    }
  }
});

test("a gate that cannot fit the planned runs is named before the first run", () => {
  assert.equal(gateMisfit(gate("4/5"), 5), undefined);
  assert.match(gateMisfit(gate("4/5"), 10) ?? "", /about 5 runs, but 10 are planned/);
  assert.equal(gateMisfit(gate("lower:60%"), 8), undefined);
  assert.match(gateMisfit(gate("lower:60%"), 5) ?? "", /cannot be met with 5 runs; it takes 8, all passed/);
  assert.match(gateMisfit(gate("lower:90%"), 20) ?? "", /it takes 36/);
  assert.match(gateMisfit(gate("lower:0.1%"), 0) ?? "", /it takes 1/);
  assert.equal(gateMisfit(gate("all"), 1), undefined);
});

test("two passes, four failures and two errors of eight give both rates and bounds", () => {
  const verdicts = ["pass", "fail", "error", "fail", "pass", "fail", "inconclusive", "fail"];
  assert.deepEqual(tallyOf(verdicts), tally(2, 4, 2));
  assert.deepEqual(rateBounds(tally(2, 4, 2)), { graded: 2 / 6, lowest: 0.25, highest: 0.5 });
  assert.deepEqual(rateBounds(tally(0, 0, 0)), { graded: undefined, lowest: undefined, highest: undefined });
  const { low, high } = intervalWithUnknown(tally(4, 1, 1));
  assert.ok(low < 0.3 && high > 0.96, "wider than either bound alone");
});
