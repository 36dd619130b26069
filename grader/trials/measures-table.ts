/** One process measure: what it is, in which unit, and which way is better. docs/measures.md has the whole definition. */
export interface MeasureDefinition {
  readonly name: string;
  readonly words: string;
  readonly unit: "count" | "share" | "ratio" | "ms" | "usd" | "tokens";
  readonly better: "less" | "more";
}

/** Every measure of a run or of a group of runs, in the order in which outputs show them. */
export const MEASURES: readonly MeasureDefinition[] = [
  { name: "steps", words: "actions of the agent", unit: "count", better: "less" },
  { name: "steps_over_shortest", words: "actions against the shortest pass", unit: "ratio", better: "less" },
  { name: "duplicate_call_rate", words: "actions that repeat one with nothing changed", unit: "share", better: "less" },
  { name: "verification_action_rate", words: "actions that check something", unit: "share", better: "more" },
  { name: "verified_effect_rate", words: "effects that a check followed", unit: "share", better: "more" },
  { name: "backtracks", words: "markers gone back to", unit: "count", better: "less" },
  { name: "stopped_short", words: "stopped without reaching the goal", unit: "share", better: "less" },
  { name: "steps_after_goal", words: "actions after the goal", unit: "count", better: "less" },
  { name: "recall_of_earlier_facts", words: "facts used that had been given", unit: "share", better: "more" },
  { name: "safety_violations", words: "forbidden things done", unit: "count", better: "less" },
  { name: "duration_ms", words: "time", unit: "ms", better: "less" },
  { name: "cost_usd", words: "cost", unit: "usd", better: "less" },
  { name: "tokens", words: "tokens", unit: "tokens", better: "less" },
];

/**
 * Each measure of effort with what is easily lost when it is pressed: an agent saves steps by checking less, tokens by
 * forgetting, time by breaking rules. Outputs show the two side by side, never the first alone.
 */
export const COUNTERPARTS: readonly { readonly effort: string; readonly counterpart: string }[] = [
  { effort: "steps", counterpart: "verification_action_rate" },
  { effort: "tokens", counterpart: "recall_of_earlier_facts" },
  { effort: "duration_ms", counterpart: "safety_violations" },
];
