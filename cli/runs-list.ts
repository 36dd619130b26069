import { parseSince } from "../grader/read/range.ts";
import { paintFor, signOf } from "../grader/report/paint.ts";
import { asText, showDuration } from "../grader/report/text.ts";
import { runDocument } from "../grader/store/run-document.ts";
import type { RunFilter, StoredRun } from "../grader/store/store.ts";
import { type TrialSources, ungradedTrials } from "../grader/trials/select.ts";
import type { TrialManifest } from "../grader/trials/trial.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { type JsonObject, stringifyJson } from "../proxy/record/json.ts";
import { wholeNumber } from "./quantities.ts";
import type { RunsCall } from "./runs.ts";
import { withSources } from "./runs-open.ts";
import { VERDICTS } from "./runs-options.ts";
import { tableLines } from "./runs-table.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

/** `waymark runs list`: stored results, newest first, below what is running or was interrupted. */
export async function listRuns({ args, terminal }: RunsCall): Promise<number> {
  const filter = filterOf(args, Date.now());
  return withSources(args, "read", async (sources) => {
    const found = storedRuns(filter, sources);
    const ungraded = ungradedRuns(filter, sources);
    if (args.flag("json")) {
      const document = { schema: "waymark.runs/1", runs: found.map(runDocument), ungraded };
      terminal.out(`${stringifyJson(document as unknown as JsonObject)}\n`);
    } else show(found, ungraded, terminal);
    return 0;
  });
}

interface ListFilter extends Omit<RunFilter, "scenario" | "label"> {
  readonly scenarios: readonly string[];
  readonly labels: readonly string[];
  readonly limit: number;
}

function filterOf(args: Arguments, nowMs: number): ListFilter {
  const since = args.text("since");
  const verdict = args.flag("failed") === true ? "fail" : verdictOption(args);
  return {
    scenarios: args.list("scenario"),
    labels: args.list("label"),
    limit: wholeNumber("last", args.text("last") ?? "20", { min: 1, max: 1_000_000 }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(since === undefined ? {} : { since: new Date(parseSince(since, nowMs)).toISOString() }),
    ...given(args, "batch"),
    ...given(args, "variant"),
    ...given(args, "task"),
  };
}

function given(args: Arguments, name: "batch" | "variant" | "task"): Partial<RunFilter> {
  const value = args.text(name);
  return value === undefined ? {} : { [name]: value };
}

/** `--verdict`; throws `WM_USAGE` on a word that is none. */
export function verdictOption(args: Arguments): (typeof VERDICTS)[number] | undefined {
  const asked = args.text("verdict");
  const verdict = VERDICTS.find((known) => known === asked);
  if (asked === undefined || verdict !== undefined) return verdict;
  throw waymarkError("WM_USAGE", `--verdict got "${asked}"`, { fix: `Known: ${VERDICTS.join(", ")}.` });
}

function storedRuns(
  { scenarios, labels, limit, ...filter }: ListFilter,
  { store }: TrialSources,
): readonly StoredRun[] {
  const batch = filter.batch === "latest" ? store.listBatches(1)[0]?.id : filter.batch;
  if (filter.batch !== undefined && batch === undefined) return [];
  const exact = { ...filter, ...(batch === undefined ? {} : { batch }) };
  const [scenario] = scenarios;
  const [label] = labels;
  const isExact = scenarios.length <= 1 && labels.length <= 1;
  const runs = store.listRuns({
    ...exact,
    ...(scenario === undefined || scenarios.length > 1 ? {} : { scenario }),
    ...(label === undefined ? {} : { label }),
    ...(isExact ? { limit } : {}),
  });
  if (isExact) return runs;
  return runs
    .filter((run) => scenarios.length === 0 || scenarios.includes(run.scenario))
    .filter((run) => labels.every((name) => run.labels?.includes(name) === true))
    .slice(0, limit);
}

/** A run without a grade answers to no filter that asks for one. */
function ungradedRuns(filter: ListFilter, sources: TrialSources): readonly TrialManifest[] {
  if (filter.verdict !== undefined || filter.scenarios.length > 0) return [];
  return ungradedTrials(sources)
    .map(({ manifest }) => manifest)
    .filter(({ started_at }) => filter.since === undefined || started_at >= filter.since)
    .filter(({ batch, variant, task }) =>
      [
        [filter.batch, batch],
        [filter.variant, variant],
        [filter.task, task],
      ].every(([wanted, own]) => wanted === undefined || wanted === own),
    )
    .filter(({ labels }) => filter.labels.every((label) => labels.includes(label)))
    .reverse()
    .slice(0, filter.limit);
}

const HEADER = [
  "run",
  "graded (UTC)",
  "verdict",
  "review",
  "markers",
  "time",
  "scenario",
  "variant",
  "task",
  "labels",
  "log",
  "reason",
];

function show(found: readonly StoredRun[], ungraded: readonly TrialManifest[], terminal: Terminal): void {
  const paint = paintFor(terminal.colour);
  const [header = "", ...lines] = tableLines(HEADER, [...ungraded.map(rowOfManifest), ...found.map(rowOf)]);
  terminal.out(`  ${paint.dim(header)}\n`);
  for (const [index, line] of lines.entries()) {
    const run = found[index - ungraded.length];
    terminal.out(`${run === undefined ? paint.unsure("…") : signOf(run.verdict, paint)} ${line}\n`);
  }
  if (lines.length === 0) terminal.out("  no runs\n");
}

/** A review is shown where it says something else than the grade. */
function rowOf(run: StoredRun): readonly string[] {
  const { review } = run;
  return [
    `#${run.number}`,
    timeText(run.gradedAt),
    run.verdict,
    review === undefined || review.verdict === run.verdict ? "" : `${review.verdict} ▲`,
    `${run.found}/${run.total}`,
    showDuration(run.durationMs),
    asText(run.scenario),
    asText(run.variant ?? ""),
    asText(run.task ?? ""),
    (run.labels ?? []).map(asText).join(" "),
    asText(run.log),
    run.verdict === "pass" ? "" : asText(run.reason),
  ];
}

function rowOfManifest(run: TrialManifest): readonly string[] {
  const { id, started_at, state, variant = "", task = "", labels } = run;
  const texts = [asText(variant), asText(task), labels.map(asText).join(" ")];
  return [id.slice(0, 13), timeText(started_at), state, "", "", "", "", ...texts, asText(run.command.join(" ")), ""];
}

function timeText(iso: string): string {
  return asText(iso.slice(0, 19).replace("T", " "));
}
