import type { Counts } from "../statistics/counts.ts";
import { DEFAULT_LEVEL } from "../statistics/counts.ts";
import { decideGate, type Gate, type GateDecision } from "../statistics/gate.ts";
import { median, medianInterval } from "../statistics/quantiles.ts";
import { passAtK, passHatK } from "../statistics/repeatability.ts";
import { type SprtPlan, startSprt, stepSprt } from "../statistics/sprt.ts";
import { intervalWithUnknown, type Tally } from "../statistics/tally.ts";
import { saySprt } from "../statistics/words.ts";
import { amountOf, exactAmountOf, isLowerBound, wallTimeOf } from "./amounts.ts";
import type {
  GateResult,
  GroupStatistics,
  GroupSummary,
  MeasuresTogether,
  Spread,
  SprtSummary,
  Total,
} from "./batch.ts";
import { type CounterpartRow, counterpartRows, summariseMeasures } from "./measures-group.ts";
import { outliers } from "./spending-outliers.ts";
import { countStalls } from "./stalls.ts";
import { lastTries, outcomeOf, type RunOutcome, type SummedScenario } from "./summarise-runs.ts";
import { gateWords, wordsOf } from "./summarise-words.ts";
import type { Trial } from "./trial.ts";

/** What a group has to reach. */
export type Aim = { readonly kind: "gate"; readonly gate: Gate } | { readonly kind: "sprt"; readonly plan: SprtPlan };

export interface GroupKey {
  readonly scenario: SummedScenario;
  readonly variant?: string;
  readonly task?: string;
  /** Runs that were to be made: those that a stopped batch did not make leave its gate open. 0 when all were made. */
  readonly planned?: number;
  /** A gate that is met by runs that were flaky counts as not met. */
  readonly failOnFlaky?: boolean;
}

/** A group with its exit code: how its gate or its test came out (DESIGN.md section 5). */
export interface SummedGroup {
  readonly summary: GroupSummary;
  readonly exitCode: 0 | 1 | 3 | 5;
}

/** Sums up the runs of one scenario, variant and task. `trials` are those of that variant and task, in order. */
export function summariseGroup(key: GroupKey, trials: readonly Trial[], aim: Aim): SummedGroup {
  const last = lastTries(trials);
  const outcomes = last.map((trial) => outcomeOf(trial, key.scenario));
  const stats = statisticsOf(outcomes, { retried: trials.length - last.length, aim });
  const sprt = aim.kind === "sprt" ? sprtOf(aim.plan, outcomes) : undefined;
  const decision = aim.kind === "gate" ? decideGate(aim.gate, tallyOf(stats, key.planned)) : undefined;
  const stalls = stallsOf(outcomes);
  const measures = summariseMeasures(last, key.scenario.id);
  const farther = outliers(last, key.scenario.id);
  const summary: GroupSummary = {
    scenario: key.scenario.id,
    ...(key.variant === undefined ? {} : { variant: key.variant }),
    ...(key.task === undefined ? {} : { task: key.task }),
    markers_sha256: key.scenario.sha256,
    stats,
    gate: refuseFlaky(decision === undefined ? sprtGate(sprt) : gateResult(decision), stats, key),
    ...(sprt === undefined ? {} : { sprt }),
    ...spreadsOf(outcomes),
    stalls,
    outliers: farther,
    ...(measures.length === 0 ? {} : { measures, counterparts: counterpartRows(measures).map(saidTogether) }),
    words: wordsOf(stats, { stalls, outliers: farther, isSequential: sprt !== undefined }),
  };
  return { summary, exitCode: exitOf(summary, sprt) };
}

function saidTogether({ effort, counterpart, words }: CounterpartRow): MeasuresTogether {
  return { effort: effort.name, ...(counterpart === undefined ? {} : { counterpart: counterpart.name }), words };
}

function statisticsOf(
  outcomes: readonly RunOutcome[],
  { retried, aim }: { retried: number; aim: Aim },
): GroupStatistics {
  const count = (wanted: RunOutcome["verdict"]) => outcomes.filter(({ verdict }) => verdict === wanted).length;
  const [passed, failed, inconclusive, errors] = [count("pass"), count("fail"), count("inconclusive"), count("error")];
  const graded: Counts = { passed, runs: passed + failed };
  const n = passed + failed + inconclusive + errors;
  const method = aim.kind === "gate" && aim.gate.kind === "lower" ? "clopper-pearson" : "wilson";
  const tally = { passed, failed, unknown: inconclusive + errors };
  return {
    n,
    passed,
    failed,
    inconclusive,
    errors,
    interrupted: count("interrupted"),
    retried,
    rate: graded.runs === 0 ? null : passed / graded.runs,
    rate_of_all: n === 0 ? null : passed / n,
    interval: graded.runs === 0 ? null : { level: DEFAULT_LEVEL, method, ...intervalWithUnknown(tally, method) },
    pass_at_k: byK(graded, passAtK),
    pass_hat_k: byK(graded, passHatK),
    flaky: (passed > 0 && failed > 0) || (retried > 0 && passed > 0),
  };
}

