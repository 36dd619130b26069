import { type Attempt, attemptsOf, type SessionModes, scenariosOf } from "./compare-attempt.ts";
import { figureOf } from "./compare-shift.ts";
import type { Trial } from "./trial.ts";

/** A cell before it is written; undefined is an empty cell: nobody knows. */
type Value = string | number | boolean | undefined;

/** The columns every table has, in order; `version:…` and `measure:…` columns follow, then those of the self-report and review. */
const COLUMNS: readonly (readonly [name: string, of: (attempt: Attempt, scenario: string) => Value])[] = [
  ["run", ({ trial }) => trial.manifest.id],
  ["batch", ({ trial }) => trial.manifest.batch],
  ["variant", ({ trial }) => trial.manifest.variant],
  ["task", ({ trial }) => trial.manifest.task],
  ["trial", ({ trial }) => trial.manifest.index],
  ["scenario", (_, scenario) => scenario],
  ["markers_sha256", ({ results }) => results[0]?.markers_sha256],
  ["verdict", ({ verdict }) => verdict],
  ["reason", ({ reason }) => reason],
  ["coverage", (attempt) => smallest(attempt.results.map(({ coverage }) => coverage))],
  ["found", ({ results }) => sum(results.map(({ found }) => found.length))],
  ["total", ({ results }) => sum(results.map(({ found, not_found: missing }) => found.length + missing.length))],
  ["events", ({ results }) => sum(results.map(({ events }) => events))],
  ["started_at", ({ trial }) => trial.manifest.started_at],
  ["ended_at", ({ trial }) => trial.manifest.ended_at],
  ["duration_ms", (attempt) => figureOf(attempt, "duration")],
  ["cost_usd", ({ trial }) => trial.manifest.used?.cost_usd],
  ["tokens_in", ({ trial }) => trial.manifest.used?.tokens_in],
  ["tokens_out", ({ trial }) => trial.manifest.used?.tokens_out],
  ["provenance", ({ trial }) => trial.manifest.provenance],
  ["retries", ({ trial }) => trial.manifest.retries],
  ["labels", ({ trial }) => trial.manifest.labels.join(" ") || undefined],
  ["folder", ({ trial }) => trial.folder],
];

/** Numbers begin anew in each batch, so a table of several says which. */
const TRIAL_OF_BATCH: (typeof COLUMNS)[number] = [
  "trial",
  ({ trial: { manifest } }) => `${manifest.batch ?? manifest.id}/${manifest.index}`,
];

const LAST: typeof COLUMNS = [
  ["claim", ({ trial }) => trial.manifest.self_report?.claim],
  ["claims_success", ({ trial }) => trial.manifest.self_report?.claims_success],
  ["review", ({ trial }) => trial.manifest.review?.verdict],
  ["review_note", ({ trial }) => trial.manifest.review?.note],
];

/**
 * Runs as one table, a row per run and scenario: CSV by RFC 4180 with a header and CRLF. Numbers are plain, times ISO,
 * what nobody counted is an empty cell. A text that a spreadsheet would take for a formula (beginning with `=`, `+`,
 * `-`, `@`, a tab or a CR) gets a single quote before it (OWASP, "CSV injection"). `waymark compare --outcomes` reads it.
 */
export function tableOf(trials: readonly Trial[], sessions?: SessionModes): string {
  const keys = (of: (trial: Trial) => Readonly<Record<string, unknown>> | undefined): readonly string[] =>
    [...new Set(trials.flatMap((trial) => Object.keys(of(trial) ?? {})))].sort();
  const batches = new Set(trials.map(({ manifest }) => manifest.batch));
  const columns: typeof COLUMNS = [
    ...COLUMNS.map((column) => (column[0] === "trial" && batches.size > 1 ? TRIAL_OF_BATCH : column)),
    ...keys(({ manifest }) => manifest.versions).map(
      (key) => [`version:${key}`, ({ trial }: Attempt) => ownValue(trial.manifest.versions, key)] as const,
    ),
    ...keys(({ manifest }) => manifest.measures).map(
      (key) => [`measure:${key}`, ({ trial }: Attempt) => ownValue(trial.manifest.measures, key)] as const,
    ),
    ...LAST,
  ];
  const rows = rowsOf(trials, sessions).map(([scenario, attempt]) => columns.map(([, of]) => of(attempt, scenario)));
  return [columns.map(([name]) => name), ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

/** By run in the order given, each with its scenarios; a run that was never graded has one row without a scenario. */
function rowsOf(trials: readonly Trial[], sessions: SessionModes | undefined): readonly (readonly [string, Attempt])[] {
  return trials.flatMap((trial) => {
    const scenarios = scenariosOf([trial]);
    const named = scenarios.length === 0 ? [""] : scenarios;
    return named.flatMap((scenario) =>
      attemptsOf([trial], scenario, sessions).map((attempt) => [scenario, attempt] as const),
    );
  });
}

function ownValue<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function cellOf(value: Value): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const guarded = /^'*[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

function sum(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
}

function smallest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}
