import type { Item } from "../grader/learn/mutate/items.ts";
import { DEFECTS } from "../grader/learn/mutate/mutant.ts";
import { byKind, controlsByKind, type MutationScore, tallyOf } from "../grader/learn/mutate/score.ts";
import type { Paint } from "../grader/report/paint.ts";
import { asText, plural } from "../grader/report/text.ts";

export interface Shown {
  readonly origin: string;
  readonly score: MutationScore;
  readonly least: number;
}

/** The report of `mutate` in lines: the shares, a table of markers and rules by kind, what cannot fail, what was missed. */
export function mutationLines(shown: Shown, paint: Paint, how: { brief: boolean; all: boolean }): readonly string[] {
  const { score } = shown;
  return [
    ...headLines(shown, paint),
    ...(how.brief ? [] : ["", ...table(score), "", ...kindLines(score)]),
    ...itemLines(score.items, paint),
    ...oddLines(score, paint),
    ...(how.all
      ? score.defects.map(
          ({ outcome, mutant }) =>
            `  ${outcome.padEnd(12)} ${asText(mutant.target?.name ?? "")}: ${asText(mutant.what)}`,
        )
      : []),
  ];
}

function headLines({ origin, score, least }: Shown, paint: Paint): readonly string[] {
  const { caught, missed, equivalent, undecided } = tallyOf(score.defects);
  const share = score.score === null ? "nothing to catch" : `${(100 * score.score).toFixed(1)} %`;
  const isEnough = (score.score ?? 1) >= least;
  const tried = score.controls.filter(({ outcome }) => outcome !== "void").length;
  const rest = [
    ...(equivalent > 0 ? [`${equivalent} equivalent`] : []),
    ...(undecided > 0 ? [`${undecided} undecided`] : []),
  ];
  return [
    paint.strong(`${asText(score.scenario)}: ${plural(score.runs.length, "run")}, ${origin}`),
    `  ${isEnough ? paint.good("✓") : paint.bad("✗")} planted defects caught  ${share} (${caught} of ${caught + missed}${rest.map((part) => `; ${part}`).join("")})`,
    `  ${score.falseAlarms === 0 ? paint.good("✓") : paint.bad("✗")} false alarms            ${score.falseAlarms} (${tried} controls)`,
  ];
}

/** A row for each marker and rule; `3/3` is caught of planted, `=2` are equivalent, `?1` undecided. */
function table({ items }: MutationScore): readonly string[] {
  const kinds = DEFECTS.filter((kind) => items.some((item) => item.kinds.some((one) => one.kind === kind)));
  const rows = items.map((item) => [asText(item.target.name), ...kinds.map((kind) => cell(item, kind))]);
  const head = ["marker or rule", ...kinds];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]): string =>
    `  ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd();
  return [line(head), ...rows.map(line)];
}

function cell({ kinds }: Item, kind: string): string {
  const own = kinds.find((one) => one.kind === kind);
  if (own === undefined) return "-";
  const planted = own.caught + own.missed;
  return [
    ...(planted > 0 ? [`${own.caught}/${planted}`] : []),
    ...(own.equivalent > 0 ? [`=${own.equivalent}`] : []),
    ...(own.undecided > 0 ? [`?${own.undecided}`] : []),
  ].join(" ");
}

function kindLines({ defects, controls }: MutationScore): readonly string[] {
  const shares = byKind(defects).map(({ kind, caught, missed }) => `${kind} ${caught}/${caught + missed}`);
  const quiet = controlsByKind(controls).map(
    ({ kind, quiet: kept, falseAlarms }) => `${kind} ${falseAlarms}/${kept + falseAlarms}`,
  );
  return [`  caught by kind: ${shares.join(", ")}`, `  false alarms by control: ${quiet.join(", ")}`];
}

const SIGNS = { cannot_fail: "✗", by_design: "○", not_exercised: "○", can_fail: "" } as const;
const WORDS = {
  cannot_fail: "cannot fail",
  by_design: "never fails the run",
  not_exercised: "was not tested",
  can_fail: "",
} as const;

function itemLines(items: readonly Item[], paint: Paint): readonly string[] {
  return items.flatMap(({ target, status, why }) => {
    if (status === "can_fail") return [];
    const sign = status === "cannot_fail" ? paint.bad(SIGNS[status]) : paint.unsure(SIGNS[status]);
    return [`  ${sign} ${target.kind} '${asText(target.name)}' ${WORDS[status]}: ${asText(why ?? "")}`];
  });
}

function oddLines({ defects, controls }: MutationScore, paint: Paint): readonly string[] {
  const odd = [...defects, ...controls].filter(({ outcome }) => outcome === "missed" || outcome === "false_alarm");
  return odd.map(({ outcome, mutant, run, reason }) => {
    const what = outcome === "missed" ? "missed" : "false alarm";
    return `  ${paint.bad("✗")} ${what}: ${asText(mutant.what)} in ${asText(run)}${reason === "" ? "" : `: ${asText(reason)}`}`;
  });
}
