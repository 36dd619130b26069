import assert from "node:assert/strict";
import test from "node:test";
import { combineSessions, worstExit, worstVerdict } from "../../../grader/combine.ts";

test("the worst exit code wins: 70, 2, 3, 1, 5, 4, 0", () => {
  const order = [70, 2, 3, 1, 5, 4, 0];
  for (const [index, code] of order.entries()) assert.equal(worstExit(order.slice(index).toReversed()), code);
  assert.equal(worstExit([]), 4);
});

test("the worst verdict wins: error, inconclusive, fail, pass", () => {
  assert.equal(worstVerdict(["pass", "fail", "inconclusive", "error"]), "error");
  assert.equal(worstVerdict(["pass", "fail", "inconclusive"]), "inconclusive");
  assert.equal(worstVerdict(["pass", "fail"]), "fail");
  assert.equal(worstVerdict(["pass"]), "pass");
});

test("sessions: all takes the worst, any takes a pass", () => {
  assert.equal(combineSessions(["pass", "fail"], "all"), "fail");
  assert.equal(combineSessions(["fail", "pass", "inconclusive"], "any"), "pass");
  assert.equal(combineSessions(["fail", "inconclusive"], "any"), "inconclusive");
  assert.equal(combineSessions(["fail", "fail"], "any"), "fail");
  assert.equal(combineSessions(["pass", "error"], "any"), "error");
});
