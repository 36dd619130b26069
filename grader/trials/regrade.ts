import type { JsonValue } from "../../proxy/record/json.ts";
import type { LookAtState } from "../checks.ts";
import { gradeLogs } from "../grade.ts";
import type { LoadedScenario } from "../scenario/load.ts";
import type { RunDetails, Store } from "../store/store.ts";
import type { ScenarioResult, Verdict } from "../verdict.ts";
import { logOf, logPlaces } from "./regrade-log.ts";
import type { Trial } from "./trial.ts";

export interface RegradeRequest {
  readonly scenarios: readonly LoadedScenario[];
  readonly params?: ReadonlyMap<string, JsonValue>;
  readonly now?: () => number;
}

/** One result of a run beside what it was before. */
export interface Regrade {
  readonly run: string;
  readonly scenario: string;
  /** Absent when this scenario had not graded the run before. */
  readonly old?: ScenarioResult;
  readonly result: ScenarioResult;
  readonly isFlip: boolean;
  /** Something that makes the two hard to compare: other lines were graded, or a final state that is gone. */
  readonly notes: readonly string[];
}

/** A run that could not be graded again, and why. */
export interface RegradeProblem {
  readonly run: string;
  readonly code: "WM_RUN_LOG_GONE";
  readonly message: string;
}

export type RegradedTrial =
  | { readonly kind: "regraded"; readonly trial: Trial; readonly regrades: readonly Regrade[] }
  | { readonly kind: "gone"; readonly trial: Trial; readonly problem: RegradeProblem }
  /** Runs that were interrupted, or whose launch failed, are never graded. */
  | { readonly kind: "skipped"; readonly trial: Trial; readonly why: string };

/**
 * Grades the stored telemetry of a run again: the log in its folder, else the one its result names. What the run used up
 * counts for budgets as it did then. Answers of checks of the final state stand while the markers are the same; under
 * other markers a check that had not passed is `inconclusive`, since that state is gone. Throws as `gradeLogs` does.
 */
export async function regradeTrial(trial: Trial, request: RegradeRequest): Promise<RegradedTrial> {
  const { id } = trial.manifest;
  const why = whySkipped(trial);
  if (why !== undefined) return { kind: "skipped", trial, why };
  const log = await logOf(trial);
  if (log === undefined) return { kind: "gone", trial, problem: { run: id, ...goneLog(trial) } };
  const regrades: Regrade[] = [];
  for (const loaded of request.scenarios) {
    const old = trial.results.filter(({ scenario }) => scenario === loaded.scenario.id);
    const { document } = await gradeLogs({
      logs: [log],
      scenarios: [loaded],
      details: spentBy(trial),
      params: ownParams(loaded, new Map([...Object.entries(trial.manifest.params ?? {}), ...(request.params ?? [])])),
      ...(request.now === undefined ? {} : { now: request.now }),
      ...lookBack(loaded, old[0]),
    });
    regrades.push(...document.results.map((result) => regradeOf(id, result, old)));
  }
  return { kind: "regraded", trial, regrades };
}

function whySkipped({ manifest: { state, error }, results }: Trial): string | undefined {
  if (state === "interrupted" || state === "running") return `the run is ${state}`;
  if (results.length > 0 || state !== "error") return undefined;
  return `the run ended in an error${error === undefined ? "" : `: ${error.message}`}`;
}

/** Parameters are given for all scenarios together, and a scenario may know none of them. */
function ownParams({ scenario }: LoadedScenario, params: ReadonlyMap<string, JsonValue>): Map<string, JsonValue> {
  return new Map([...params].filter(([name]) => scenario.params.some((known) => known.name === name)));
}

function goneLog(trial: Trial): Pick<RegradeProblem, "code" | "message"> {
  const places = logPlaces(trial);
  const where = places.length === 0 ? "nothing says where its log was" : `no log at ${places.join(", nor at ")}`;
  return { code: "WM_RUN_LOG_GONE", message: `run ${trial.manifest.id} cannot be graded again: ${where}` };
}

