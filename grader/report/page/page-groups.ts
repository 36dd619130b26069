import { parseGate } from "../../statistics/gate.ts";
import { sayResolution } from "../../statistics/words.ts";
import type { GroupSummary, Spread } from "../../trials/batch.ts";
import { summariseGroup } from "../../trials/summarise-group.ts";
import type { Trial } from "../../trials/trial.ts";
import type { PageGroup, PageScenario, PageSpread } from "./data.ts";
import { scenarioKey } from "./page-result.ts";

export interface GroupSources {
  /** In the order of the page's runs. */
  readonly trials: readonly Trial[];
  readonly scenarios: readonly PageScenario[];
  /** As written; absent for runs that were held against none. */
  readonly gate?: string | undefined;
}

interface Member {
  readonly at: number;
  readonly trial: Trial;
}

/** One group per scenario, variant and task, summed up by the very functions that `waymark run` uses. */
export function pageGroups(sources: GroupSources): readonly PageGroup[] {
  return sources.scenarios.flatMap((scenario, at) => {
    const groups = new Map<string, Member[]>();
    for (const member of membersOf(sources.trials, scenario)) {
      const { variant, task } = member.trial.manifest;
      const key = JSON.stringify([variant, task]);
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [member]);
      else known.push(member);
    }
    return [...groups.values()].map((members) => pageGroup(members, { scenario, at, gate: sources.gate }));
  });
}

/** Runs graded by this version of the scenario, and those that nothing graded. */
function membersOf(trials: readonly Trial[], { name, sha256 }: PageScenario): readonly Member[] {
  const key = scenarioKey({ scenario: name, markers_sha256: sha256 });
  return trials.flatMap((trial, at) => {
    const own = trial.results.filter((result) => scenarioKey(result) === key);
    if (own.length === 0 && trial.results.length > 0) return [];
    return [{ at, trial: { ...trial, results: own } }];
  });
}

interface GroupPlace {
  readonly scenario: PageScenario;
  readonly at: number;
  readonly gate: string | undefined;
}

function pageGroup(members: readonly Member[], { scenario, at, gate }: GroupPlace): PageGroup {
  const trials = members.map(({ trial }) => trial);
  const { variant, task } = trials[0]?.manifest ?? {};
  const parsed = parseGate(gate ?? "all");
  const rule = parsed.ok ? parsed.gate : ({ kind: "all", text: "all" } as const);
  const { summary } = summariseGroup(
    { scenario: { id: scenario.name, sha256: scenario.sha256, sessions: "all" } },
    trials,
    { kind: "gate", gate: rule },
  );
  const { stats, stalls, words } = summary;
  const [duration, cost] = [spreadOf(summary.duration), spreadOf(summary.cost)];
  const slowest = slowestOf(scenario, trials);
  return {
    scenario: at,
    ...(variant === undefined ? {} : { variant }),
    ...(task === undefined ? {} : { task }),
    runs: members.map((member) => member.at),
    passed: stats.passed,
    failed: stats.failed,
    unknown: stats.inconclusive + stats.errors,
    interrupted: stats.interrupted,
    rate: stats.rate,
    interval: stats.interval === null ? null : { low: stats.interval.low, high: stats.interval.high },
    ...(gate === undefined || !parsed.ok ? {} : { gate: summary.gate }),
    rate_words: (words[0] ?? "").split("   ")[0] ?? "",
    can_show: sayResolution({ passed: stats.passed, runs: stats.passed + stats.failed }),
    words: restOf(summary),
    ...(duration === undefined ? {} : { duration }),
    ...(cost === undefined ? {} : { cost }),
    stalls,
    ...(slowest === undefined ? {} : { slowest }),
  };
}

/** Repeatability, and what else there is to say, without the sentences that stand on their own. */
function restOf({ words }: GroupSummary): readonly string[] {
  const [rate = "", ...others] = words;
  const [, repeatability] = rate.split(/ {3}(?=pass@)/);
  const rest = others.filter((text) => !/ cannot tell | place the rate /.test(text));
  return repeatability === undefined ? rest : [repeatability, ...rest];
}

function spreadOf(spread: Spread | undefined): PageSpread | undefined {
  return spread && { median: spread.median, min: spread.min, max: spread.max, counted: spread.counted };
}

/** The marker that takes longest to come after the one before it, by its median over the group's runs. */
function slowestOf({ markers }: PageScenario, trials: readonly Trial[]): PageGroup["slowest"] {
  const gaps = new Map<string, number[]>();
  for (const { name, after_ms: gap, status } of trials.flatMap(({ results }) =>
    results.flatMap((one) => one.markers),
  )) {
    if (status !== "found" || gap === undefined) continue;
    const known = gaps.get(name);
    if (known === undefined) gaps.set(name, [gap]);
    else known.push(gap);
  }
  return markers
    .flatMap(({ name: marker }) => {
      const sorted = (gaps.get(marker) ?? []).sort((a, b) => a - b);
      const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
      return low === undefined || high === undefined ? [] : [{ marker, median_ms: (low + high) / 2 }];
    })
    .sort((a, b) => b.median_ms - a.median_ms)
    .find(({ median_ms }) => median_ms > 0);
}
