import assert from "node:assert/strict";
import test, { after, type TestContext } from "node:test";
import { cohenKappa, cohenKappaExact } from "../../../grader/statistics/agreement.ts";
import { barnardExact } from "../../../grader/statistics/barnard.ts";
import { newcombe } from "../../../grader/statistics/difference.ts";
import { jensenShannon, jensenShannonDistance, meanDiscrepancy } from "../../../grader/statistics/distances.ts";
import { fisherExact, fisherFraction } from "../../../grader/statistics/fisher.ts";
import type { Fraction } from "../../../grader/statistics/fraction.ts";
import { clopperPearson, type Interval, wilson, wilsonCorrected } from "../../../grader/statistics/interval.ts";
import { mcnemarExact } from "../../../grader/statistics/mcnemar.ts";
import { passAtK, passAtKExact, passHatK, passHatKExact } from "../../../grader/statistics/repeatability.ts";
import { DEFAULT_SPRT, sprtBounds, sprtShortest, sprtThreshold } from "../../../grader/statistics/sprt.ts";
import { sprtCharacteristics, waldExpectedTrials } from "../../../grader/statistics/sprt-characteristics.ts";
import { needsShared } from "../../support/project.ts";
import { readBank } from "./bank.ts";

// Every value of the bank. `worst` is the largest relative deviation seen (absolute for values that are 0), so the
// table says how many digits hold.
const seen = new Map<string, { cases: number; agreeing: number; worst: number }>();
const here = needsShared("oracles", "stats.json");
const TOLERANCE = 2e-13;

/** Compares one value of the bank; null there is undefined here. */
function agrees(t: TestContext, method: string, got: number | undefined, want: number | null): void {
  const row = seen.get(method) ?? { cases: 0, agreeing: 0, worst: 0 };
  const off = want === null ? (got === undefined ? 0 : 1) : Math.abs((got ?? Number.NaN) - want) / scaleOf(want);
  const isRight = off <= TOLERANCE;
  row.cases++;
  row.agreeing += isRight ? 1 : 0;
  row.worst = Math.max(row.worst, Number.isNaN(off) ? 1 : off);
  seen.set(method, row);
  assert.ok(isRight, `${t.name}: ${method} got ${got}, the bank has ${want}`);
}

/** The bank has 3e-18 for some zeros. */
function scaleOf(want: number): number {
  return Math.abs(want) < 1e-15 ? 1 : Math.abs(want);
}

function agreesInterval(t: TestContext, method: string, got: Interval, want: readonly [number, number]): void {
  agrees(t, method, got.low, want[0]);
  agrees(t, method, got.high, want[1]);
}

function agreesExactly(method: string, got: Fraction | undefined, want: string | null): void {
  const row = seen.get(method) ?? { cases: 0, agreeing: 0, worst: 0 };
  const text = got === undefined ? null : `${got.numerator}/${got.denominator}`;
  row.cases++;
  row.agreeing += text === want ? 1 : 0;
  seen.set(method, row);
  assert.equal(text, want, method);
}

after(() => {
  if (seen.size === 0) return;
  const lines = [...seen].map(([method, { cases, agreeing, worst }]) => {
    return `${method.padEnd(28)} ${String(cases).padStart(5)} ${String(agreeing).padStart(9)}   ${worst.toExponential(1)}`;
  });
  process.stdout.write(`method                       cases  agreeing   worst deviation\n${lines.join("\n")}\n`);
});

test("pass@k and pass^k are the bank's, as fractions and as numbers", here, (t) => {
  const { cases, naive_for_contrast } = readBank().pass_at_k_and_pass_hat_k;
  for (const { n, c, k, ...want } of cases) {
    const counts = { passed: c, runs: n };
    agrees(t, "pass@k", passAtK(counts, k), want.pass_at_k);
    agrees(t, "pass^k", passHatK(counts, k), want.pass_hat_k);
    agreesExactly("pass@k as a fraction", passAtKExact(counts, k), want.pass_at_k_frac);
    agreesExactly("pass^k as a fraction", passHatKExact(counts, k), want.pass_hat_k_frac);
  }
  for (const { n, c, k, unbiased_pass_at_k, unbiased_pass_hat_k } of naive_for_contrast) {
    agrees(t, "pass@k", passAtK({ passed: c, runs: n }, k), unbiased_pass_at_k);
    agrees(t, "pass^k", passHatK({ passed: c, runs: n }, k), unbiased_pass_hat_k);
  }
});

test("the intervals of a pass rate are the bank's at three levels", here, (t) => {
  for (const { x, n, level, ...want } of readBank().binomial_intervals.cases) {
    const counts = { passed: x, runs: n };
    agreesInterval(t, "Wilson", wilson(counts, level), want.wilson);
    agreesInterval(t, "Wilson with correction", wilsonCorrected(counts, level), want.wilson_continuity);
    agreesInterval(t, "Clopper-Pearson", clopperPearson(counts, level), want.clopper_pearson);
  }
});

