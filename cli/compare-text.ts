import { type Paint, signOf } from "../grader/report/paint.ts";
import { asText, plural } from "../grader/report/text.ts";
import { sayRate } from "../grader/statistics/words.ts";
import type { ScenarioComparison } from "../grader/trials/compare.ts";
import type { TaskPair } from "../grader/trials/compare-by-task.ts";
import type { ComparisonDocument } from "../grader/trials/compare-document.ts";
import type { Flip } from "../grader/trials/compare-flips.ts";
import type { Middle, Shifted } from "../grader/trials/compare-shift.ts";
import type { ComparedRun, ComparedSide } from "../grader/trials/compare-side.ts";
import { amount } from "../grader/trials/compare-words.ts";
import { columns } from "./compare-output.ts";

/** Runs and flips that are named; of more only the number is told, unless all are asked for. */
const MOST_NAMED = 10;

/** A comparison as text: what it comes to first, then the sides, the markers, the flips and where to open each run. */
export function comparisonText(document: ComparisonDocument, paint: Paint, detail: 0 | 1 | 2): string {
  const { comparisons, notes, outcome } = document;
  if (detail === 0) return `${outcome}\n`;
  const parts = comparisons.map((comparison) => scenarioText(comparison, paint, detail));
  return `${[...parts, ...notes.map((note) => `${paint.unsure("▲")} ${asText(note)}`)].join("\n")}\n`;
}

function scenarioText(comparison: ScenarioComparison, paint: Paint, detail: 0 | 1 | 2): string {
  const { scenario, markers_sha256: hash, a, b, words, flips, pass } = comparison;
  const [first = "", ...rest] = words.map(asText);
  const lines = [
    `${paint.strong(asText(scenario))}  ${paint.dim(`markers ${hash.slice(0, 12)}`)}`,
    ...columns([sideCells("A", a), sideCells("B", b)]).map((line) => `  ${line}`),
    "",
    `  ${signFor(pass.decision, paint)} ${first}`,
    ...rest.map((line) => `    ${line}`),
    ...taskTable(pass, paint, detail),
    ...markerTable(comparison, paint),
    ...flipLines(flips, paint, detail),
    ...[a, b].flatMap((side, at) => runLines(at === 0 ? "A" : "B", side, paint, detail)),
  ];
  return `${lines.join("\n")}\n`;
}

function signFor(decision: ScenarioComparison["pass"]["decision"], paint: Paint): string {
  const signs = {
    a_better: paint.bad("✗"),
    b_better: paint.good("✓"),
    none: paint.unsure("?"),
    equivalent: paint.good("="),
  };
  return signs[decision];
}

function sideCells(letter: string, side: ComparedSide): readonly string[] {
  const { name, passed, failed, inconclusive, errors, interrupted, provenance } = side;
  const rate = sayRate({ passed, failed, unknown: inconclusive + errors });
  const kinds = Object.entries(provenance).map(([kind, count]) => `${count} ${kind}`);
  const stopped = interrupted === 0 ? "" : `, ${interrupted} interrupted`;
  return [letter, asText(name), `${rate}${stopped}`, kinds.join(", ")];
}

/** Tasks on which the sides differ, those furthest apart first; all tasks when everything is asked for. */
function taskTable({ tasks }: ScenarioComparison["pass"], paint: Paint, detail: 0 | 1 | 2): readonly string[] {
  if (tasks === undefined) return [];
  const gap = ({ a, b }: TaskPair): number => Math.abs(a.passed / a.runs - b.passed / b.runs);
  const sorted = [...tasks.rows].sort((one, other) => gap(other) - gap(one));
  const shown = detail === 2 ? sorted : sorted.filter((row) => gap(row) > 0).slice(0, MOST_NAMED);
  const rows = shown.map(({ task, a, b }) => [asText(task), `${a.passed}/${a.runs}`, `${b.passed}/${b.runs}`]);
  const [head = "", ...lines] = columns([["task", "A", "B"], ...rows]);
  const alone = [...tasks.only_a, ...tasks.only_b];
  const left = alone.length === 0 ? [] : [`    left out, on one side only: ${alone.map(asText).join(", ")}`];
  return [
    "",
    `  ${paint.dim(head)}`,
    ...lines.map((line) => `  ${line}`),
    ...more(sorted.length - shown.length),
    ...left,
  ];
}

