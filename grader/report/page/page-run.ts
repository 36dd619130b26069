import { stringifyJson } from "../../../proxy/record/json.ts";
import { worstVerdict } from "../../combine.ts";
import { doesAgree } from "../../trials/agreement.ts";
import { wallTimeOf } from "../../trials/amounts.ts";
import { sayEnd } from "../../trials/performance.ts";
import type { Trial, TrialManifest } from "../../trials/trial.ts";
import { plural, showDuration } from "../text.ts";
import type { PageMedia, PageRun, PageStep, RunVerdict } from "./data.ts";
import type { Attachments } from "./input.ts";
import { pageResult, type ResultContext } from "./page-result.ts";

const NOTHING: Attachments = { files: [], media: [], times: new Map(), redacted: 0 };

export interface RunContext {
  /** Position of a scenario by the key of `scenarioKey`. */
  readonly scenarioAt: ReadonlyMap<string, number>;
  readonly markersOf: readonly (readonly string[])[];
  readonly attachments?: Attachments | undefined;
  readonly number?: number | undefined;
}

/** One run as the page shows it. Pure; what the run's folder adds comes with `context`. */
export function pageRun(trial: Trial, context: RunContext): PageRun {
  const { manifest, results } = trial;
  const { attachments = NOTHING, number } = context;
  const zero = zeroOf(trial);
  const files = [...attachments.files];
  const resultContext: ResultContext = { ...context, zero, files, times: attachments.times };
  const shown = results.map((result) => pageResult(result, resultContext));
  const verdict = verdictOf(trial);
  return {
    id: manifest.id,
    label: number === undefined ? nameOf(manifest) : `#${number}`,
    ...pick(manifest, ["batch", "variant", "task"]),
    verdict,
    reason: reasonOf(trial, verdict),
    started_at: manifest.started_at,
    zero,
    ...figuresOf(trial),
    ...saidOf(trial),
    environment: environmentOf(manifest),
    steps: (manifest.steps ?? []).map((step) => stepOf(step, zero)),
    media: attachments.media.map(({ at, ...media }) => mediaOf(media, at, zero)),
    results: shown,
    files,
    ...optional("events_chunk", attachments.eventsChunk),
    ...optional("events_why", attachments.eventsWhy),
    ...optional("process_chunk", attachments.processChunk),
    ...optional("folder", trial.folder),
  };
}

function nameOf({ index, retries }: TrialManifest): string {
  return retries === 0 ? `run ${index}` : `run ${index} try ${retries + 1}`;
}

/** The verdict of a run over all its scenarios, the worst first; `interrupted` for one that was never graded. */
export function verdictOf({ manifest, results }: Trial): RunVerdict {
  if (manifest.state === "interrupted" || manifest.state === "running") return "interrupted";
  return results.length === 0 ? "error" : worstVerdict(results.map(({ verdict }) => verdict));
}

function reasonOf({ manifest, results }: Trial, verdict: RunVerdict): string {
  if (results.length === 0) return manifest.error?.message ?? manifest.state;
  return verdict === "pass" ? "" : (results.find((result) => result.verdict === verdict)?.reason ?? "");
}

const LONGEST_START_MS = 600_000;

/** The launch, when app and machine agree on the time; else the first event. */
function zeroOf({ manifest, results }: Trial): number {
  const launched = Date.parse(manifest.started_at);
  const events = results.map(({ started_at }) => Date.parse(started_at ?? "")).filter(Number.isFinite);
  const first = Math.min(...events);
  const agrees = manifest.command.length > 0 && launched <= first && first - launched < LONGEST_START_MS;
  if (agrees || events.length === 0) return Number.isFinite(launched) ? launched : 0;
  return first;
}

function figuresOf(trial: Trial): Partial<PageRun> {
  const { used } = trial.manifest;
  const spans = trial.results.map(({ duration_ms }) => duration_ms);
  const duration = wallTimeOf(trial) ?? (spans.length === 0 ? undefined : Math.max(...spans));
  const parts = (used?.tokens_in ?? 0) + (used?.tokens_out ?? 0);
  const tokens = used?.tokens ?? (used?.tokens_in === undefined && used?.tokens_out === undefined ? undefined : parts);
  return {
    ...optional("duration_ms", duration),
    ...optional("cost_usd", used?.cost_usd),
    ...optional("tokens", tokens),
  };
}

function saidOf(trial: Trial): Partial<PageRun> {
  const { self_report: report, review } = trial.manifest;
  const agrees = doesAgree(trial);
  return {
    ...optional("claim", report?.claim),
    ...optional("claims_success", report?.claims_success),
    ...optional("said", report?.text),
    ...optional("agrees", agrees),
    ...optional("review", review === undefined ? undefined : [review.verdict, review.note ?? ""].join(" ").trim()),
  };
}

function environmentOf(manifest: TrialManifest): PageRun["environment"] {
  const { capture, settled, end, versions, labels, measures = {}, used } = manifest;
  const rows: (readonly [string, string | undefined])[] = [
    ["started", manifest.started_at],
    ["command", manifest.command.length === 0 ? undefined : manifest.command.map(quoted).join(" ")],
    ["ended", end === undefined ? undefined : sayEnd(end)],
    ["provenance", manifest.provenance],
    ["retries", manifest.retries === 0 ? undefined : String(manifest.retries)],
    ["labels", labels.length === 0 ? undefined : labels.join(", ")],
    ["settled", settled === undefined ? undefined : `${settled.why}, after ${showDuration(settled.waited_ms)}`],
    [
      "captured",
      capture === undefined
        ? undefined
        : `${plural(capture.requests, "request")} on ${plural(capture.connections, "connection")}, ${plural(capture.events, "event")}, ${capture.undecoded} undecoded, ${capture.lost} lost`,
    ],
    ["not priced", used?.unpriced?.join(", ")],
    ["error", manifest.error === undefined ? undefined : `${manifest.error.code}: ${manifest.error.message}`],
    ...Object.entries(versions).map(([name, value]) => [`version of ${name}`, value] as const),
    ...Object.entries(measures).map(([name, value]) => [name.replaceAll("_", " "), stringifyJson(value)] as const),
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value] as const]));
}

function quoted(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word);
}

function stepOf(step: NonNullable<TrialManifest["steps"]>[number], zero: number): PageStep {
  const from = Date.parse(step.started_at ?? "") - zero;
  return {
    name: step.name,
    kind: step.kind,
    ...(Number.isFinite(from) ? { from_ms: from } : {}),
    ...pick(step, ["duration_ms", "cost_usd", "tokens"]),
  };
}

function mediaOf(media: Omit<PageMedia, "at_ms">, at: string | undefined, zero: number): PageMedia {
  const ms = Date.parse(at ?? "") - zero;
  return Number.isFinite(ms) ? { ...media, at_ms: ms } : media;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Partial<Pick<T, K>> {
  const entries = keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]] as const]));
  return Object.fromEntries(entries) as Partial<Pick<T, K>>;
}
