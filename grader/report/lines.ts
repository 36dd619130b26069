import type { MarkerResult, RuleResult, ScenarioResult } from "../verdict.ts";
import { type Paint, signOf } from "./paint.ts";
import { asText, plural, showDuration, showValue } from "./text.ts";

/** `✗ simple_collab_switch   fail   3/5 markers   9.9 s   1,842 events`. */
export function headline(result: ScenarioResult, paint: Paint): string {
  const required = result.found.length + result.not_found.length;
  const parts = [
    `${signOf(result.verdict, paint)} ${paint.strong(asText(result.scenario))}`,
    result.verdict,
    ...(required === 0 ? [] : [`${result.found.length}/${plural(required, "marker")}`]),
    ...(result.duration_ms > 0 ? [showDuration(result.duration_ms)] : []),
    plural(result.events, "event"),
    ...(result.session === undefined ? [] : [`session ${asText(result.session)}`]),
  ];
  return parts.join("   ");
}

/** One line per marker, with the nearest miss under the first one that is missing. */
export function markerLines(result: ScenarioResult, paint: Paint): string[] {
  const width = Math.max(0, ...result.markers.map(({ name }) => asText(name).length));
  let stalled = false;
  return result.markers.flatMap((marker, index) => {
    const missing = marker.status === "missing" || marker.status === "undecided";
    const first = missing && !stalled;
    stalled ||= missing;
    const head = `  ${index + 1} ${markerSign(marker, first, paint)} ${asText(marker.name).padEnd(width)}`;
    return [`${head}  ${markerDetail(marker, first)}`.trimEnd(), ...(first ? nearestLines(marker, paint) : [])];
  });
}

function markerSign(marker: MarkerResult, stalled: boolean, paint: Paint): string {
  if (marker.status === "found") return paint.good("✓");
  if (stalled) return marker.status === "undecided" ? paint.unsure("?") : paint.bad("✗");
  return paint.dim("–");
}

function markerDetail(marker: MarkerResult, stalled: boolean): string {
  switch (marker.status) {
    case "found":
      return `${marker.after_ms === undefined ? "" : `+${showDuration(marker.after_ms)}  `}${placeOf(marker)}`;
    case "skipped":
      return "optional, not seen";
    case "missing":
      return [stalled ? "not found" : "not reached", marker.progress ?? ""].filter((part) => part !== "").join(", ");
    case "undecided":
      return "not decided";
  }
}

function placeOf({ file, line }: { readonly file?: string; readonly line?: number }): string {
  return file === undefined || line === undefined ? "" : `${asText(file)}:${line}`;
}

function nearestLines(marker: MarkerResult, paint: Paint): string[] {
  const { source, nearest } = marker;
  const asked = `      ${paint.dim("marker ")}  ${asText(source.file)}:${source.line}:${source.column}`;
  if (nearest === undefined) return [asked];
  const clauses = [
    ...nearest.passed.map(({ path, got }) => `${asText(path)} = ${showValue(got)}  ${paint.good("✓")}`),
    ...nearest.failed.map(({ path, got, want, hint }) => {
      const cause = hint === undefined ? "" : ` (${asText(hint)})`;
      return `${asText(path)} = ${showValue(got)}  ${paint.bad("✗")} wanted ${showWant(want)}${cause}`;
    }),
  ];
  return [
    `      ${paint.dim("nearest")}  ${placeOf(nearest)}`,
    ...clauses.map((clause) => `               ${clause}`),
    asked,
  ];
}

/** A wish is shown as JSON when it is a value, as words when an operator explains itself. */
function showWant(want: MarkerResultWant): string {
  return typeof want === "string" ? asText(want) : showValue(want);
}
type MarkerResultWant = NonNullable<MarkerResult["nearest"]>["failed"][number]["want"];

/** One line per rule that is not simply kept, and per violation; all rules when `all` is set. */
export function ruleLines(result: ScenarioResult, paint: Paint, all: boolean): string[] {
  return result.rules
    .filter((rule) => all || rule.verdict !== "pass" || rule.exercised === 0)
    .flatMap((rule) => [
      `  ${signOf(rule.verdict, paint)} ${asText(rule.name)}  ${ruleDetail(rule)}`,
      ...rule.violations.map(({ file, line, reason }) => `      ${asText(file)}:${line}  ${asText(reason)}`),
    ]);
}

function ruleDetail(rule: RuleResult): string {
  const count = rule.violation_count > 0 ? `, ${plural(rule.violation_count, "violation")}` : "";
  const severity = rule.severity === "error" ? "" : ` (${rule.severity}, does not decide)`;
  return `${rule.verdict}${rule.exercised === 0 ? ", never exercised" : ""}${count}${severity}`;
}

/** What else a reader has to know before trusting the verdict: the range, bad lines, a cut capture, odd times. */
export function evidenceLines(result: ScenarioResult, paint: Paint): string[] {
  const { stream } = result;
  const bad = result.bad_lines.slice(0, 3).map(({ file, line, why }) => `${asText(file)}:${line} (${asText(why)})`);
  const notes = [
    `graded  ${asText(result.range)}`,
    result.lines_bad
      ? `${plural(result.lines_bad, "unreadable line")}: ${bad.join(", ")}${result.lines_bad > bad.length ? ", …" : ""}`
      : "",
    result.lines_unchecked === undefined ? "" : `${plural(result.lines_unchecked, "line")} taken for readable (--fast)`,
    stream.end === "cut" ? `the capture is cut: ${asText(stream.cut_because ?? "")}` : "",
    stream.undecoded > 0 ? `${plural(stream.undecoded, "body", "bodies")} could not be decoded` : "",
    stream.steps_back > 0 ? `${plural(stream.steps_back, "event")} stood out of time order` : "",
    stream.duplicates > 0 ? `${plural(stream.duplicates, "repeated delivery", "repeated deliveries")} left out` : "",
    stream.late > 0 ? `${plural(stream.late, "event")} came too late to be put in order` : "",
    stream.without_session > 0 ? `${plural(stream.without_session, "event")} without a session set aside` : "",
    stream.limits_hit.length > 0 ? `limits hit: ${asText(stream.limits_hit.join(", "))}` : "",
  ];
  return notes.filter((note) => note !== "").map((note) => `  ${paint.dim(note)}`);
}
