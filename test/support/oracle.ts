import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../proxy/record/json.ts";
import { gradeEvents } from "./grade-events.ts";
import { SHARED } from "./project.ts";
import type { ScenarioJson } from "./scenario-from-json.ts";

/** One case of an oracle file; which fields it has differs from file to file. */
export interface OracleCase {
  readonly id: string;
  readonly pattern: { readonly words: string; readonly waymark: ScenarioJson };
  readonly events: readonly JsonObject[];
  readonly expected: JsonObject;
  readonly waymark_rules?: readonly JsonObject[];
}

/** Why a case cannot be expressed: what LANGUAGE.md section 8.4 leaves out on purpose, and nothing else. */
export interface LeftOut {
  readonly leftOut: "join over three events" | "lower time bound" | "aggregate" | "nested quantifiers";
}

/** What one file of the bank came to. */
export interface Tally {
  agreeing: number;
  readonly disagreeing: string[];
  /** Each as `id: reason`. */
  readonly notExpressible: string[];
}

export function readOracle(file: string): OracleCase[] {
  const text = readFileSync(join(SHARED, "oracles", `${file}.json`), "utf8");
  return (JSON.parse(text, withUnit) as { cases: OracleCase[] }).cases;
}

/** Some cases give a limit as a bare number of milliseconds, which a scenario file may not. */
function withUnit(key: string, value: unknown): unknown {
  return (key === "within" || key === "timespan") && typeof value === "number" ? `${value}ms` : value;
}

/** Runs every case; `check` answers what is wrong, "" when nothing is, or why the case cannot be expressed. */
export function tally(cases: readonly OracleCase[], check: (one: OracleCase) => string | LeftOut): Tally {
  const result: Tally = { agreeing: 0, disagreeing: [], notExpressible: [] };
  for (const one of cases) {
    const wrong = check(one);
    if (typeof wrong === "object") result.notExpressible.push(`${one.id}: ${wrong.leftOut}`);
    else if (wrong === "") result.agreeing += 1;
    else result.disagreeing.push(`${one.id}: ${wrong}`);
  }
  return result;
}

/** The line a run prints per file. */
export function summary(file: string, { agreeing, disagreeing, notExpressible }: Tally): string {
  const all = agreeing + disagreeing.length + notExpressible.length;
  return `${file}: ${all} cases, ${agreeing} agree, ${disagreeing.length} disagree, ${notExpressible.length} not expressible`;
}

/** Prints the line of a file and what of it cannot be expressed, and fails on any disagreement. */
export function report(t: { diagnostic(text: string): void }, file: string, result: Tally): void {
  t.diagnostic(summary(file, result));
  for (const id of result.notExpressible) t.diagnostic(`not expressible: ${id}`);
  assert.deepEqual(result.disagreeing, []);
}

const TIMES = { events: { name: "name", time: "t" } };

/** Compares a marker list with what the bank says of it: found, where it ends, which lines, how far. */
export function checkMarkers(scenario: ScenarioJson, events: readonly JsonObject[], expected: JsonObject): string {
  const outcome = gradeEvents({ ...TIMES, ...scenario }, events);
  const found = outcome.matchedInOrder;
  if (found !== expected["found"]) return `found ${found}, expected ${String(expected["found"])}`;
  const position =
    outcome.waitingFor === undefined ? undefined : outcome.markers.findIndex(isWaiting(outcome.waitingFor));
  const reached = position ?? scenario.markers?.length;
  const wanted = expected["reached_steps"];
  if (wanted !== undefined && reached !== wanted) return `reached ${reached}, expected ${String(wanted)}`;
  return found ? checkLines(scenario, outcome.matchIndices, expected) : "";
}

function isWaiting(name: string): (marker: { readonly name: string }) => boolean {
  return (marker) => marker.name === name;
}

function checkLines(scenario: ScenarioJson, lines: readonly number[], expected: JsonObject): string {
  const end = lines.length === 0 ? -1 : Math.max(...lines);
  if (end !== expected["earliest_end"]) return `ends at ${end}, expected ${String(expected["earliest_end"])}`;
  const all = expected["all_matches"] as readonly unknown[] | undefined;
  const flat = (all ?? []).map((match) => JSON.stringify(linesOf(match)));
  if (all !== undefined && !flat.includes(JSON.stringify(lines))) return `lines ${lines.join()} are no match`;
  const leftmost = expected["leftmost_of_earliest"];
  const isTimed = /"(within|timespan)"/.test(JSON.stringify(scenario));
  if (isTimed || leftmost === undefined) return "";
  return JSON.stringify(lines) === JSON.stringify(leftmost)
    ? ""
    : `lines ${lines.join()}, expected ${String(leftmost)}`;
}

/** All lines of a match of the bank, in the order of the markers. */
function linesOf(match: unknown): number[] {
  if (match === null) return [];
  if (typeof match === "number") return [match];
  if (Array.isArray(match)) return match.flatMap(linesOf);
  return linesOf((match as { match: unknown }).match);
}

/** Compares one rule with what the bank says of it; `checks` are the fields of `expected` to look at. */
export function checkRule(rule: JsonObject, events: readonly JsonObject[], expected: JsonObject): string {
  const scenario = { ...TIMES, rules: [rule] };
  const [outcome] = gradeEvents(scenario, events).rules;
  if (outcome === undefined) return "no outcome";
  const complete = expected["complete"];
  if (complete !== undefined && outcome.verdict !== complete) return `${outcome.verdict}, expected ${String(complete)}`;
  const running = expected["four_valued"];
  if (running !== undefined && outcome.running !== running) return `${outcome.running}, expected ${String(running)}`;
  return checkViolations(outcome, expected["violations"] as readonly unknown[] | undefined);
}

function checkViolations(
  { violations, violationCount }: { violations: readonly { at: { record: number } }[]; violationCount: number },
  expected: readonly unknown[] | undefined,
): string {
  if (expected === undefined) return "";
  if (violationCount !== expected.length) return `${violationCount} violations, expected ${JSON.stringify(expected)}`;
  const lines = expected.filter((line) => typeof line === "number").sort();
  if (lines.length < expected.length) return "";
  const own = violations.map(({ at }) => at.record).sort();
  return JSON.stringify(own) === JSON.stringify(lines) ? "" : `violations ${own.join()}, expected ${lines.join()}`;
}
