import { type Account, type Outcome, troubles } from "./account.ts";
import { agentText, code } from "./agent-text.ts";
import { asText, plural, showDuration } from "./text.ts";

const SIGNS = { pass: "✅", fail: "❌", inconclusive: "❔", error: "⚠️", interrupted: "➖", undecided: "❔" } as const;
const MOST_DETAILS = 50;
const MOST_ROWS = 200;

/**
 * An account as markdown for a pull request or a job's summary: the verdict first, a row per run, details folded. Names
 * stand in code spans that they cannot leave, so that nothing of them becomes a link, a mention or markup.
 */
export function markdownOf(account: Account, { details = true }: { details?: boolean } = {}): string {
  const { verdict, gate, words, passed, outcomes } = account;
  const bad = troubles(account);
  return `${[
    `## ${SIGNS[verdict]} waymark: ${verdict}, ${passed} of ${plural(outcomes.length, "run")} passed`,
    "",
    ...(gate === undefined ? [] : [`**${plain(gate.words)}**`, ""]),
    ...words.slice(0, 40).map((sentence) => `- ${plain(sentence)}`),
    ...(words.length === 0 ? [] : [""]),
    ...tableOf(outcomes),
    ...(details ? bad.slice(0, MOST_DETAILS).flatMap(detailOf) : []),
    ...(details && bad.length > MOST_DETAILS ? ["", `${bad.length - MOST_DETAILS} more are not shown.`] : []),
  ].join("\n")}\n`;
}

function tableOf(outcomes: readonly Outcome[]): readonly string[] {
  if (outcomes.length === 0) return ["Nothing was graded."];
  // Those that did not pass stand first, so that they are seen when the table is cut.
  const rows = [...outcomes].sort((a, b) => Number(a.verdict === "pass") - Number(b.verdict === "pass"));
  const more = rows.length - MOST_ROWS;
  return [
    "| | scenario | run | reached | time | agent said |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows.slice(0, MOST_ROWS).map(rowOf),
    ...(more > 0 ? ["", `${plural(more, "more run")}.`] : []),
  ];
}

function rowOf({ verdict, scenario, label, result, missing, duration_ms: ms, claim, agrees }: Outcome): string {
  const total = result === undefined ? 0 : result.found.length + result.not_found.length;
  const reached = total === 0 ? "–" : `${result?.found.length} of ${total}`;
  const cells = [
    `${SIGNS[verdict]} ${verdict}`,
    cell(scenario),
    cell(label),
    missing === undefined ? reached : `${reached}, no ${cell(missing)}`,
    ms === undefined ? "–" : showDuration(ms),
    claim === undefined ? "–" : `${cell(claim)}${agrees === false ? " ▲ disagrees" : ""}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

function detailOf({ scenario, label, verdict, result, reason }: Outcome): readonly string[] {
  const lines = result === undefined ? [plain(reason)] : agentText(result).slice(2);
  return [
    "",
    `<details><summary>${html(`${verdict}: ${scenario}, ${label}`)}</summary>`,
    "",
    ...lines,
    "",
    "</details>",
  ];
}

/** In a table a `|` ends the cell, also within a code span. */
function cell(text: string): string {
  return code(text).replaceAll("|", "\\|");
}

/** Text in which no character is markup, a mention or a link. */
function plain(text: string): string {
  return asText(text)
    .replace(/[\\`*_{}[\]<>#|~]/g, (character) => `\\${character}`)
    .replaceAll("@", "@\u200b")
    .replaceAll("://", ":\u200b//");
}

function html(text: string): string {
  return asText(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
