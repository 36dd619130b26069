import { exitOf, worstExit, worstVerdict } from "../grader/combine.ts";
import { asText, showCount, showDuration } from "../grader/report/text.ts";
import type { StoredRunDetails } from "../grader/store/store.ts";
import type { BatchDocument } from "../grader/trials/batch.ts";
import { offsetsIn } from "../grader/trials/evidence/offsets.ts";
import { measuresOfRun } from "../grader/trials/measures-group.ts";
import { sayEnd } from "../grader/trials/performance.ts";
import { selectTrials, type TrialSources } from "../grader/trials/select.ts";
import type { Trial, TrialManifest } from "../grader/trials/trial.ts";
import type { ResultDocument } from "../grader/verdict.ts";
import { WaymarkError } from "../proxy/record/fault.ts";
import { type JsonObject, stringifyJson } from "../proxy/record/json.ts";
import { WAYMARK_VERSION } from "../proxy/record/version.ts";
import { reportingFor } from "./reporting.ts";
import type { RunsCall } from "./runs.ts";
import { withSources } from "./runs-open.ts";
import { stepLines } from "./runs-steps.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

/** `waymark runs show`: each run with its grades, and all that is kept beside them. */
export async function showRuns({ words, args, terminal }: RunsCall): Promise<number> {
  return withSources(args, "read", async (sources) => {
    const trials = await selectTrials(words, sources);
    if (args.flag("json")) {
      const documents = trials.map((trial) => documentOf(trial, sources));
      const [only, ...others] = documents;
      const whole = others.length === 0 && only !== undefined ? only : { schema: "waymark.runs/1", runs: documents };
      terminal.out(`${stringifyJson(whole as unknown as JsonObject)}\n`);
      return 0;
    }
    return (await report({ trials, sources }, args, terminal)) ? 0 : 3;
  });
}

interface Shown {
  readonly trials: readonly Trial[];
  readonly sources: TrialSources;
}

/** Tells the reporters; false when one of them failed. */
async function report({ trials, sources }: Shown, args: Arguments, terminal: Terminal): Promise<boolean> {
  const reporting = reportingFor(args, terminal);
  // What is kept beside a grade is for people; a document of one format must hold nothing else.
  const isTalk = reporting.onStdout.every((name) => name === "pretty" || name === "plain");
  for (const trial of trials) {
    if (isTalk) terminal.out(headOf(trial, sources));
    for (const result of trial.results) reporting.result(result);
    if (isTalk) terminal.out(besides(trial));
  }
  const batch = wholeBatch(trials, sources);
  if (batch === undefined) reporting.end(resultDocument(trials));
  else if (!isTalk) reporting.batch(batch);
  return reporting.close();
}

/** The batch of which these are all the runs, as it was summed up; so that its reports are those of `waymark run`. */
function wholeBatch(trials: readonly Trial[], { store }: TrialSources): BatchDocument | undefined {
  const [id, ...others] = new Set(trials.map(({ manifest }) => manifest.batch));
  const text = id === undefined || others.length > 0 ? undefined : store.getBatch(id)?.document;
  if (text === undefined) return undefined;
  const document = JSON.parse(text) as BatchDocument;
  return document.trials?.length === trials.length ? document : undefined;
}

function resultDocument(trials: readonly Trial[]): ResultDocument {
  const results = trials.flatMap((trial) => trial.results);
  const verdicts = results.map(({ verdict }) => verdict);
  return {
    schema: "waymark.result/1",
    waymark: WAYMARK_VERSION,
    verdict: worstVerdict(verdicts),
    exit_code: worstExit(verdicts.map(exitOf)),
    results,
  };
}

/** The first result's row as it is stored, the launch, all results, and where each marker is in each recording. */
function documentOf(trial: Trial, { store }: TrialSources) {
  const { manifest, results, folder } = trial;
  const row = results[0] === undefined ? undefined : rowOf(results[0].run, store);
  const evidence = (manifest.artifacts ?? []).map((artifact) => ({
    ...artifact,
    markers: offsetsIn(artifact, results),
  }));
  return { schema: "waymark.run/1", ...row, manifest, results, evidence, ...(folder === undefined ? {} : { folder }) };
}

/** A run out of a zip has no row here. */
function rowOf(id: string, store: TrialSources["store"]): StoredRunDetails | undefined {
  try {
    return store.getRun(id);
  } catch (cause) {
    if (cause instanceof WaymarkError && cause.code === "WM_RUN_NOT_FOUND") return undefined;
    throw cause;
  }
}