function tallyOf({ passed, failed, inconclusive, errors, n }: GroupStatistics, planned = 0): Tally {
  return { passed, failed, unknown: inconclusive + errors + Math.max(0, planned - n) };
}

/** For each number of runs up to ten, and for all of them. */
function byK(counts: Counts, estimate: (counts: Counts, k: number) => number | undefined): Record<string, number> {
  const ks = new Set([...Array.from({ length: Math.min(10, counts.runs) }, (_, index) => index + 1), counts.runs]);
  return Object.fromEntries(
    [...ks].flatMap((k) => {
      const value = estimate(counts, k);
      return value === undefined ? [] : [[String(k), value]];
    }),
  );
}

function gateResult(decision: GateDecision): GateResult {
  const met = decision.answer === "undecided" ? null : decision.answer === "met";
  return { rule: decision.gate.text, met, words: gateWords(decision) };
}

function refuseFlaky(gate: GateResult, { flaky }: GroupStatistics, { failOnFlaky = false }: GroupKey): GateResult {
  if (!failOnFlaky || !flaky || gate.met !== true) return gate;
  return { ...gate, met: false, words: `${gate.words}; not met all the same, since it was flaky (--fail-on-flaky)` };
}

function exitOf({ gate, stats }: GroupSummary, sprt: SprtSummary | undefined): SummedGroup["exitCode"] {
  return sprt === undefined || gate.met === false ? gateExit(gate) : sprtExit(sprt, stats);
}

function gateExit({ met }: GateResult): 0 | 1 | 3 {
  return met === null ? 3 : met ? 0 : 1;
}

function sprtOf(plan: SprtPlan, outcomes: readonly RunOutcome[]): SprtSummary {
  let state = startSprt();
  for (const { verdict } of outcomes) {
    if (verdict === "pass" || verdict === "fail") state = stepSprt(plan, state, verdict === "pass");
  }
  const decision = state.decision === "continue" ? "undecided" : state.decision;
  const { p0, p1, alpha, beta, maximum } = plan;
  const words = saySprt(plan, { ...state, decision });
  return { p0, p1, alpha, beta, maximum, decision, runs: state.passed + state.failed, words };
}

function sprtGate(sprt: SprtSummary | undefined): GateResult {
  const met = sprt?.decision === "accept" ? true : sprt?.decision === "reject" ? false : null;
  return { rule: "until-sure", met, words: sprt?.words ?? "" };
}

/** Undecided is an answer when enough runs were graded, and none when too many of them failed themselves. */
function sprtExit({ decision, runs, maximum }: SprtSummary, { n }: GroupStatistics): 0 | 1 | 3 | 5 {
  if (decision !== "undecided") return decision === "accept" ? 0 : 1;
  return runs < Math.min(maximum, n) || n === 0 ? 3 : 5;
}

type Spreads = Pick<GroupSummary, "duration" | "cost" | "tokens">;

function spreadsOf(outcomes: readonly RunOutcome[]): Spreads {
  const duration = spreadOf(outcomes.flatMap(({ trial }) => wallTimeOf(trial) ?? []));
  const cost = totalOf(outcomes, "cost");
  const tokens = totalOf(outcomes, "tokens");
  return {
    ...(duration === undefined ? {} : { duration }),
    ...(cost === undefined ? {} : { cost }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

function spreadOf(values: readonly number[]): Spread | undefined {
  const middle = median(values);
  if (middle === undefined) return undefined;
  const interval = medianInterval(values);
  return {
    median: middle,
    min: Math.min(...values),
    max: Math.max(...values),
    ...(interval === undefined ? {} : { interval }),
    counted: values.length,
  };
}

/** The spread of what is known whole; lower bounds are in the total only, which then says that it is one. */
function totalOf(outcomes: readonly RunOutcome[], of: "cost" | "tokens"): Total | undefined {
  const amounts = outcomes.flatMap(({ trial }) => amountOf(trial, of) ?? []);
  if (amounts.length === 0) return undefined;
  const spread = spreadOf(outcomes.flatMap(({ trial }) => exactAmountOf(trial, of) ?? []));
  const isAtLeast = outcomes.some(({ trial }) => isLowerBound(trial, of));
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  return { ...(spread ?? { counted: 0 }), total, ...(isAtLeast ? { at_least: true } : {}) };
}

/** Where failing runs stopped, most frequent first. */
function stallsOf(outcomes: readonly RunOutcome[]): GroupSummary["stalls"] {
  return countStalls(
    outcomes.flatMap(({ verdict, result }) => (verdict === "fail" && result !== undefined ? [result] : [])),
  );
}
