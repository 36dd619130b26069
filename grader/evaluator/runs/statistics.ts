import { WAYMARK_VERSION } from "../../../proxy/record/version.ts";
import { combineSessions, worstExit } from "../../combine.ts";
import { DEFAULT_LEVEL } from "../../statistics/counts.ts";
import { decideGate, type Gate, type GateDecision } from "../../statistics/gate.ts";
import { passAtK, passHatK } from "../../statistics/repeatability.ts";
import { intervalWithUnknown, type Tally } from "../../statistics/tally.ts";
import { sayGate, sayRate, sayResolution } from "../../statistics/words.ts";
import type { BatchDocument, GateResult, GroupStatistics, GroupSummary } from "../../trials/batch.ts";
import type { Trial } from "../../trials/trial.ts";
import type { Verdict } from "../../verdict.ts";

/** What a batch that was made over HTTP consists of. */
export interface BatchFacts {
  readonly id: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly gate: Gate;
  /** In order; those that are still under way are not among them. */
  readonly trials: readonly Trial[];
  readonly sessionsOf: ReadonlyMap<string, "all" | "any">;
}

/** Sums up a batch as `waymark run` does. The server takes any function of this kind. */
export type SummariseBatch = (facts: BatchFacts) => BatchDocument;

/** The gate and the statistics of a batch: one group per scenario, variant and task. Pure. */
export const summariseRuns: SummariseBatch = (facts) => {
  const { id, startedAt, endedAt, gate, trials } = facts;
  const groups = groupsOf(facts);
  const decisions = groups.map(({ decision }) => decision);
  const exit = trials.length === 0 ? 4 : worstExit(decisions.map(exitOfGate));
  return {
    schema: "waymark.batch/1",
    waymark: WAYMARK_VERSION,
    batch: id,
    verdict:
      exit === 0
        ? "pass"
        : exit === 1
          ? "fail"
          : groups.some(({ summary }) => summary.stats.errors > 0)
            ? "error"
            : "inconclusive",
    exit_code: exit,
    started_at: startedAt,
    ended_at: endedAt,
    interrupted: false,
    gate: jointGate(
      gate,
      groups.map(({ summary }) => summary),
    ),
    groups: groups.map(({ summary }) => summary),
    trials: trials.map(({ manifest }) => manifest),
    results: trials.flatMap(({ results }) => results),
  };
};

interface Group {
  readonly summary: GroupSummary;
  readonly decision: GateDecision;
}

function groupsOf({ trials, gate, sessionsOf }: BatchFacts): readonly Group[] {
  const keys = new Map<string, { scenario: string; sha: string; members: Trial[] }>();
  for (const trial of trials) {
    for (const { scenario, markers_sha256: sha } of trial.results) {
      const { variant, task } = trial.manifest;
      const key = JSON.stringify([scenario, variant ?? null, task ?? null]);
      const group = keys.get(key) ?? { scenario, sha, members: [] };
      if (!group.members.includes(trial)) group.members.push(trial);
      keys.set(key, group);
    }
  }
  return [...keys.values()].map(({ scenario, sha, members }) => {
    const sessions = sessionsOf.get(scenario) ?? "all";
    const stats = statisticsOf(
      members.map((trial) => verdictBy(trial, scenario, sessions)),
      gate,
    );
    const decision = decideGate(gate, tallyOf(stats));
    const { variant, task } = members[0]?.manifest ?? {};
    const summary: GroupSummary = {
      scenario,
      ...(variant === undefined ? {} : { variant }),
      ...(task === undefined ? {} : { task }),
      markers_sha256: sha,
      stats,
      gate: gateOf(decision),
      stalls: [],
      outliers: [],
      words: [sayRate(tallyOf(stats)), sayResolution({ passed: stats.passed, runs: stats.passed + stats.failed })],
    };
    return { summary, decision };
  });
}

function verdictBy({ results }: Trial, scenario: string, sessions: "all" | "any"): Verdict {
  return combineSessions(
    results.filter((one) => one.scenario === scenario).map(({ verdict }) => verdict),
    sessions,
  );
}

function statisticsOf(verdicts: readonly Verdict[], gate: Gate): GroupStatistics {
  const count = (wanted: Verdict): number => verdicts.filter((verdict) => verdict === wanted).length;
  const [passed, failed, inconclusive, errors] = [count("pass"), count("fail"), count("inconclusive"), count("error")];
  const graded = { passed, runs: passed + failed };
  const method = gate.kind === "lower" ? "clopper-pearson" : "wilson";
  const byK = (of: typeof passAtK) =>
    Object.fromEntries(
      [1, 2, 3, 5].flatMap((k) => {
        const value = of(graded, k);
        return value === undefined ? [] : [[String(k), value]];
      }),
    );
  return {
    n: verdicts.length,
    passed,
    failed,
    inconclusive,
    errors,
    interrupted: 0,
    rate: graded.runs === 0 ? null : passed / graded.runs,
    rate_of_all: verdicts.length === 0 ? null : passed / verdicts.length,
    interval:
      graded.runs === 0
        ? null
        : {
            level: DEFAULT_LEVEL,
            method,
            ...intervalWithUnknown({ passed, failed, unknown: inconclusive + errors }, method),
          },
    pass_at_k: byK(passAtK),
    pass_hat_k: byK(passHatK),
    flaky: passed > 0 && failed > 0,
  };
}

function tallyOf({ passed, failed, inconclusive, errors }: GroupStatistics): Tally {
  return { passed, failed, unknown: inconclusive + errors };
}

function gateOf(decision: GateDecision): GateResult {
  const met = decision.answer === "undecided" ? null : decision.answer === "met";
  return { rule: decision.gate.text, met, words: sayGate(decision) };
}

function exitOfGate({ answer }: GateDecision): number {
  return answer === "met" ? 0 : answer === "not_met" ? 1 : 3;
}

function jointGate(gate: Gate, groups: readonly GroupSummary[]): GateResult {
  const [first] = groups;
  if (first === undefined) return { rule: gate.text, met: null, words: "no runs" };
  if (groups.length === 1) return first.gate;
  const met = groups.every((group) => group.gate.met === true)
    ? true
    : groups.some((group) => group.gate.met === false)
      ? false
      : null;
  const how = met === true ? "met by all" : met === false ? "not met by all" : "undecided in some";
  return { rule: gate.text, met, words: `gate "${gate.text}": ${how} of ${groups.length} groups` };
}
