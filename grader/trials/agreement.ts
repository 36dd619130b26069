import { type AgreementMatrix, agreementOf, countAgreement } from "../statistics/agreement.ts";
import { runsOf, share } from "../statistics/numbers.ts";
import type { AgreementSummary, ReviewAgreement } from "./batch.ts";
import type { Trial } from "./trial.ts";

/**
 * The agents' claims against the grade, over the runs that have both; and, where people reviewed runs, grade and claims
 * against their word. A run is graded pass when all its results are, fail when one is; one that could not be decided
 * counts nowhere, nor does a claim of neither. Undefined when no run has a claim or a review.
 */
export function summariseAgreement(trials: readonly Trial[]): AgreementSummary | undefined {
  const runs = trials.map(answersOf);
  const claimed = compare(runs, "claim", "grade");
  const reviews = reviewsOf(runs);
  const hasClaims = runs.some(({ claim }) => claim !== undefined);
  if (!hasClaims && reviews === undefined) return undefined;
  const { truePositive, falsePositive, falseNegative, trueNegative } = claimed.matrix;
  return {
    claimed_passed: truePositive,
    claimed_failed: falsePositive,
    denied_passed: falseNegative,
    denied_failed: trueNegative,
    ...rates(claimed.matrix),
    disagreeing: claimed.disagreeing,
    words: sayClaims(claimed),
    ...(reviews === undefined ? {} : { reviews }),
  };
}

/** Whether claim and grade of one run agree; undefined when it has not both. Stored beside the grade. */
export function doesAgree(trial: Trial): boolean | undefined {
  const { claim, grade } = answersOf(trial);
  return claim === undefined || grade === undefined ? undefined : claim === grade;
}

interface Answers {
  readonly id: string;
  readonly claim: boolean | undefined;
  readonly grade: boolean | undefined;
  readonly review: boolean | undefined;
}

function answersOf(trial: Trial): Answers {
  const { id, self_report: report, review } = trial.manifest;
  return {
    id,
    claim: report?.claims_success,
    grade: gradeOf(trial),
    review: review === undefined ? undefined : review.verdict === "pass",
  };
}

function gradeOf({ results, manifest }: Trial): boolean | undefined {
  if (results.length === 0 || manifest.state === "interrupted") return undefined;
  if (results.some(({ verdict }) => verdict === "fail")) return false;
  return results.every(({ verdict }) => verdict === "pass") ? true : undefined;
}

interface Compared {
  readonly matrix: AgreementMatrix;
  readonly disagreeing: readonly string[];
}

type Rater = "claim" | "grade" | "review";

function compare(runs: readonly Answers[], first: Rater, second: Rater): Compared {
  const both = runs.flatMap((run) => {
    const [claimed, passed] = [run[first], run[second]];
    return claimed === undefined || passed === undefined ? [] : [{ id: run.id, claimed, passed }];
  });
  return {
    matrix: countAgreement(both),
    disagreeing: both.filter(({ claimed, passed }) => claimed !== passed).map(({ id }) => id),
  };
}

function reviewsOf(runs: readonly Answers[]): AgreementSummary["reviews"] {
  const reviewed = runs.filter(({ review }) => review !== undefined);
  if (reviewed.length === 0) return undefined;
  const grade = compare(reviewed, "grade", "review");
  const claim = compare(reviewed, "claim", "review");
  const hasClaims = countOf(claim.matrix) > 0;
  return {
    grade: reviewAgreement(grade),
    ...(hasClaims ? { claim: reviewAgreement(claim) } : {}),
    words: [
      sayAgreeing("the grade agrees with the review", grade),
      hasClaims ? sayAgreeing("the claim does", claim) : "",
    ]
      .filter((words) => words !== "")
      .join("; "),
  };
}

function reviewAgreement({ matrix, disagreeing }: Compared): ReviewAgreement {
  return {
    passed_passed: matrix.truePositive,
    passed_failed: matrix.falsePositive,
    failed_passed: matrix.falseNegative,
    failed_failed: matrix.trueNegative,
    ...rates(matrix),
    disagreeing,
  };
}

type Rates = Pick<AgreementSummary, "accuracy" | "precision" | "recall" | "f1" | "kappa">;

function rates(matrix: AgreementMatrix): Rates {
  const { accuracy, precision, recall, f1, kappa } = agreementOf(matrix);
  return {
    accuracy: accuracy ?? null,
    precision: precision ?? null,
    recall: recall ?? null,
    f1: f1 ?? null,
    kappa: kappa ?? null,
  };
}

function countOf({ truePositive, falsePositive, falseNegative, trueNegative }: AgreementMatrix): number {
  return truePositive + falsePositive + falseNegative + trueNegative;
}

/** `claim and grade agree in 4 of 5 runs (80%, kappa 0.55); 1 run claimed success and failed: 01K…`. */
function sayClaims(compared: Compared): string {
  const { matrix } = compared;
  if (countOf(matrix) === 0) return "no run has both a claim and a grade";
  const wrong = [
    { count: matrix.falsePositive, words: "claimed success and failed" },
    { count: matrix.falseNegative, words: "claimed failure and passed" },
  ].flatMap(({ count, words }) => (count === 0 ? [] : [`${runsOf(count)} ${words}`]));
  return [sayAgreeing("claim and grade agree", compared), ...wrong].join("; ");
}

function sayAgreeing(what: string, { matrix }: Compared): string {
  const all = countOf(matrix);
  if (all === 0) return `${what} in no run, because none has both`;
  const { accuracy = 0, kappa } = agreementOf(matrix);
  const agreed = matrix.truePositive + matrix.trueNegative;
  const beyond = kappa === undefined ? "" : `, kappa ${kappa.toFixed(2)}`;
  return `${what} in ${agreed} of ${runsOf(all)} (${share(accuracy)}${beyond})`;
}
