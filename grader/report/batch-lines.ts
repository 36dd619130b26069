import type { AgreementSummary, BatchDocument, GroupSummary, RunRow } from "../trials/batch.ts";
import { type Paint, signOf } from "./paint.ts";
import { asText, showDuration } from "./text.ts";

/** A batch for people: a table of runs for each scenario, what they show, the gate, and what went wrong. */
export function batchLines(document: BatchDocument, paint: Paint, detail: 0 | 1 | 2): readonly string[] {
  const { groups, gate, overall = [], agreement, comparisons = [] } = document;
  const scenarios = [...new Set(groups.map(({ scenario }) => scenario))];
  const many = groups.length > 1;
  return [
    ...scenarios.flatMap((scenario) => [
      ...(detail === 0 ? [] : [...heading(scenario, scenarios, paint), ...tableOf(document, scenario, paint), ""]),
      ...groups
        .filter((group) => group.scenario === scenario)
        .flatMap((group) => groupLines(group, { many, paint, detail })),
    ]),
    ...errorLines(document, paint),
    ...openLines(document, paint),
    ...(many ? [gateLine(gate, paint)] : []),
    ...overall.map(({ words }) => asText(words)),
    ...(detail === 0 ? [] : comparisons.flatMap(wordsIn).map(asText)),
    ...(detail === 0 ? [] : agreementLines(agreement)),
    ...(document.interrupted ? [paint.unsure("stopped before all runs were made")] : []),
  ];
}

function heading(scenario: string, scenarios: readonly string[], paint: Paint): readonly string[] {
  return scenarios.length > 1 ? [paint.strong(asText(scenario))] : [];
}

interface GroupStyle {
  readonly many: boolean;
  readonly paint: Paint;
  readonly detail: 0 | 1 | 2;
}

/** Rate first, then the gate, then where it stalls and what so many runs cannot show. */
function groupLines(group: GroupSummary, { many, paint, detail }: GroupStyle): readonly string[] {
  const [rate = "", ...others] = group.words.map(asText);
  const name = nameOf(group);
  const first = many ? `${paint.strong(name)}: ${rate}` : rate;
  const rest = detail === 0 ? [] : others;
  const lines = [gateLine(group.gate, paint), ...rest, ...measureLines(group, detail)];
  return [first, ...(many ? lines.map((line) => `  ${line}`) : lines)];
}

/**
 * Measures of effort, each beside what is lost when it is pressed, where both were counted (a count of nothing forbidden
 * is no news); with more detail all of them, and all others.
 */
function measureLines({ measures = [], counterparts = [] }: GroupSummary, detail: 0 | 1 | 2): readonly string[] {
  const isTold = new Set(counterparts.flatMap(({ effort, counterpart }) => [effort, counterpart]));
  const hasNews = (name: string | undefined): boolean =>
    measures.some((one) => one.name === name && one.share_above_zero !== 0);
  const together = counterparts.filter(({ counterpart }) => detail === 2 || (detail === 1 && hasNews(counterpart)));
  const others = detail === 2 ? measures.filter(({ name }) => !isTold.has(name)) : [];
  return [...together.map(({ words }) => words), ...others.map(({ said }) => said)].map(asText);
}

function nameOf({ scenario, variant, task }: GroupSummary): string {
  return [variant, task].some((part) => part !== undefined)
    ? [variant, task].flatMap((part) => (part === undefined ? [] : [asText(part)])).join(", ")
    : asText(scenario);
}

function gateLine({ met, words }: BatchDocument["gate"], paint: Paint): string {
  const text = asText(words);
  return met === null ? paint.unsure(text) : met ? paint.good(text) : paint.bad(text);
}

type Column = readonly [title: string, cell: (row: RunRow) => string];