function headOf({ manifest, results }: Trial, { store }: TrialSources): string {
  const row = results[0] === undefined ? undefined : rowOf(results[0].run, store);
  const number = row === undefined ? "" : ` (#${row.number})`;
  const graded = row === undefined ? manifest.state : `graded ${row.gradedAt} by waymark ${asText(row.graderVersion)}`;
  return `run ${asText(manifest.id)}${number}, ${graded}, ${manifest.provenance}\n`;
}

/** What stands beside the grade, a line each; nothing for what nobody knows. */
function besides(trial: Trial): string {
  const { manifest, results, folder } = trial;
  const lines: (readonly [string, string])[] = [
    ...belongsTo(manifest),
    ...howItWent(trial),
    ...saidOf(manifest, results),
    ...(folder === undefined ? [] : ([["folder", folder]] as const)),
  ];
  const named = lines.map(([name, text]) => `  ${name.padEnd(11)} ${asText(text)}\n`);
  return [...named, ...evidenceOf(manifest, results)].join("");
}

type Lines = readonly (readonly [name: string, text: string])[];

function belongsTo({ batch, index, variant, task, labels, versions }: TrialManifest): Lines {
  const ran = Object.entries(versions).map(([name, version]) => `${name}=${version}`);
  return [
    ...line("batch", batch === undefined ? undefined : `${batch}, run ${index}`),
    ...line("variant", variant),
    ...line("task", task),
    ...line("labels", labels.join(" ") || undefined),
    ...line("versions", ran.join(" ") || undefined),
  ];
}

function howItWent(trial: Trial): Lines {
  const { command, end, settled, used, steps, error } = trial.manifest;
  const waits =
    settled === undefined ? undefined : { idle: "quiet", limit: "still busy", decided: "all decided" }[settled.why];
  const awaited = settled?.awaited.length ? `, still awaited: ${settled.awaited.join(", ")}` : "";
  const tokens = [used?.tokens_in, used?.tokens_out].map((count) => (count === undefined ? "?" : showCount(count)));
  return [
    ...line("command", command.join(" ") || undefined),
    ...line("end", end === undefined ? undefined : sayEnd(end)),
    ...line("settled", settled && `after ${showDuration(settled.waited_ms)}, ${waits}${awaited}`),
    ...line("cost", used?.cost_usd === undefined ? undefined : `$${used.cost_usd.toFixed(4)}`),
    ...line("tokens", tokens.every((count) => count === "?") ? undefined : `${tokens[0]} in, ${tokens[1]} out`),
    ...(steps?.length ? stepLines(steps) : []).flatMap((text, at) => line(at === 0 ? "steps" : "", text)),
    ...measuresOfRun(trial).flatMap((text, at) => line(at === 0 ? "measures" : "", text)),
    ...line("error", error && `${error.code}: ${error.message}`),
  ];
}

/** What the agent and people say; shown beside the grade, with a sign where it says otherwise. */
function saidOf({ self_report: said, review }: TrialManifest, results: Trial["results"]): Lines {
  const verdicts = results.map(({ verdict }) => verdict);
  const isDecided = verdicts.length > 0 && verdicts.every((verdict) => verdict === "pass" || verdict === "fail");
  const passed = verdicts.every((verdict) => verdict === "pass");
  const differs = (other: boolean | undefined): string =>
    isDecided && other !== undefined && other !== passed ? "  ▲ disagrees with the grade" : "";
  return [
    ...line("agent said", said && `${said.claim}${differs(said.claims_success)}`),
    ...line(
      "review",
      review &&
        `${review.verdict}${review.note === undefined ? "" : `: ${review.note}`}${differs(review.verdict === "pass")}`,
    ),
  ];
}

function evidenceOf({ artifacts = [] }: TrialManifest, results: Trial["results"]): readonly string[] {
  return artifacts.flatMap((artifact) => {
    const since = artifact.at === undefined ? "" : `, from ${artifact.at}`;
    const offsets = offsetsIn(artifact, results).map(
      ({ marker, offset_ms }) => `                ${clock(offset_ms)}  ${asText(marker)}\n`,
    );
    return [`  evidence    ${asText(artifact.path)} (${asText(artifact.kind)}${asText(since)})\n`, ...offsets];
  });
}

/** `1:07.250`: a place in a video. */
function clock(ms: number): string {
  const seconds = ((ms % 60_000) / 1000).toFixed(3).padStart(6, "0");
  return `${Math.floor(ms / 60_000)}:${seconds}`;
}

function line(name: string, text: string | undefined): Lines {
  return text === undefined ? [] : [[name, text]];
}
