import assert from "node:assert/strict";
import test from "node:test";
import { doesAgree, summariseAgreement } from "../../../grader/trials/agreement.ts";
import type { Trial, TrialManifest } from "../../../grader/trials/trial.ts";
import type { Verdict } from "../../../grader/verdict.ts";
import { sampleTrial } from "../../support/sample-trial.ts";

function trial(id: string, claims: boolean | undefined, verdict: Verdict, more: Partial<TrialManifest> = {}): Trial {
  const report =
    claims === undefined ? { claim: "unsure" } : { claim: claims ? "done" : "failed", claims_success: claims };
  return sampleTrial(id, { manifest: { self_report: report, ...more }, result: { verdict } });
}

test("claims against the grade, worked by hand", () => {
  const trials = [
    trial("a", true, "pass"),
    trial("b", true, "pass"),
    trial("c", true, "fail"),
    trial("d", false, "fail"),
    trial("e", false, "pass"),
    trial("f", undefined, "pass"),
    trial("g", true, "inconclusive"),
    trial("h", true, "error"),
    trial("i", true, "pass", { state: "interrupted" }),
  ];
  const summary = summariseAgreement(trials);
  // a b | c over d | e: accuracy 3/5; precision 2/3; recall 2/3; f1 2/3
  // chance: (3*3 + 2*2)/25 = 13/25, kappa = (15/25 - 13/25) / (12/25) = 1/6
  assert.deepEqual(summary, {
    claimed_passed: 2,
    claimed_failed: 1,
    denied_passed: 1,
    denied_failed: 1,
    accuracy: 3 / 5,
    precision: 2 / 3,
    recall: 2 / 3,
    f1: 2 / 3,
    kappa: 1 / 6,
    disagreeing: ["c", "e"],
    words:
      "claim and grade agree in 3 of 5 runs (60%, kappa 0.17); 1 run claimed success and failed; 1 run claimed failure and passed",
  });
  assert.deepEqual(trials.map(doesAgree), [true, true, false, true, false, undefined, undefined, undefined, undefined]);
});

test("one failing scenario fails the run whatever else could not be decided", () => {
  const both = (verdicts: readonly Verdict[]): Trial => {
    const one = trial("a", true, "pass");
    return { ...one, results: verdicts.flatMap((verdict) => one.results.map((result) => ({ ...result, verdict }))) };
  };
  assert.equal(summariseAgreement([both(["pass", "fail", "error"])])?.claimed_failed, 1);
  assert.equal(summariseAgreement([both(["pass", "inconclusive"])])?.claimed_passed, 0);
  assert.equal(summariseAgreement([both(["pass", "pass"])])?.claimed_passed, 1);
});

test("no figure where nothing was counted, and nothing at all without claims or reviews", () => {
  assert.equal(summariseAgreement([]), undefined);
  assert.equal(summariseAgreement([trial("a", undefined, "pass")]), undefined);
  const undecided = summariseAgreement([trial("a", true, "inconclusive")]);
  assert.deepEqual(
    [undecided?.accuracy, undecided?.kappa, undecided?.words],
    [null, null, "no run has both a claim and a grade"],
  );
});

test("people's reviews judge the grade and the claims both", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const reviewed = (verdict: "pass" | "fail") => ({ review: { verdict, at } });
  const summary = summariseAgreement([
    trial("a", true, "pass", reviewed("pass")),
    trial("b", true, "fail", reviewed("pass")),
    trial("c", undefined, "fail", reviewed("fail")),
    trial("d", true, "inconclusive", reviewed("fail")),
  ]);
  const { grade, claim, words } = summary?.reviews ?? {};
  // the grade: a agrees, b failed wrongly, c agrees; kappa (6/9 - 4/9) / (5/9) = 2/5
  assert.deepEqual(
    [grade?.passed_passed, grade?.failed_passed, grade?.failed_failed, grade?.kappa, grade?.disagreeing],
    [1, 1, 1, 2 / 5, ["b"]],
  );
  assert.deepEqual([claim?.passed_passed, claim?.passed_failed, claim?.disagreeing], [2, 1, ["d"]]);
  assert.equal(
    words,
    "the grade agrees with the review in 2 of 3 runs (67%, kappa 0.40); the claim does in 2 of 3 runs (67%, kappa 0.00)",
  );
  assert.equal(summariseAgreement([trial("a", undefined, "pass", reviewed("pass"))])?.reviews?.claim, undefined);
});
