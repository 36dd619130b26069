import type { Paint } from "../grader/report/paint.ts";
import { asText, plural } from "../grader/report/text.ts";
import { points, probability, range, share, signedPoints } from "../grader/statistics/numbers.ts";
import type { Fidelity } from "../grader/trials/fidelity.ts";
import { matrixLines, type TaskMatrix } from "../grader/trials/matrix.ts";
import type { TaskAverage, VariantComparison } from "../grader/trials/outcomes.ts";
import type { OutcomesDocument } from "../grader/trials/outcomes-document.ts";
import { columns } from "./compare-output.ts";

/** Pairs of variants that are shown; of more only those with evidence, unless all are asked for. */
const MOST_PAIRS = 15;

/** An outcome table's figures: a line per variant and k, then the pairs of variants. */
export function outcomesText(document: OutcomesDocument, paint: Paint, detail: 0 | 1 | 2): string {
  const { variants, comparisons, notes } = document;
  const head = ["variant", "tasks", "trials", "k", "pass@k", "95% interval", "pass^k", "95% interval", "tasks with k"];
  const rows = variants.flatMap(({ variant, tasks, trials, at_k: repeated }) =>
    repeated.map(({ k, pass_at_k: some, pass_hat_k: every }, at) => [
      at === 0 ? asText(variant) : "",
      at === 0 ? String(tasks) : "",
      at === 0 ? String(trials) : "",
      String(k),
      ...averageCells(some),
      ...averageCells(every),
      some === null ? `none of ${tasks}` : some.left_out === 0 ? "all" : `${some.tasks}, ${some.left_out} left out`,
    ]),
  );
  const [title = "", ...lines] = columns([head, ...rows]);
  const said = [
    paint.dim(title),
    ...lines,
    ...(detail === 0 ? [] : pairLines(comparisons, paint, detail)),
    ...notes.map((note) => `${paint.unsure("▲")} ${asText(note)}`),
  ];
  return `${said.join("\n")}\n`;
}

/** Variants by tasks, one table per scenario, then the pairs of variants. */
export function matrixText(matrices: readonly TaskMatrix[], paint: Paint, detail: 0 | 1 | 2): string {
  const parts = matrices.map((matrix) => {
    const lines = matrixLines(matrix, asText).map((line) => `  ${line}`);
    return [paint.strong(asText(matrix.scenario)), ...lines, ...pairLines(matrix.comparisons, paint, detail)].join(
      "\n",
    );
  });
  return `${parts.join("\n\n")}\n`;
}

function averageCells(average: TaskAverage | null): readonly string[] {
  if (average === null) return ["–", "–"];
  return [average.estimate.toFixed(3), average.interval === null ? "–" : range(average.interval)];
}

function pairLines(comparisons: readonly VariantComparison[], paint: Paint, detail: 0 | 1 | 2): readonly string[] {
  if (comparisons.length === 0) return [];
  const isLong = comparisons.length > MOST_PAIRS && detail < 2;
  const shown = isLong ? comparisons.filter(({ evidence }) => evidence !== "none") : comparisons;
  const hidden = comparisons.length - shown.length;
  return [
    "",
    paint.dim("pairs, over the tasks both did"),
    ...shown.map((pair) => pairLine(pair, paint)),
    ...(hidden === 0 ? [] : [`  ${plural(hidden, "pair")} without evidence either way (--verbose)`]),
  ];
}

function pairLine(pair: VariantComparison, paint: Paint): string {
  const { a, b, difference, evidence, tasks, a_better: better, b_better: worse, equal, p, p_holm: adjusted } = pair;
  const [nameA, nameB] = [asText(a), asText(b)];
  if (difference === null) return `  ${nameA} and ${nameB} share no task`;
  const verdict =
    evidence === "none"
      ? `${paint.unsure("?")} ${nameA} and ${nameB}: no evidence either way`
      : betterWords(evidence, nameA, nameB, paint);
  const interval = `${signedPoints(difference.low)} to ${signedPoints(difference.high)}`;
  const figures = `${signedPoints(difference.estimate)} ${points(difference.estimate)} (95% interval ${interval})`;
  const flips = `better on ${better} and worse on ${worse} of ${plural(tasks, "task")}, alike on ${equal}`;
  const holm = probability(adjusted) === probability(p) ? "" : `, ${probability(adjusted)} for all pairs`;
  const only =
    pair.only_a + pair.only_b === 0 ? "" : `; ${plural(pair.only_a + pair.only_b, "task")} done by one alone`;
  return `  ${verdict}: ${figures}, ${flips}, ${pair.test} p ${probability(p)}${holm}${only}`;
}

function betterWords(evidence: "a_better" | "b_better", a: string, b: string, paint: Paint): string {
  return evidence === "a_better"
    ? `${paint.good("✓")} ${a} is better than ${b}`
    : `${paint.good("✓")} ${b} is better than ${a}`;
}

/** Fidelity as text: the sentences, then a line per variant and task. */
export function fidelityText(reports: readonly Fidelity[], paint: Paint, detail: 0 | 1 | 2): string {
  return `${reports.map((report) => scenarioFidelity(report, paint, detail)).join("\n\n")}\n`;
}

function scenarioFidelity({ scenario, words, tasks }: Fidelity, paint: Paint, detail: 0 | 1 | 2): string {
  const lines = [paint.strong(asText(scenario)), ...words.map((line) => `  ${asText(line)}`)];
  if (detail === 0 || tasks.length < 2) return lines.join("\n");
  const rows = tasks.map(({ variant, task, a, b, agreement, marker_order: markers, event_order: events }) => [
    asText(variant || "–"),
    asText(task || "–"),
    `${a.passed}/${a.runs}`,
    `${b.passed}/${b.runs}`,
    share(agreement),
    markers === null ? "–" : share(markers),
    events === null ? "–" : share(events),
  ]);
  const [head = "", ...table] = columns([["variant", "task", "A", "B", "same verdict", "markers", "events"], ...rows]);
  return [...lines, "", `  ${paint.dim(head)}`, ...table.map((line) => `  ${line}`)].join("\n");
}
