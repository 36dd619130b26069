import type { Draft } from "./draft.ts";
import { freshText } from "./edits.ts";
import { createPredictor, type HeldRun } from "./predict.ts";

/** What known failures say of a learned scenario. */
export interface NegativeReport {
  readonly failures: readonly { readonly run: string; readonly caught: boolean; readonly reason: string }[];
  /** How many of the failures each rule catches. */
  readonly rules: readonly { readonly rule: string; readonly catches: number; readonly pruned: boolean }[];
}

/**
 * Measures a draft on runs known to have failed and takes out the rules that catch none of them. When no failure is
 * caught by any rule, all rules stay: failures of one kind do not speak against the others. Markers always stay.
 */
export function pruneByFailures(
  draft: Draft,
  failed: readonly HeldRun[],
): { readonly draft: Draft; readonly report: NegativeReport } {
  const outcomes = grade(draft, failed);
  const catches = new Map(draft.rules.map(({ name }) => [name, 0]));
  for (const { rules } of outcomes) {
    for (const { name, verdict } of rules) if (verdict === "fail") catches.set(name, (catches.get(name) ?? 0) + 1);
  }
  const isAnyUseful = [...catches.values()].some((count) => count > 0);
  const pruned = { ...draft, rules: draft.rules.filter(({ name }) => !isAnyUseful || (catches.get(name) ?? 0) > 0) };
  const after = grade(pruned, failed);
  return {
    draft: withUsedPatterns(pruned),
    report: {
      failures: failed.map(({ name }, index) => ({
        run: name,
        caught: after[index]?.verdict === "fail",
        reason: after[index]?.reason ?? "",
      })),
      rules: draft.rules.map(({ name }) => ({
        rule: name,
        catches: catches.get(name) ?? 0,
        pruned: !pruned.rules.some((rule) => rule.name === name),
      })),
    },
  };
}

function grade(draft: Draft, runs: readonly HeldRun[]) {
  const predictor = createPredictor(freshText(draft));
  return runs.map((run) => predictor.grade(run));
}

/** A pattern that nothing names any more would only be warned about. */
function withUsedPatterns(draft: Draft): Draft {
  let { define } = draft;
  for (;;) {
    const text = JSON.stringify(
      [draft.markers, draft.rules, define].map((items) => items.map(({ body }) => body)),
      (_, value) => (typeof value === "bigint" ? String(value) : value),
    );
    const used = define.filter(({ name }) => text.includes(JSON.stringify(name)));
    if (used.length === define.length) return { ...draft, define };
    define = used;
  }
}
