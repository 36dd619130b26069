import { type Fraction, fraction, toNumber } from "./fraction.ts";

/** What an agent claimed ("done" or not) against what the grade says (pass or fail), counted over runs. */
export interface AgreementMatrix {
  /** Claimed done, graded pass. */
  readonly truePositive: number;
  /** Claimed done, graded fail: the false claims. */
  readonly falsePositive: number;
  /** Not claimed, graded pass. */
  readonly falseNegative: number;
  /** Not claimed, graded fail. */
  readonly trueNegative: number;
}

/** Shares from 0 to 1 (kappa from -1), each undefined where its denominator is 0. */
export interface Agreement {
  readonly runs: number;
  /** Share of runs on which claim and grade agree. */
  readonly accuracy: number | undefined;
  /** Of the runs claimed done, the share graded pass. */
  readonly precision: number | undefined;
  /** Of the runs graded pass, the share claimed done. */
  readonly recall: number | undefined;
  /** Of the runs graded fail, the share not claimed done. */
  readonly specificity: number | undefined;
  /** Harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN). */
  readonly f1: number | undefined;
  /** Agreement beyond chance (Cohen 1960). */
  readonly kappa: number | undefined;
}

/** Counts claims against grades. Runs without a claim, or graded `inconclusive` or `error`, are not given here. */
export function countAgreement(runs: Iterable<{ claimed: boolean; passed: boolean }>): AgreementMatrix {
  const matrix = { truePositive: 0, falsePositive: 0, falseNegative: 0, trueNegative: 0 };
  for (const { claimed, passed } of runs) {
    if (claimed) matrix[passed ? "truePositive" : "falsePositive"]++;
    else matrix[passed ? "falseNegative" : "trueNegative"]++;
  }
  return matrix;
}

/** The measures of an agreement matrix; without runs all are undefined. Negative or fractional counts are a `RangeError`. */
export function agreementOf(matrix: AgreementMatrix): Agreement {
  const { truePositive, falsePositive, falseNegative, trueNegative } = matrix;
  const kappa = cohenKappa([
    [truePositive, falsePositive],
    [falseNegative, trueNegative],
  ]);
  const runs = truePositive + falsePositive + falseNegative + trueNegative;
  return {
    runs,
    accuracy: share(truePositive + trueNegative, runs),
    precision: share(truePositive, truePositive + falsePositive),
    recall: share(truePositive, truePositive + falseNegative),
    specificity: share(trueNegative, trueNegative + falsePositive),
    f1: share(2 * truePositive, 2 * truePositive + falsePositive + falseNegative),
    kappa,
  };
}

function share(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

/**
 * Cohen's kappa (Cohen 1960) of a square table of counts, first rater in rows, second in columns: 1 full agreement, 0
 * what chance gives, below 0 less. Undefined without counts, and when both raters always use one and the same category
 * (chance alone explains everything). A table that is not square or has impossible counts is a `RangeError`.
 */
export function cohenKappa(table: readonly (readonly number[])[]): number | undefined {
  const exact = cohenKappaExact(table);
  return exact === undefined ? undefined : toNumber(exact);
}

/** `cohenKappa` as an exact fraction. */
export function cohenKappaExact(table: readonly (readonly number[])[]): Fraction | undefined {
  requireTable(table);
  const all = sum(table.flat());
  const rows = table.map(sum);
  const columns = table.map((_, column) => sum(table.map((row) => row[column] ?? 0)));
  const agreed = BigInt(sum(table.map((row, index) => row[index] ?? 0)));
  const byChance = rows.reduce((total, row, index) => total + BigInt(row) * BigInt(columns[index] ?? 0), 0n);
  const total = BigInt(all);
  if (total * total === byChance) return undefined;
  return fraction(total * agreed - byChance, total * total - byChance);
}

function requireTable(table: readonly (readonly number[])[]): void {
  const isSquare = table.every((row) => row.length === table.length);
  const isCounted = table.flat().every((count) => Number.isSafeInteger(count) && count >= 0);
  if (!isSquare || !isCounted) throw new RangeError("kappa needs a square table of counts");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
