import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SHARED } from "../../support/project.ts";

type Pair = readonly [number, number];

/** The bank of reference values: exact rationals, scipy 1.10.1 and R 4.2.2. */
export interface Bank {
  readonly pass_at_k_and_pass_hat_k: {
    readonly cases: readonly {
      readonly n: number;
      readonly c: number;
      readonly k: number;
      readonly pass_at_k: number | null;
      readonly pass_at_k_frac: string | null;
      readonly pass_hat_k: number | null;
      readonly pass_hat_k_frac: string | null;
    }[];
    readonly naive_for_contrast: readonly {
      readonly n: number;
      readonly c: number;
      readonly k: number;
      readonly unbiased_pass_at_k: number;
      readonly unbiased_pass_hat_k: number;
    }[];
  };
  readonly binomial_intervals: {
    readonly cases: readonly {
      readonly x: number;
      readonly n: number;
      readonly level: number;
      readonly clopper_pearson: Pair;
      readonly wilson: Pair;
      readonly wilson_continuity: Pair;
    }[];
  };
  readonly sprt: {
    readonly alpha: number;
    readonly beta: number;
    readonly log_A: number;
    readonly log_B: number;
    readonly llr_success: number;
    readonly llr_failure: number;
    readonly wald_approx_expected_n: { readonly at_p0: number; readonly at_p1: number };
    readonly exact: readonly {
      readonly p: number;
      readonly exact_P_accept_H1: number;
      readonly exact_P_accept_H0: number;
      readonly exact_expected_n: number;
      readonly exact_median_n: number;
      readonly exact_P_n_le_20: number;
    }[];
    readonly boundaries: readonly {
      readonly n: number;
      readonly accept_H1_if_successes_at_least: number | null;
      readonly accept_H0_if_successes_at_most: number | null;
    }[];
    readonly worked: { readonly all_successes_accept_H1_at_n: number; readonly all_failures_accept_H0_at_n: number };
  };
  readonly two_proportions: {
    readonly cases: readonly {
      readonly x1: number;
      readonly n1: number;
      readonly x2: number;
      readonly n2: number;
      readonly fisher_two_sided_p: number;
      readonly fisher_frac: string | null;
      readonly barnard_pooled_two_sided_p: number;
      readonly difference_p1_minus_p2: number;
      readonly newcombe_95: Pair;
    }[];
  };
  readonly cohens_kappa: {
    readonly cases: readonly {
      readonly matrix_rows_rater1: readonly (readonly number[])[];
      readonly kappa: number | null;
      readonly kappa_frac: string | null;
    }[];
  };
  readonly jensen_shannon: {
    readonly cases: readonly {
      readonly p: readonly number[];
      readonly q: readonly number[];
      readonly divergence_bits: number;
      readonly distance_base2: number;
      readonly distance_base_e: number;
    }[];
  };
  readonly mmd_rbf: {
    readonly cases: readonly {
      readonly X: readonly (readonly number[])[];
      readonly Y: readonly (readonly number[])[];
      readonly gamma: number;
      readonly mmd2_biased: number;
      readonly mmd2_unbiased: number;
    }[];
  };
  readonly mcnemar_exact: {
    readonly cases: readonly {
      readonly only_A_passes: number;
      readonly only_B_passes: number;
      readonly exact_two_sided_p: number;
    }[];
  };
}

export function readBank(): Bank {
  return JSON.parse(readFileSync(join(SHARED, "oracles", "stats.json"), "utf8")) as Bank;
}
