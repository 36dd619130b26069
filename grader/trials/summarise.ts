import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import { worstExit } from "../combine.ts";
import { averageOverTasks, type ClusteredRate } from "../statistics/clustered.ts";
import { DEFAULT_LEVEL } from "../statistics/counts.ts";
import { sayOverTasks } from "../statistics/words.ts";
import type {
  AgreementSummary,
  BatchDocument,
  GateResult,
  GroupSummary,
  OverallSummary,
  SprtSummary,
} from "./batch.ts";
import type { Cell, Design } from "./plan.ts";
import { type Aim, type SummedGroup, summariseGroup } from "./summarise-group.ts";
import { rowsOf } from "./summarise-rows.ts";
import { isGradedBy, lastTries, type SummedScenario } from "./summarise-runs.ts";
import type { Trial } from "./trial.ts";

export interface BatchFacts {
  readonly id: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly design: Design;
  readonly aim: Aim;
  readonly scenarios: readonly SummedScenario[];
  /** In order, those that were tried again among them. */
  readonly trials: readonly Trial[];
  /** The exit code of the signal that stopped the batch, when one did: 130, 143. */
  readonly stoppedWith?: number;
  /** Something could not be kept: a file, a row. The verdicts stand, but the command may not end with 0. */
  readonly hasProblems: boolean;
  /** `--fail-on-flaky`: a gate is not met by a group that is flaky. */
  readonly failOnFlaky?: boolean;
  /** `--exit-zero`: 1 and 5 become 0. */
  readonly exitZero: boolean;
  /** Runs that are still to come, where a batch is summed up before its end: they leave their gates open. */
  readonly awaited?: (scenario: SummedScenario, cell: Cell) => number;
  readonly agreement?: AgreementSummary;
  readonly comparisons?: readonly unknown[];
}

/** Sums up a batch: one group per scenario, variant and task, the gate over all of them, the exit code. Pure. */
export function summarise(facts: BatchFacts): BatchDocument {
  const { scenarios, design, trials, aim, agreement, comparisons, failOnFlaky = false } = facts;
  const planned = design.kind === "fixed" && facts.stoppedWith !== undefined ? design.runs : 0;
  const groups = scenarios.flatMap((scenario) =>
    design.cells.flatMap((cell) => {
      const own = trialsOf(cell, trials).filter((trial) => isGradedBy(trial, scenario));
      const more = facts.awaited?.(scenario, cell) ?? 0;
      // Only a batch that was stopped, or goes on, has cells without runs; their gates are open.
      if (own.length === 0 && more === 0 && facts.stoppedWith === undefined) return [];
      const all = more === 0 ? planned : Math.max(planned, lastTries(own).length + more);
      return [summariseGroup({ scenario, planned: all, failOnFlaky, ...keyOf(cell) }, own, aim)];
    }),
  );
  const summaries = groups.map(({ summary }) => summary);
  const outcome = worstOf(groups, trials);
  const overall = overallOf(summaries, design.cells);
  const sprt = aim.kind === "sprt" ? jointSprt(summaries) : undefined;
  return {
    schema: "waymark.batch/1",
    waymark: WAYMARK_VERSION,
    batch: facts.id,
    verdict: verdictOf(outcome, groups),
    exit_code: exitCodeOf(outcome, facts),
    started_at: facts.startedAt,
    ended_at: facts.endedAt,
    interrupted: facts.stoppedWith !== undefined,
    gate: jointGate(summaries),
    groups: summaries,
    ...(overall.length === 0 ? {} : { overall }),
    ...(sprt === undefined ? {} : { sprt }),
    ...(agreement === undefined ? {} : { agreement }),
    ...(comparisons === undefined || comparisons.length === 0 ? {} : { comparisons }),
    runs: rowsOf(trials, scenarios),
    trials: trials.map(({ manifest }) => manifest),
    results: trials.flatMap(({ results }) => results),
  };
}

function keyOf({ variant, task }: Cell): { variant?: string; task?: string } {
  return { ...(variant === undefined ? {} : { variant }), ...(task === undefined ? {} : { task }) };
}

function trialsOf({ variant, task }: Cell, trials: readonly Trial[]): readonly Trial[] {
  return trials.filter(({ manifest }) => manifest.variant === variant && manifest.task === task);
}

/** The worst group decides; a bug of ours is worse than any of them. */
function worstOf(groups: readonly SummedGroup[], trials: readonly Trial[]): number {
  const isBug = trials.some(({ results }) => results.some(({ error }) => error?.code === "WM_BUG"));
  return worstExit([...groups.map(({ exitCode }) => exitCode), ...(isBug ? [BUG] : [])]);
}

