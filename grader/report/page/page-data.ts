import { WAYMARK_VERSION } from "../../../proxy/record/version.ts";
import { worstVerdict } from "../../combine.ts";
import { summariseAgreement } from "../../trials/agreement.ts";
import type { Trial } from "../../trials/trial.ts";
import type { PageAgreement, PageData, PageGate, PageGroup, PageRun, RunVerdict } from "./data.ts";
import type { PageInput } from "./input.ts";
import { pageComparisons } from "./page-compare.ts";
import { pageGroups } from "./page-groups.ts";
import { pageRun } from "./page-run.ts";
import { pageScenarios, scenarioPositions } from "./page-scenarios.ts";

/** Makes the page's data of runs and what belongs to them: one value with everything the page shows. Pure. */
export function pageDataOf(input: PageInput): PageData {
  const trials = [...input.trials].sort(byStart);
  const scenarios = pageScenarios(trials, input.scenarios ?? []);
  const context = {
    scenarioAt: scenarioPositions(scenarios),
    markersOf: scenarios.map(({ markers }) => markers.map(({ name }) => name)),
  };
  const isOneBatch = new Set(trials.map(({ manifest }) => manifest.batch)).size === 1;
  const runs = trials.map((trial) => {
    const { id } = trial.manifest;
    const number = isOneBatch && trial.manifest.batch !== undefined ? undefined : input.numbers?.get(id);
    return pageRun(trial, { ...context, attachments: input.attachments?.get(id), number });
  });
  const positions = new Map(runs.map(({ id }, at) => [id, at]));
  const groups = pageGroups({ trials, scenarios, gate: input.gate });
  const compared = pageComparisons(trials, scenarios, positions);
  const agreement = agreementOf(trials, positions);
  const gate = gateOver(groups, input.gate);
  return {
    schema: "waymark.page/1",
    waymark: WAYMARK_VERSION,
    made_at: input.madeAt,
    title: input.title ?? titleOf(scenarios.map(({ name }) => name)),
    verdict: verdictOver(runs, gate),
    ...(gate === undefined ? {} : { gate }),
    counts: countsOf(runs),
    scenarios,
    groups,
    runs,
    comparisons: compared.comparisons,
    ...(agreement === undefined ? {} : { agreement }),
    history: input.history ?? [],
    ...redactedIn(input.attachments),
    notes: [...(input.notes ?? []), ...compared.notes],
  };
}

/** Counted only where every log was. */
function redactedIn(attachments: PageInput["attachments"]): Pick<PageData, "redacted"> {
  let sum = 0;
  if (attachments?.size === 0) return {};
  for (const { redacted } of attachments?.values() ?? []) {
    if (redacted === undefined) return {};
    sum += redacted;
  }
  return { redacted: sum };
}

function byStart({ manifest: a }: Trial, { manifest: b }: Trial): number {
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? -1 : 1;
  return a.index - b.index || (a.id < b.id ? -1 : 1);
}

function titleOf(names: readonly string[]): string {
  const own = [...new Set(names)];
  return own.length === 1 ? (own[0] ?? "") : `${own.length} scenarios`;
}

function countsOf(runs: readonly PageRun[]): PageData["counts"] {
  const counts: Record<RunVerdict, number> = { pass: 0, fail: 0, inconclusive: 0, error: 0, interrupted: 0 };
  for (const { verdict } of runs) counts[verdict]++;
  return counts;
}

/** A gate holds over several groups when it holds for each, and fails when it fails for one. */
function gateOver(groups: readonly PageGroup[], rule: string | undefined): PageGate | undefined {
  const gates = groups.flatMap(({ gate }) => gate ?? []);
  const [first] = gates;
  if (rule === undefined || first === undefined) return undefined;
  if (gates.length === 1) return first;
  const missed = gates.filter(({ met }) => met === false).length;
  const open = gates.filter(({ met }) => met === null).length;
  const words =
    missed > 0
      ? `not met by ${missed} of ${gates.length} groups`
      : open > 0
        ? `open for ${open} of ${gates.length} groups`
        : `met by all ${gates.length} groups`;
  return { rule, met: missed > 0 ? false : open > 0 ? null : true, words: `gate "${rule}": ${words}` };
}

/** With a gate its answer; without one the worst verdict of the runs. */
function verdictOver(runs: readonly PageRun[], gate: PageGate | undefined): PageData["verdict"] {
  const graded = runs.flatMap(({ verdict }) => (verdict === "interrupted" ? [] : [verdict]));
  if (graded.length === 0) return runs.length === 0 ? "undecided" : "interrupted";
  if (gate?.met === true) return "pass";
  if (gate?.met === false) return "fail";
  return worstVerdict(graded);
}

function agreementOf(trials: readonly Trial[], positions: ReadonlyMap<string, number>): PageAgreement | undefined {
  const summary = summariseAgreement(trials);
  if (summary === undefined) return undefined;
  const { claimed_passed, claimed_failed, denied_passed, denied_failed, words, disagreeing } = summary;
  if (claimed_passed + claimed_failed + denied_passed + denied_failed === 0) return undefined;
  const at = disagreeing.flatMap((id) => positions.get(id) ?? []);
  return { claimed_passed, claimed_failed, denied_passed, denied_failed, words, disagreeing: at };
}
