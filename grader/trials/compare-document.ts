import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import { worstExit } from "../combine.ts";
import type { GroupComparison, ScenarioComparison } from "./compare.ts";
import type { Decision } from "./compare-decision.ts";
import { decidingShift } from "./compare-shift.ts";

/** What may decide a comparison's exit code. */
export const COMPARE_METRICS = ["pass", "duration", "cost", "tokens"] as const;
export type CompareMetric = (typeof COMPARE_METRICS)[number];

/** The document `compare --json` prints; A is the side that B is held against. */
export interface ComparisonDocument extends GroupComparison {
  readonly schema: "waymark.comparison/1";
  readonly waymark: string;
  readonly exit_code: number;
  /** `worse` when B is worse by any metric that decides, `better` when it is better by one and worse by none. */
  readonly outcome: "worse" | "better" | "equivalent" | "undecided" | "not_comparable";
  /** The metrics that decide. */
  readonly metrics: readonly CompareMetric[];
}

export interface DecisionRules {
  readonly metrics: readonly CompareMetric[];
  /** Exit 1 when B is worse. */
  readonly failOnWorse: boolean;
  /** Exit 5 when nothing is decided. */
  readonly requireDecision: boolean;
}

/**
 * The comparison as a document with its exit code: 3 when a side has no graded run, 1 with `failOnWorse` when B is
 * worse, 5 with `requireDecision` when it is undecided, else 0.
 */
export function comparisonDocument(comparison: GroupComparison, rules: DecisionRules): ComparisonDocument {
  const decisions = comparison.comparisons.flatMap((one) => rules.metrics.map((metric) => decisionOn(one, metric)));
  const outcome = outcomeOf(comparison, decisions);
  const exits = [
    0,
    ...(outcome === "not_comparable" ? [3] : []),
    ...(outcome === "worse" && rules.failOnWorse ? [1] : []),
    ...(outcome === "undecided" && rules.requireDecision ? [5] : []),
  ];
  return {
    schema: "waymark.comparison/1",
    waymark: WAYMARK_VERSION,
    exit_code: worstExit(exits),
    outcome,
    metrics: rules.metrics,
    ...comparison,
  };
}

/** The decision on one metric; undefined where neither side has a figure. */
export function decisionOn(comparison: ScenarioComparison, metric: CompareMetric): Decision | undefined {
  if (metric === "pass") return comparison.pass.decision;
  const shift = decidingShift(comparison.shifts, metric);
  return shift === undefined || shift.shift === null ? undefined : shift.decision;
}

function outcomeOf(
  { comparisons }: GroupComparison,
  decisions: readonly (Decision | undefined)[],
): ComparisonDocument["outcome"] {
  if (comparisons.some(({ a, b }) => a.rate === null || b.rate === null)) return "not_comparable";
  if (decisions.includes("a_better")) return "worse";
  if (decisions.includes("b_better")) return "better";
  return decisions.every((decision) => decision === "equivalent") ? "equivalent" : "undecided";
}