const BUG = 70;
const NOT_KEPT = 3;

/** The exit code of `run` (DESIGN.md section 5) from that of its worst group. */
export function exitCodeOf(
  outcome: number,
  { stoppedWith, hasProblems, exitZero }: Pick<BatchFacts, "stoppedWith" | "hasProblems" | "exitZero">,
): number {
  if (stoppedWith !== undefined) return stoppedWith;
  const worst = worstExit(hasProblems ? [outcome, NOT_KEPT] : [outcome]);
  return exitZero && (worst === 1 || worst === 5) ? 0 : worst;
}

function verdictOf(exitCode: number, groups: readonly SummedGroup[]): BatchDocument["verdict"] {
  if (exitCode === 0) return "pass";
  if (exitCode === 1) return "fail";
  if (exitCode === 5) return "undecided";
  return groups.some(({ summary }) => summary.stats.errors > 0) || exitCode === BUG ? "error" : "inconclusive";
}

/** The gate over all groups: met when each is, not met when one is not, else open. */
function jointGate(groups: readonly GroupSummary[]): GateResult {
  const [first] = groups;
  if (first === undefined) return { rule: "all", met: null, words: "no runs" };
  if (groups.length === 1) return first.gate;
  const { rule } = first.gate;
  const missed = groups.filter(({ gate }) => gate.met === false);
  const open = groups.filter(({ gate }) => gate.met === null);
  const named = (some: readonly GroupSummary[]): string => some.map(nameOf).join("; ");
  const all = `of ${groups.length} groups`;
  if (missed.length > 0) {
    return { rule, met: false, words: `gate "${rule}": not met by ${missed.length} ${all}: ${named(missed)}` };
  }
  if (open.length > 0) {
    return { rule, met: null, words: `gate "${rule}": undecided in ${open.length} ${all}: ${named(open)}` };
  }
  return { rule, met: true, words: `gate "${rule}": met by all ${groups.length} groups` };
}

/** `checkout, variant new, task t1`. */
export function nameOf({ scenario, variant, task }: Pick<GroupSummary, "scenario" | "variant" | "task">): string {
  return [
    scenario,
    ...(variant === undefined ? [] : [`variant ${variant}`]),
    ...(task === undefined ? [] : [`task ${task}`]),
  ].join(", ");
}

/** The least good of the tests of all groups stands for the batch: a rejection, else one that is open, else the longest. */
function jointSprt(groups: readonly GroupSummary[]): SprtSummary | undefined {
  const tests = groups.flatMap(({ sprt }) => sprt ?? []);
  for (const decision of ["reject", "undecided", "accept"] as const) {
    const [worst] = tests.filter((test) => test.decision === decision).sort((a, b) => b.runs - a.runs);
    if (worst !== undefined) return worst;
  }
  return undefined;
}

/** Over several tasks, or else scenarios: the mean rate of each variant, with the task or scenario as the unit. */
function overallOf(groups: readonly GroupSummary[], cells: readonly Cell[]): readonly OverallSummary[] {
  const by = cells.some(({ task }) => task !== undefined) ? "task" : "scenario";
  const variants = [...new Set(cells.map(({ variant }) => variant))];
  return variants.flatMap((variant) => {
    const own = groups.filter((group) => group.variant === variant);
    const clusters = [...new Set(own.map((group) => group[by]))];
    if (clusters.length < 2) return [];
    const mean = averageOverTasks(clusters.map((cluster) => meanRate(own.filter((group) => group[by] === cluster))));
    return mean === undefined ? [] : [overallSummary(mean, by, variant)];
  });
}

/** The mean over the groups of a cluster that have a rate; undefined when none has. */
function meanRate(groups: readonly GroupSummary[]): number | undefined {
  const rates = groups.flatMap(({ stats }) => stats.rate ?? []);
  return rates.length === 0 ? undefined : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}

function overallSummary(mean: ClusteredRate, by: "task" | "scenario", variant: string | undefined): OverallSummary {
  const { estimate, interval, tasks } = mean;
  const said = sayOverTasks(mean);
  const words = by === "task" ? said : said.replaceAll("task", "scenario");
  return {
    ...(variant === undefined ? {} : { variant }),
    by,
    clusters: tasks,
    rate: estimate,
    interval: interval === undefined ? null : { level: DEFAULT_LEVEL, ...interval },
    words: variant === undefined ? words : `${variant}: ${words}`,
  };
}
