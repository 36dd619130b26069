import { appendFileSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { type Account, accountOfBatch, accountOfResults, type Outcome, troubles } from "../account.ts";
import { markdownOf } from "../markdown-text.ts";
import type { Reporter, ReporterOptions } from "../reporter.ts";
import { asText, plural } from "../text.ts";

/** GitHub shows ten annotations of a kind for each step, and drops a summary of more than 1 MiB whole. */
const MOST_ANNOTATIONS = 10;
const MOST_SUMMARY_BYTES = 900_000;

/**
 * For GitHub Actions: annotations on the YAML line of the marker that was missed, a summary of the job, and the outputs
 * `verdict`, `pass_rate` and `report`. The files of the last two are named by the environment; without them only the
 * annotations are written.
 */
export const github: Reporter = {
  name: "github",
  describe: "for GitHub Actions: annotations on the marker's line, the job's summary and its outputs",
  create: (options) => {
    const report = (account: Account): void => {
      for (const line of annotationsOf(account, options.env)) options.write(`${line}\n`);
      appendSummary(account, options);
      appendOutputs(account, options);
    };
    return {
      onEnd: (document) => report(accountOfResults(document)),
      onBatch: (document) => report(accountOfBatch(document)),
    };
  },
};

interface Trouble {
  readonly outcome: Outcome;
  runs: number;
}

/** One annotation for each place that something went wrong at, most severe first; the last says what was left out. */
function annotationsOf(account: Account, env: ReporterOptions["env"] = {}): readonly string[] {
  const places = new Map<string, Trouble>();
  for (const outcome of troubles(account).filter(({ verdict }) => verdict !== "interrupted")) {
    const key = JSON.stringify([outcome.scenario, outcome.verdict, outcome.missing ?? outcome.reason]);
    const known = places.get(key);
    if (known === undefined) places.set(key, { outcome, runs: 1 });
    else known.runs++;
  }
  const all = [...places.values()];
  const isCut = all.length > MOST_ANNOTATIONS;
  const shown = isCut ? all.slice(0, MOST_ANNOTATIONS - 1) : all;
  const left = all.length - shown.length;
  return [
    ...shown.map((trouble) => annotation(trouble, account, env)),
    ...(isCut
      ? [`::error title=waymark::${escapeData(`${plural(left, "more problem")} left out; the job's summary has them`)}`]
      : []),
  ];
}

function annotation(
  { outcome, runs }: Trouble,
  { outcomes }: Account,
  env: NonNullable<ReporterOptions["env"]>,
): string {
  const { scenario, verdict, missing, reason, result, forgiven } = outcome;
  const marker = result?.markers.find(({ status }) => status === "missing" || status === "undecided");
  // An error is not the scenario's fault, so it is shown at none of its lines.
  const own = result === undefined || verdict === "error" ? undefined : { file: result.file, line: 1, column: 1 };
  const source = own && (marker?.source ?? own);
  const all = outcomes.filter((other) => other.scenario === scenario).length;
  const count = all === 1 ? "" : ` (${runs} of ${plural(all, "run")})`;
  const what = missing === undefined ? reason : `${missing} was never reached${count}: ${reason}`;
  const place =
    source === undefined
      ? []
      : [
          ["file", inRepository(source.file, env)] as const,
          ["line", String(source.line)] as const,
          ["col", String(source.column)] as const,
        ];
  const properties = [...place, ["title", `waymark ${verdict}: ${scenario}`] as const];
  const words = properties.map(([name, value]) => `${name}=${escapeProperty(value)}`).join(",");
  return `::${forgiven ? "warning" : "error"} ${words}::${escapeData(what)}`;
}

/** Annotations need paths within the repository, with `/`. */
function inRepository(file: string, env: NonNullable<ReporterOptions["env"]>): string {
  const root = env["GITHUB_WORKSPACE"];
  const path = root !== undefined && isAbsolute(file) ? relative(root, file) : file;
  return path.replaceAll("\\", "/");
}

/** A workflow command ends at its line; what would end it, or hide in a log, is escaped. */
function escapeData(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map(asText);
  return lines.join("\n").replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function appendSummary(account: Account, { env = {} }: ReporterOptions): void {
  const file = env["GITHUB_STEP_SUMMARY"];
  if (file === undefined || file === "") return;
  appendFileSync(file, cut(markdownOf(account)));
}

/** Cut between lines; what a cut leaves open is closed, so that the note is seen. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= MOST_SUMMARY_BYTES) return text;
  const kept = Buffer.from(text).subarray(0, MOST_SUMMARY_BYTES).toString("utf8");
  const whole = kept.slice(0, kept.lastIndexOf("\n"));
  const isOpen = whole.lastIndexOf("<details>") > whole.lastIndexOf("</details>");
  return `${whole}\n${isOpen ? "\n</details>\n" : ""}\nThis summary was cut at 900 kB; the report has the rest.\n`;
}

function appendOutputs({ verdict, passed, graded }: Account, { env = {}, reportFile }: ReporterOptions): void {
  const file = env["GITHUB_OUTPUT"];
  if (file === undefined || file === "") return;
  const rate = graded === 0 ? "" : String(Number((passed / graded).toFixed(4)));
  const outputs = [`verdict=${verdict}`, `pass_rate=${rate}`, `report=${asText(reportFile ?? "")}`];
  appendFileSync(file, `${outputs.join("\n")}\n`);
}