function spentBy({ manifest: { used } }: Trial): Pick<RunDetails, "costUsd" | "steps"> {
  const tokens = (used?.tokens_in ?? 0) + (used?.tokens_out ?? 0);
  const isCounted = used?.tokens_in !== undefined || used?.tokens_out !== undefined;
  return {
    ...(used?.cost_usd === undefined ? {} : { costUsd: used.cost_usd }),
    ...(isCounted ? { steps: [{ name: "run", tokens }] } : {}),
  };
}

/** Answers checks from what the old result says of them; undefined where that never had the final state either. */
function lookBack({ scenario }: LoadedScenario, old: ScenarioResult | undefined): { look?: LookAtState } {
  const answers = (old?.checks ?? []).filter(({ verdict, name }) => verdict !== "not_checked" && !isBudget(name));
  if (old === undefined || answers.length === 0) return {};
  const isSame = old.markers_sha256 === scenario.sha256;
  const allPassed = answers.every(({ verdict }) => verdict === "pass");
  if (!isSame && allPassed) return {};
  const left = [...answers];
  return {
    look: async ({ evaluator: name }) => {
      const at = left.findIndex((answer) => answer.name === name);
      const [answer] = at < 0 ? [] : left.splice(at, 1);
      if (isSame && answer !== undefined) return answer;
      return { name, verdict: "inconclusive", reason: "the final state of that run is gone" };
    },
  };
}

function isBudget(name: string): boolean {
  return name.startsWith("budget: ");
}

function regradeOf(run: string, result: ScenarioResult, olds: readonly ScenarioResult[]): Regrade {
  const same = olds.filter(({ session }) => session === result.session);
  const old = same[0] ?? (olds.length === 1 ? olds[0] : undefined);
  const isOther = old !== undefined && bare(old.range) !== bare(result.range);
  return {
    run,
    scenario: result.scenario,
    ...(old === undefined ? {} : { old }),
    result,
    isFlip: old !== undefined && old.verdict !== result.verdict,
    notes: isOther ? [`other lines were graded: ${old.range} then, ${result.range} now`] : [],
  };
}

/** A range without the folders of its files, which may be named from elsewhere. */
function bare(range: string): string {
  return range.replace(/[^\s,;"]*[\\/]/g, "");
}

/**
 * Keeps a regrade beside the result it grades again, with provenance `replay`. What the agent said stays with it, held
 * against the new verdict; it has no part in that verdict.
 */
export function keepRegrade(
  store: Pick<Store, "saveResult">,
  { manifest, folder, results }: Trial,
  regrade: Regrade,
  gradedAt: string,
): void {
  const { result, old } = regrade;
  const { batch, variant, task, used, self_report: report, versions, index } = manifest;
  const agrees = report?.claims_success === undefined ? undefined : agreement(report.claims_success, result.verdict);
  store.saveResult(result, {
    gradedAt,
    provenance: "replay",
    regradeOf: old?.run ?? results[0]?.run ?? manifest.id,
    trial: manifest.id,
    trialIndex: index,
    versions,
    ...(batch === undefined ? {} : { batch }),
    ...(variant === undefined ? {} : { variant }),
    ...(task === undefined ? {} : { task }),
    ...(folder === undefined ? {} : { folder }),
    ...(used?.cost_usd === undefined ? {} : { costUsd: used.cost_usd }),
    ...(used?.tokens_in === undefined ? {} : { tokensIn: used.tokens_in }),
    ...(used?.tokens_out === undefined ? {} : { tokensOut: used.tokens_out }),
    ...(report === undefined ? {} : { selfReport: report.claim }),
    ...(agrees === undefined ? {} : { agrees }),
  });
}

function agreement(claimsSuccess: boolean, verdict: Verdict): boolean | undefined {
  if (verdict !== "pass" && verdict !== "fail") return undefined;
  return claimsSuccess === (verdict === "pass");
}

/** The run with its new results; one whose log is gone ends in an error, so that it is counted and not forgotten. */
export function trialAfter(regraded: RegradedTrial): Trial {
  const { trial } = regraded;
  if (regraded.kind === "skipped") return trial;
  if (regraded.kind === "regraded") return { ...trial, results: regraded.regrades.map(({ result }) => result) };
  const { code, message } = regraded.problem;
  return { ...trial, results: [], manifest: { ...trial.manifest, state: "error", error: { code, message } } };
}
