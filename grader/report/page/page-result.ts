import { type JsonValue, stringifyJson } from "../../../proxy/record/json.ts";
import type { MarkerResult, ScenarioResult } from "../../verdict.ts";
import { agentText } from "../agent-text.ts";
import type { PageClause, PageMark, PageMiss, PageResult, PageViolation } from "./data.ts";

export interface ResultContext {
  readonly scenarioAt: ReadonlyMap<string, number>;
  readonly markersOf: readonly (readonly string[])[];
  readonly zero: number;
  /** Names of the log's files; those that a result names beside them are added. */
  readonly files: string[];
  readonly times: ReadonlyMap<string, string>;
}

/** What tells scenarios apart: another version of the markers is another test. */
export function scenarioKey({ scenario, markers_sha256 }: Pick<ScenarioResult, "scenario" | "markers_sha256">): string {
  return `${markers_sha256} ${scenario}`;
}

/** One result as the page shows it, its markers as rows in the order of the scenario. */
export function pageResult(result: ScenarioResult, context: ResultContext): PageResult {
  const scenario = context.scenarioAt.get(scenarioKey(result)) ?? 0;
  const names = context.markersOf[scenario] ?? [];
  const byName = new Map(result.markers.map((marker) => [marker.name, marker]));
  return {
    scenario,
    ...(result.session === undefined ? {} : { session: result.session }),
    verdict: result.verdict,
    reason: result.verdict === "pass" ? "" : result.reason,
    found: result.found.length,
    total: result.found.length + result.not_found.length,
    events: result.events,
    range: result.range,
    ...(result.reached === undefined ? {} : { reached: result.reached }),
    ...(result.waiting_for === undefined || result.verdict === "pass" ? {} : { waiting_for: result.waiting_for }),
    marks: names.map((name) => markOf(byName.get(name), context)),
    misses: names.flatMap((name, at) => missOf(byName.get(name), at, context)),
    violations: result.rules.flatMap((rule) => violationsOf(rule, context)),
    warnings: warningsOf(result),
    ...(result.verdict === "pass" ? {} : { for_agent: agentText(result).join("\n") }),
  };
}

const STATUS = { found: "f", missing: "m", skipped: "s", undecided: "u" } as const;

function markOf(marker: MarkerResult | undefined, { zero, files }: ResultContext): PageMark {
  if (marker === undefined) return ["m", null, null, null, null, null];
  const at = Date.parse(marker.at ?? "") - zero;
  return [
    STATUS[marker.status],
    Number.isFinite(at) ? at : null,
    marker.after_ms ?? null,
    marker.file === undefined ? null : filePosition(marker.file, files),
    marker.line ?? null,
    marker.record ?? null,
  ];
}

function missOf(marker: MarkerResult | undefined, at: number, { files }: ResultContext): readonly PageMiss[] {
  const nearest = marker?.nearest;
  if (nearest === undefined) return [];
  const { file, line, failed, passed } = nearest;
  return [
    { marker: at, file: filePosition(file, files), line, failed: failed.map(clauseOf), passed: passed.map(clauseOf) },
  ];
}

type Clause = NonNullable<MarkerResult["nearest"]>["failed"][number];

function clauseOf({ path, want, got, hint }: Clause): PageClause {
  return {
    path,
    want: shown(want),
    ...(got === undefined ? {} : { got: shown(got) }),
    ...(hint === undefined ? {} : { hint }),
  };
}

const LONGEST_VALUE = 4000;

function shown(value: JsonValue): string {
  const text = stringifyJson(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}

function violationsOf(
  rule: ScenarioResult["rules"][number],
  { zero, files, times }: ResultContext,
): readonly PageViolation[] {
  return rule.violations.map(({ file, line, reason }) => {
    const position = filePosition(file, files);
    const at = Date.parse(times.get(`${position}:${line}`) ?? "") - zero;
    return {
      rule: rule.name,
      decides: rule.severity === "error",
      file: position,
      line,
      reason,
      ...(Number.isFinite(at) ? { at_ms: at } : {}),
    };
  });
}

/** Files are told apart by their last part, since a run's folder may have moved since it was graded. */
function filePosition(file: string, files: string[]): number {
  const name = fileName(file);
  const known = files.indexOf(name);
  return known === -1 ? files.push(name) - 1 : known;
}

/** The last part of a path, whichever system wrote it. */
export function fileName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

function warningsOf({ stream, lines_bad: bad, checks }: ScenarioResult): readonly string[] {
  return [
    stream.end === "cut" ? `the capture is cut: ${stream.cut_because ?? "nobody knows why"}` : "",
    bad ? `${bad} unreadable lines` : "",
    stream.undecoded > 0 ? `${stream.undecoded} bodies could not be decoded` : "",
    stream.late > 0 ? `${stream.late} events came too late to be put in order` : "",
    stream.steps_back > 0 ? `${stream.steps_back} events stood out of time order` : "",
    stream.limits_hit.length > 0 ? `limits hit: ${stream.limits_hit.join(", ")}` : "",
    ...checks.filter(({ verdict }) => verdict !== "pass").map(({ name, reason = "" }) => `check ${name}: ${reason}`),
  ].filter((text) => text !== "");
}