function tableOf({ runs }: BatchDocument, scenario: string, paint: Paint): readonly string[] {
  const rows = runs.filter((row) => row.scenario === scenario);
  const columns = columnsOf(rows);
  const cells = rows.map((row) => columns.map(([, cell]) => asText(cell(row))));
  const widths = columns.map(([title], at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (texts: readonly string[]): string => texts.map((text, at) => text.padEnd(widths[at] ?? 0)).join("  ");
  return [
    ` ${paint.dim(line(columns.map(([title]) => title)).trimEnd())}`,
    ...rows.map((row, at) => {
      const text = ` ${line(cells[at] ?? [])}`.trimEnd();
      return `${colourGrade(text, row, paint)}${row.agrees === false ? paint.bad(" ▲") : ""}`;
    }),
  ];
}

/** Columns that would be empty are left out. */
function columnsOf(rows: readonly RunRow[]): readonly Column[] {
  const some = (field: keyof RunRow): boolean => rows.some((row) => row[field] !== undefined);
  const optional = (isThere: boolean, column: Column): readonly Column[] => (isThere ? [column] : []);
  return [
    ["run", ({ index, retries }) => `${index}${retries > 0 ? ` try ${retries + 1}` : ""}`],
    ...optional(some("variant"), ["variant", ({ variant = "" }) => variant]),
    ...optional(some("task"), ["task", ({ task = "" }) => task]),
    ["grade", ({ verdict }) => `${SIGNS[verdict]} ${verdict}`],
    ["reached", reached],
    ["time", ({ duration_ms }) => (duration_ms === undefined ? "–" : showDuration(duration_ms))],
    ...optional(some("cost_usd"), ["cost", showCost]),
    ...optional(some("note"), ["ended", ({ note = "" }) => note]),
    ...optional(some("claim"), ["agent said", ({ claim = "–" }) => claim]),
  ];
}

const SIGNS = { pass: "✓", fail: "✗", inconclusive: "?", error: "!", interrupted: "–" } as const;

function reached({ found, total, waiting_for }: RunRow): string {
  if (total === 0) return "–";
  return `${found}/${total}${waiting_for === undefined ? "" : ` ${waiting_for}`}`;
}

/** `$0.041`, `≥ $0.041` for a lower bound; cheap runs keep digits that tell them apart. */
function showCost({ cost_usd: usd, cost_at_least: isLowerBound = false }: RunRow): string {
  if (usd === undefined) return "–";
  const digits = usd >= 0.01 || usd === 0 ? usd.toFixed(3) : Number(usd.toPrecision(2)).toString();
  return `${isLowerBound ? "≥ " : ""}$${digits}`;
}

function colourGrade(line: string, { verdict }: RunRow, paint: Paint): string {
  if (verdict === "interrupted") return line;
  const grade = `${SIGNS[verdict]} ${verdict}`;
  return line.replace(grade, `${signOf(verdict, paint)} ${verdict}`);
}

/** What went wrong with runs that have no grade, each reason once. */
function errorLines({ trials, runs }: BatchDocument, paint: Paint): readonly string[] {
  const reasons = new Map<
    string,
    { readonly lines: readonly string[]; readonly code: string; readonly runs: number[] }
  >();
  for (const { error, index, id } of trials) {
    if (error === undefined || !runs.some(({ trial }) => trial === id)) continue;
    const lines = error.message.split("\n").map(asText);
    const key = `${error.code} ${lines[0] ?? ""}`;
    const known = reasons.get(key);
    if (known === undefined) reasons.set(key, { lines, code: error.code, runs: [index] });
    else known.runs.push(index);
  }
  return [...reasons.values()].flatMap(({ lines: [what = "", ...more], code, runs: where }) => [
    `${paint.bad("error")} ${code}: ${what} in ${runsNamed(where)}`,
    ...more.map((line) => `  ${line}`),
    `  docs:   waymark help ${code}`,
  ]);
}

/** Why runs are inconclusive that did not fail themselves, each reason once. */
function openLines({ runs, results, trials }: BatchDocument, paint: Paint): readonly string[] {
  const told = new Set(trials.flatMap(({ id, error }) => (error === undefined ? [] : [id])));
  const reasons = new Map<string, number[]>();
  for (const { verdict, run, trial, index } of runs) {
    const reason = results.find((result) => result.run === run)?.reason;
    if (verdict !== "inconclusive" || reason === undefined || told.has(trial)) continue;
    reasons.set(reason, [...(reasons.get(reason) ?? []), index]);
  }
  return [...reasons].map(
    ([reason, where]) => `${paint.unsure("inconclusive")}: ${asText(reason)} in ${runsNamed(where)}`,
  );
}

function runsNamed(indices: readonly number[]): string {
  const all = [...new Set(indices)];
  return all.length === 1 ? `run ${all[0]}` : `runs ${all.join(", ")}`;
}

function agreementLines(agreement: AgreementSummary | undefined): readonly string[] {
  return agreement === undefined ? [] : [asText(agreement.words)];
}

/** A comparison tells its sentences wherever it keeps them. */
function wordsIn(comparison: unknown): readonly string[] {
  if (typeof comparison !== "object" || comparison === null) return [];
  if (Array.isArray(comparison)) return comparison.flatMap(wordsIn);
  const own = "words" in comparison && Array.isArray(comparison.words) ? comparison.words : [];
  const nested = "comparisons" in comparison ? wordsIn(comparison.comparisons) : [];
  return [...own.filter((word) => typeof word === "string"), ...nested];
}