function markerTable({ a, b, markers }: ScenarioComparison, paint: Paint): readonly string[] {
  if (a.funnel.length === 0) return [];
  const reached = (side: ComparedSide, marker: string): string => {
    const step = side.funnel.find((one) => one.marker === marker);
    return step === undefined ? "–" : `${step.reached}/${step.of}`;
  };
  const rows = a.funnel.map(({ marker }) => {
    const gap = markers.find((one) => one.marker === marker);
    const times = [gap?.a ?? null, gap?.b ?? null].map(timeText);
    return [asText(marker), reached(a, marker), reached(b, marker), ...times, gap === undefined ? "" : shiftText(gap)];
  });
  const [head = "", ...lines] = columns([["marker", "A", "B", "time A", "time B", "A − B"], ...rows]);
  return ["", `  ${paint.dim(head)}`, ...lines.map((line) => `  ${line}`)];
}

function timeText(middle: Middle | null): string {
  return middle === null ? "–" : amount("duration", middle.median);
}

function shiftText({ shift, evidence }: Shifted): string {
  if (shift === null) return "";
  const sign = shift.estimate < 0 ? "−" : shift.estimate > 0 ? "+" : "";
  return `${sign}${amount("duration", Math.abs(shift.estimate))}${evidence === "none" ? "" : " *"}`;
}

function flipLines(flips: readonly Flip[], paint: Paint, detail: 0 | 1 | 2): readonly string[] {
  if (flips.length === 0) return [];
  const shown = detail === 2 ? flips : flips.slice(0, MOST_NAMED);
  const rows = shown.map(({ task, trial, direction, a, b }) => {
    const where = `${task === undefined ? "run" : asText(task)} ${trial}`;
    const arrow = direction === "pass_to_fail" ? "pass → fail" : "fail → pass";
    return [
      arrow,
      where,
      `${asText(a.run)} → ${asText(b.run)}`,
      asText(direction === "pass_to_fail" ? b.reason : a.reason),
    ];
  });
  const worse = flips.filter(({ direction }) => direction === "pass_to_fail").length;
  const head = `${plural(flips.length, "flip")}: ${worse} pass → fail, ${flips.length - worse} fail → pass`;
  return [
    "",
    `  ${paint.dim(head)}`,
    ...columns(rows).map((line) => `  ${line}`),
    ...more(flips.length - shown.length),
  ];
}

function runLines(letter: string, { runs }: ComparedSide, paint: Paint, detail: 0 | 1 | 2): readonly string[] {
  const shown = detail === 2 ? runs : runs.slice(0, MOST_NAMED);
  const rows = shown.map((run) => [
    asText(run.run),
    asText(run.task ?? ""),
    asText(run.folder ?? ""),
    verdictNote(run),
  ]);
  const lines = columns(rows).map((line, at) => {
    const verdict = shown[at]?.verdict ?? "error";
    return `  ${verdict === "interrupted" ? paint.dim("–") : signOf(verdict, paint)} ${line}`;
  });
  return [
    "",
    `  ${paint.dim(`runs of ${letter} (waymark runs show RUN)`)}`,
    ...lines,
    ...more(runs.length - shown.length),
  ];
}

/** What is odd about a run: no grade, or someone who says otherwise. */
function verdictNote({ verdict, reason, claim, review }: ComparedRun): string {
  const notes = [
    ...(verdict === "pass" || verdict === "fail" ? [] : [`${verdict}: ${asText(reason)}`]),
    ...(claim === undefined || verdict !== "fail" ? [] : [`agent said ${asText(claim)}`]),
    ...(review === undefined ? [] : [`review: ${review}`]),
  ];
  return notes.join("; ");
}

function more(count: number): readonly string[] {
  return count <= 0 ? [] : [`    and ${count} more (--verbose)`];
}
