import { COMPARE_METRICS, type CompareMetric, type DecisionRules } from "../grader/trials/compare-document.ts";
import type { MinEffects } from "../grader/trials/compare-shift.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { durationMs, wholeNumber } from "./quantities.ts";
import type { Arguments } from "./verb.ts";

/** `--metric`, `--fail-on` and `--require-decision`. Throws `WM_USAGE` on what they do not know. */
export function decisionRules(args: Arguments): DecisionRules {
  const asked = args.list("metric").flatMap(items);
  const failOn = args.text("fail-on");
  if (failOn !== undefined && failOn !== "worse") {
    throw waymarkError("WM_USAGE", `--fail-on got "${failOn}"`, { fix: "It takes `worse`." });
  }
  return {
    metrics: asked.length === 0 ? ["pass"] : [...new Set(asked.map(metricNamed))],
    failOnWorse: failOn === "worse",
    requireDecision: args.flag("require-decision") === true,
  };
}

/** A view that holds nobody against anybody decides nothing. Throws `WM_USAGE` when it is told how to. */
export function refuseDeciding(view: string, args: Arguments): void {
  const lists = ["metric", "min-effect"].filter((name) => args.list(name).length > 0);
  const failOn = args.text("fail-on") === undefined ? [] : ["fail-on"];
  const [given] = [...lists, ...failOn, ...(args.flag("require-decision") === true ? ["require-decision"] : [])];
  if (given === undefined) return;
  throw waymarkError("WM_USAGE", `--${given} decides between two groups of runs; --${view} only shows figures`, {
    fix: `Leave out --${given}, or compare two groups of stored runs.`,
  });
}

function metricNamed(name: string): CompareMetric {
  const metric = COMPARE_METRICS.find((known) => known === name);
  if (metric !== undefined) return metric;
  const fix = `Known: ${COMPARE_METRICS.join(", ")}.`;
  throw waymarkError("WM_USAGE", `there is no metric "${name}"${didYouMean(name, COMPARE_METRICS)}`, { fix });
}

/** `--min-effect`: each item's unit says what it limits. Throws `WM_USAGE` on an item without one. */
export function minEffects(args: Arguments): MinEffects {
  const effects: MinEffects = {};
  for (const item of args.list("min-effect").flatMap(items)) Object.assign(effects, effectOf(item));
  return effects;
}

const FIX = "Write 10% for the pass rate (percentage points), 2s for time, $0.05 for cost, 500tokens for tokens.";

function effectOf(item: string): MinEffects {
  const percent = numberIn(/^([0-9]+(?:\.[0-9]+)?)(?:%|pt|points)$/, item);
  if (percent !== undefined && percent <= 100) return { pass: percent / 100 };
  const cost =
    numberIn(/^(?:\$|usd)([0-9]+(?:\.[0-9]+)?)$/i, item) ?? numberIn(/^([0-9]+(?:\.[0-9]+)?)(?:usd|\$)$/i, item);
  if (cost !== undefined) return { cost };
  const tokens = numberIn(/^([0-9]+)\s*tokens?$/, item);
  if (tokens !== undefined) return { tokens };
  if (/^[0-9.]+(?:ms|s|m|h|d)$/.test(item)) return { duration: durationMs("min-effect", item) };
  throw waymarkError("WM_USAGE", `--min-effect got "${item}", which is no effect with a unit`, { fix: FIX });
}

function numberIn(pattern: RegExp, item: string): number | undefined {
  const digits = pattern.exec(item)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Whole numbers from 1, with commas. Throws `WM_USAGE_NOT_A_NUMBER`. */
export function wholeNumbers(option: string, lists: readonly string[]): readonly number[] {
  const numbers = lists.flatMap(items).map((item) => wholeNumber(option, item, { min: 1, max: 1_000_000 }));
  return [...new Set(numbers)];
}

function items(list: string): readonly string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
