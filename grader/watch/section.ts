import type { ScenarioStanding, SeriesStanding } from "../live-series.ts";
import type { ClauseResult, MarkerOutcome } from "../match/outcome.ts";
import type { RuleOutcome, TraceOutcome } from "../match/trace.ts";
import { asText, plural, showDuration, showValue } from "../report/text.ts";
import type { MarkerNode } from "../scenario/ast.ts";
import { type Line, line, type Span, styled } from "./line.ts";
import { type SessionTimes, timesOf } from "./times.ts";
import { padTo, widthOf } from "./width.ts";

/** One scenario in one session, as lines; what is needed least can be left out on a small screen. */
export interface Section {
  readonly header: Line;
  readonly rows: readonly SectionRow[];
}

export interface SectionRow {
  readonly kind: "found" | "waiting" | "open" | "rule" | "detail";
  readonly line: Line;
}

export interface SectionOptions {
  readonly nowMs: number;
  /** Show places and every field test. */
  readonly explain: boolean;
  /** Name the log, because there are several. */
  readonly namesLog: boolean;
}

/** The lines of one session: a header, a light for each marker, and the rules. */
export function sectionOf(
  outcome: TraceOutcome,
  { standing, series }: { readonly standing: ScenarioStanding; readonly series: SeriesStanding },
  options: SectionOptions,
): Section {
  const times = timesOf(outcome, series, options.nowMs);
  const isOver = series.hasEnded || standing.isDecided;
  const nodes = new Map(standing.scenario.markers.map((node) => [node.name, node]));
  const width = Math.min(48, Math.max(0, ...outcome.markers.map(({ name }) => widthOf(asText(name)))));
  const waiting = outcome.markers.findIndex(({ name }) => name === outcome.waitingFor);
  const numbers = String(outcome.markers.length).length;
  const markers = outcome.markers.flatMap((marker, at): SectionRow[] => {
    const isWaiting = at === waiting;
    const place = { number: String(at + 1).padStart(numbers), width, isWaiting, isOver };
    const head = markerLine(
      marker,
      { ...place, node: nodes.get(marker.name), isFirst: at === 0 },
      times,
      options.explain,
    );
    const kind = marker.status === "found" ? "found" : isWaiting ? "waiting" : "open";
    const details = isWaiting ? nearestLines(marker, times, options.explain) : [];
    return [{ kind, line: head }, ...details.map((one) => ({ kind: "detail" as const, line: one }))];
  });
  const rules = outcome.rules.map((rule) => ({ kind: "rule" as const, line: ruleLine(rule, verbOf(standing, rule)) }));
  return { header: headerOf(outcome, { standing, series }, times, options), rows: [...markers, ...rules] };
}

function headerOf(
  outcome: TraceOutcome,
  { standing, series }: { readonly standing: ScenarioStanding; readonly series: SeriesStanding },
  { elapsedMs }: SessionTimes,
  { namesLog }: SectionOptions,
): Line {
  const lit = outcome.found.length;
  const parts = [
    plural(outcome.stream.events, "event"),
    ...(outcome.markers.length === 0 ? [] : [`${lit}/${plural(lit + outcome.notFound.length, "marker")}`]),
    ...(elapsedMs === undefined ? [] : [showDuration(standing.isDecided ? outcome.durationMs : elapsedMs)]),
    ...(outcome.session === undefined ? [] : [`session ${asText(outcome.session)}`]),
    ...(namesLog ? [asText(series.log)] : []),
  ];
  return line(
    styled("strong", asText(standing.scenario.id)),
    "   ",
    stateOf(outcome, standing, series),
    "   ",
    parts.join("   "),
  );
}

function stateOf({ verdict }: TraceOutcome, { isDecided }: ScenarioStanding, { hasEnded }: SeriesStanding): Span {
  if (verdict === "fail") return styled("bad", "✗ fail");
  if (verdict === "pass" && isDecided) return styled("good", "✓ pass");
  return hasEnded ? styled("unsure", "■ over") : styled("good", "● live");
}

interface MarkerPlace {
  readonly number: string;
  readonly width: number;
  readonly isFirst: boolean;
  readonly isWaiting: boolean;
  readonly isOver: boolean;
  readonly node: MarkerNode | undefined;
}

function markerLine(marker: MarkerOutcome, place: MarkerPlace, times: SessionTimes, explain: boolean): Line {
  const name = padTo(asText(marker.name), place.width);
  const [sign, detail] = lightOf(marker, place, times);
  const first = marker.evidence[0];
  const where = explain && first !== undefined ? `  ${asText(first.file)}:${first.line}` : "";
  return line(` ${place.number} `, sign, ` ${name}`, detail === "" ? "" : `  ${detail}`, styled("dim", where));
}