test("the sequential test's numbers, bounds and exact behaviour are the bank's", here, (t) => {
  const bank = readBank().sprt;
  const bounds = sprtBounds(DEFAULT_SPRT);
  agrees(t, "SPRT bounds", bounds.acceptAt, bank.log_A);
  agrees(t, "SPRT bounds", -bounds.rejectAt, -bank.log_B);
  agrees(t, "SPRT bounds", bounds.perPass, bank.llr_success);
  agrees(t, "SPRT bounds", -bounds.perFailure, -bank.llr_failure);
  const wald = waldExpectedTrials(DEFAULT_SPRT);
  agrees(t, "SPRT Wald's formula", wald.atP0, bank.wald_approx_expected_n.at_p0);
  agrees(t, "SPRT Wald's formula", wald.atP1, bank.wald_approx_expected_n.at_p1);
  for (const want of bank.exact) {
    const endless = sprtCharacteristics({ ...DEFAULT_SPRT, maximum: Number.POSITIVE_INFINITY }, want.p);
    agrees(t, "SPRT exact", endless.acceptProbability, want.exact_P_accept_H1);
    agrees(t, "SPRT exact", endless.rejectProbability, want.exact_P_accept_H0);
    agrees(t, "SPRT exact", endless.expectedTrials, want.exact_expected_n);
    agrees(t, "SPRT exact", endless.medianTrials, want.exact_median_n);
    agrees(t, "SPRT exact", 1 - sprtCharacteristics(DEFAULT_SPRT, want.p).undecidedProbability, want.exact_P_n_le_20);
  }
  for (const want of bank.boundaries) {
    const { acceptFrom, rejectUpTo } = sprtThreshold(DEFAULT_SPRT, want.n);
    agrees(t, "SPRT thresholds", acceptFrom, want.accept_H1_if_successes_at_least);
    agrees(t, "SPRT thresholds", rejectUpTo, want.accept_H0_if_successes_at_most);
  }
  const { passesToAccept, failuresToReject } = sprtShortest(DEFAULT_SPRT);
  agrees(t, "SPRT shortest", passesToAccept, bank.worked.all_successes_accept_H1_at_n);
  agrees(t, "SPRT shortest", failuresToReject, bank.worked.all_failures_accept_H0_at_n);
});

test("Fisher, Barnard and Newcombe are the bank's", here, (t) => {
  for (const { x1, n1, x2, n2, ...want } of readBank().two_proportions.cases) {
    const [a, b] = [
      { passed: x1, runs: n1 },
      { passed: x2, runs: n2 },
    ];
    agrees(t, "Fisher", fisherExact(a, b), want.fisher_two_sided_p);
    if (want.fisher_frac !== null) agreesExactly("Fisher as a fraction", fisherFraction(a, b), want.fisher_frac);
    agrees(t, "Barnard", barnardExact(a, b), want.barnard_pooled_two_sided_p);
    const difference = newcombe(a, b);
    agrees(t, "Newcombe", difference.estimate, want.difference_p1_minus_p2);
    agreesInterval(t, "Newcombe", difference, want.newcombe_95);
  }
});

test("McNemar, kappa, Jensen-Shannon and MMD are the bank's", here, (t) => {
  const bank = readBank();
  for (const { only_A_passes, only_B_passes, exact_two_sided_p } of bank.mcnemar_exact.cases) {
    agrees(t, "McNemar", mcnemarExact({ onlyA: only_A_passes, onlyB: only_B_passes }), exact_two_sided_p);
  }
  for (const { matrix_rows_rater1, kappa, kappa_frac } of bank.cohens_kappa.cases) {
    agrees(t, "kappa", cohenKappa(matrix_rows_rater1), kappa);
    agreesExactly("kappa as a fraction", cohenKappaExact(matrix_rows_rater1), kappa_frac);
  }
  for (const { p, q, ...want } of bank.jensen_shannon.cases) {
    agrees(t, "Jensen-Shannon", jensenShannon(p, q), want.divergence_bits);
    agrees(t, "Jensen-Shannon distance", jensenShannonDistance(p, q), want.distance_base2);
    const inNats = Math.sqrt((jensenShannon(p, q) ?? Number.NaN) * Math.LN2);
    agrees(t, "Jensen-Shannon distance", inNats, want.distance_base_e);
  }
  for (const { X, Y, gamma, ...want } of bank.mmd_rbf.cases) {
    const got = meanDiscrepancy(X, Y, gamma);
    agrees(t, "MMD", got?.biased, want.mmd2_biased);
    agrees(t, "MMD", got?.unbiased, want.mmd2_unbiased);
  }
});
