import type { BatchDocument, RunRow } from "../trials/batch.ts";
import type { ResultDocument, ScenarioResult, Verdict } from "../verdict.ts";

/** How one run did by one scenario, as reporters tell it. */
export interface Outcome {
  readonly scenario: string;
  /** `run 3/5`, with variant and task; the log's name for a log that was graded alone. */
  readonly label: string;
  readonly verdict: Verdict | "interrupted";
  /** The result; absent for a run that nothing graded. */
  readonly result?: ScenarioResult;
  readonly reason: string;
  /** The marker that never came. */
  readonly missing?: string;
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  readonly claim?: string;
  readonly agrees?: boolean;
  /** True when the gate of its group is met in spite of it. */
  readonly forgiven: boolean;
  /** Evidence, as paths. */
  readonly attachments: readonly string[];
}

/** What there is to report, whether logs were graded or a batch was run. */
export interface Account {
  readonly waymark: string;
  readonly verdict: BatchDocument["verdict"];
  /** Of a batch: whether its gate is met, in words. */
  readonly gate?: { readonly met: boolean | null; readonly words: string };
  /** Sentences about the whole, the rate first. */
  readonly words: readonly string[];
  readonly passed: number;
  /** Runs that passed or failed. */
  readonly graded: number;
  readonly outcomes: readonly Outcome[];
  readonly started_at?: string;
}

/** The account of logs that were graded. */
export function accountOfResults({ waymark, verdict, results }: ResultDocument): Account {
  const count = (wanted: Verdict): number => results.filter((result) => result.verdict === wanted).length;
  return {
    waymark,
    verdict,
    words: [],
    passed: count("pass"),
    graded: count("pass") + count("fail"),
    outcomes: results.map((result) => ({
      ...outcomeOf(result),
      label: [result.log, ...(result.session === undefined ? [] : [`session ${result.session}`])].join(", "),
      forgiven: false,
      attachments: [],
    })),
    ...(results[0]?.started_at === undefined ? {} : { started_at: results[0].started_at }),
  };
}

/** The account of a batch; tries that were made again are left out, as they count nowhere. */
export function accountOfBatch(document: BatchDocument): Account {
  const { waymark, verdict, gate, groups, runs, overall = [], started_at } = document;
  const rows = runs.filter(({ superseded }) => !superseded);
  const several = groups.length > 1;
  const words = groups.flatMap((group) => {
    const name = [group.scenario, group.variant, group.task].filter((part) => part !== undefined).join(", ");
    return group.words.map((sentence) => (several ? `${name}: ${sentence}` : sentence));
  });
  return {
    waymark,
    verdict,
    gate,
    words: [...words, ...overall.map((one) => one.words)],
    passed: rows.filter((row) => row.verdict === "pass").length,
    graded: rows.filter((row) => row.verdict === "pass" || row.verdict === "fail").length,
    outcomes: rows.map((row) => outcomeOfRow(row, document)),
    started_at,
  };
}

function outcomeOf(result: ScenarioResult): Omit<Outcome, "label" | "forgiven" | "attachments"> {
  const { scenario, verdict, reason, waiting_for: missing, duration_ms } = result;
  return {
    scenario,
    verdict,
    result,
    reason: verdict === "pass" ? "" : reason,
    duration_ms,
    ...(missing === undefined || verdict === "pass" ? {} : { missing }),
  };
}

function outcomeOfRow(row: RunRow, document: BatchDocument): Outcome {
  const result = document.results.find(({ run, scenario }) => run === row.run && scenario === row.scenario);
  const trial = document.trials.find(({ id }) => id === row.trial);
  const group = document.groups.find(
    ({ scenario, variant, task }) => scenario === row.scenario && variant === row.variant && task === row.task,
  );
  const folder = result === undefined ? undefined : folderOf(result.log, row.trial);
  const total = Math.max(...document.runs.map(({ index }) => index));
  const parts = [`run ${row.index}/${total}`, row.variant, row.task].filter((part) => part !== undefined);
  return {
    scenario: row.scenario,
    label: parts.join(", "),
    verdict: row.verdict,
    ...(result === undefined ? {} : { result }),
    reason: row.verdict === "pass" ? "" : (result?.reason ?? trial?.error?.message ?? row.note ?? row.verdict),
    ...(row.waiting_for === undefined ? {} : { missing: row.waiting_for }),
    ...(row.duration_ms === undefined ? {} : { duration_ms: row.duration_ms }),
    ...(row.cost_usd === undefined ? {} : { cost_usd: row.cost_usd }),
    ...(row.claim === undefined ? {} : { claim: row.claim }),
    ...(row.agrees === undefined ? {} : { agrees: row.agrees }),
    forgiven: group?.gate.met === true,
    attachments: folder === undefined ? [] : (trial?.artifacts ?? []).map(({ path }) => `${folder}/${path}`),
  };
}

/** The run's folder, which its log stands in; undefined for a log that stands elsewhere. */
function folderOf(log: string, trial: string): string | undefined {
  const parts = log.split(/[\\/]/);
  const at = parts.lastIndexOf(trial);
  return at === -1 ? undefined : parts.slice(0, at + 1).join("/");
}

const SEVERITY = { error: 0, fail: 1, inconclusive: 2, interrupted: 3, pass: 4 } as const;

/** What did not pass, most severe first; a run that a met gate forgives stands behind those it does not. */
export function troubles({ outcomes }: Account): readonly Outcome[] {
  return outcomes
    .filter(({ verdict }) => verdict !== "pass")
    .sort((a, b) => Number(a.forgiven) - Number(b.forgiven) || SEVERITY[a.verdict] - SEVERITY[b.verdict]);
}