function lightOf(marker: MarkerOutcome, place: MarkerPlace, times: SessionTimes): readonly [Span, string] {
  const { status, progress, optional } = marker;
  if (status === "found") return [styled("good", "●"), foundAfter(marker, place, times)];
  if (status === "skipped" && !place.isWaiting) return [styled("dim", "–"), "optional, not seen"];
  if (place.isWaiting && place.isOver)
    return [styled("bad", "✗"), ["not reached", progress].filter(Boolean).join(", ")];
  if (!place.isWaiting) return [styled("dim", "○"), optional ? "optional" : ""];
  const limit = place.node?.withinMs;
  const waited = times.waitedMs === undefined ? "" : ` ${showDuration(times.waitedMs)}`;
  const of = limit === undefined ? "" : ` of ${showDuration(limit)}`;
  const text = [`waiting${waited}${of}`, progress].filter(Boolean).join(", ");
  return [styled("unsure", "◐"), text];
}

function foundAfter(marker: MarkerOutcome, { isFirst }: MarkerPlace, times: SessionTimes): string {
  const { afterMs } = marker;
  if (!isFirst) return afterMs === undefined ? "" : `+${showDuration(afterMs)}`;
  const start = times.sinceStart(marker);
  return start === undefined ? "" : ` ${showDuration(start)}`;
}

function nearestLines({ nearest, source }: MarkerOutcome, times: SessionTimes, explain: boolean): readonly Line[] {
  const asked = line("      ", styled("dim", "marker  "), `${asText(source.file)}:${source.line}:${source.column}`);
  if (nearest === undefined) return explain ? [line("      no event came near"), asked] : [];
  const ago = times.ago(nearest.at);
  const when = ago === undefined ? "" : ` ${showDuration(ago)} ago`;
  const inFew = [...nearest.failed, ...nearest.passed]; // what a narrow screen cuts off is what was right
  if (!explain) return [line("      ", styled("dim", `nearest${when}: `), inFew.map(clauseInShort).join(", "))];
  const clauses = [...nearest.passed, ...nearest.failed];
  return [
    line(
      "      ",
      styled("dim", "nearest "),
      `${asText(nearest.file)}:${nearest.line}${when === "" ? "" : `,${when}`}`,
    ),
    ...clauses.map(clauseLine),
    asked,
  ];
}

/** One field test of a near miss in a few words, safe for a terminal. */
export function clauseInShort(clause: ClauseResult): string {
  const got = `${asText(clause.path)} = ${showValue(clause.got, 40)}`;
  return clause.ok ? got : `${got} (wanted ${wanted(clause)})`;
}

function clauseLine(clause: ClauseResult): Line {
  const got = `         ${asText(clause.path)} = ${showValue(clause.got)}  `;
  if (clause.ok) return line(got, styled("good", "✓"));
  const hint = clause.hint === undefined ? "" : ` (${asText(clause.hint)})`;
  return line(got, styled("bad", "✗"), ` wanted ${wanted(clause)}${hint}`);
}

function wanted({ want }: ClauseResult): string {
  return typeof want === "string" ? asText(want) : showValue(want, 40);
}

/** The verb of a rule, such as `never`. */
export function verbOf({ scenario }: ScenarioStanding, { name }: RuleOutcome): string {
  return scenario.rules.find((rule) => rule.name === name)?.verb ?? "rule";
}

function ruleLine(rule: RuleOutcome, verb: string): Line {
  const { state, words } = ruleWords(rule, verb);
  return line(" ", RULE_SIGNS[state], ` ${asText(verb)}: ${asText(rule.name)}   ${words}`);
}

const RULE_SIGNS = {
  kept: styled("dim", "–"),
  broken: styled("bad", "✗"),
  open: styled("unsure", "◐"),
} as const;

/** How a rule stands, in words that are safe for a terminal. */
export function ruleWords(
  { running, violations, violationCount }: RuleOutcome,
  verb: string,
): { readonly state: keyof typeof RULE_SIGNS; readonly words: string } {
  switch (running) {
    case "fail": {
      const times = violationCount > 1 ? ` (${violationCount} times)` : "";
      return { state: "broken", words: `${asText(violations[0]?.reason ?? "broken")}${times}` };
    }
    case "pass":
      return { state: "kept", words: "kept" };
    case "pass_so_far":
      return { state: "kept", words: verb === "never" ? "none seen" : "kept so far" };
    case "fail_so_far":
      return { state: "open", words: "not yet" };
  }
}
