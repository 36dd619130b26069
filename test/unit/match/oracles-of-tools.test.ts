import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject, JsonValue } from "../../../proxy/record/json.ts";
import { gradeEvents, gradeSessions } from "../../support/grade-events.ts";
import { checkMarkers, type OracleCase, readOracle, report, tally } from "../../support/oracle.ts";
import { allPass, checkEach, ruleOutcomes, violatingLines } from "../../support/oracle-rules.ts";
import { needsShared } from "../../support/project.ts";
import type { ScenarioJson } from "../../support/scenario-from-json.ts";

const shared = needsShared("oracles");

function checkCep({ pattern, waymark_rules, events, expected }: OracleCase): string {
  if (waymark_rules === undefined) return checkMarkers(pattern.waymark, events, expected);
  if (Array.isArray(expected)) return checkEach(waymark_rules, events, expected as readonly JsonObject[]);
  const own = violatingLines(ruleOutcomes(waymark_rules, events)).join();
  const wanted = (expected["as_rule_violations"] as readonly number[]).join();
  return own === wanted ? "" : `violations ${own}, expected ${wanted}`;
}

test("cep: Flink, Esper and Siddhi patterns as markers and rules", shared, (t) => {
  report(t, "cep", tally(readOracle("cep"), checkCep));
});

test("sigma: correlations and field tests", shared, (t) => {
  const result = tally(readOracle("sigma"), (one) => {
    const { pattern, waymark_rules, events, expected } = one;
    if (waymark_rules !== undefined) return checkEach(waymark_rules, events, [expected]);
    if (pattern.waymark !== undefined) return checkMarkers(pattern.waymark, events, expected);
    const { event, pattern: field } = one as unknown as { event: JsonObject; pattern: { waymark_where: JsonValue } };
    const found = gradeEvents({ markers: [{ where: field.waymark_where }] }, [event]).matchedInOrder;
    return found === expected["matches"] ? "" : `matches ${found}`;
  });
  report(t, "sigma", result);
});

interface TrajectoryCase extends OracleCase {
  readonly pattern: OracleCase["pattern"] & {
    readonly waymark_for_superset?: ScenarioJson;
    readonly formal?: JsonObject;
  };
  readonly turns?: readonly (readonly (readonly [string, JsonObject])[])[];
  readonly source_expected?: JsonObject;
  readonly waymark_for_allowlist_part_of_subset?: readonly JsonObject[];
  readonly expected_allowlist_holds?: boolean;
}

test("agent_trajectories: orders, sets and arguments of tool calls", shared, (t) => {
  report(
    t,
    "agent_trajectories",
    tally(readOracle("agent_trajectories"), (one) => checkTrajectory(one as TrajectoryCase)),
  );
});

function checkTrajectory(one: TrajectoryCase): string {
  const { pattern, events, expected, waymark_rules } = one;
  if (one.id.startsWith("relative-order/")) return checkRelativeOrder(one);
  if (waymark_rules !== undefined) {
    const pass = allPass(ruleOutcomes(waymark_rules, events));
    return pass === expected["pass"] ? "" : `pass ${pass}`;
  }
  if (pattern.waymark !== undefined) return checkMarkers(pattern.waymark, events, expected);
  if (pattern.waymark_for_superset !== undefined) return checkSuperset(one, pattern.waymark_for_superset);
  return checkStrict(one);
}

function checkSuperset(one: TrajectoryCase, scenario: ScenarioJson): string {
  const wrong = checkMarkers(scenario, one.events, one.expected);
  const rules = one.waymark_for_allowlist_part_of_subset;
  if (wrong !== "" || rules === undefined) return wrong;
  const holds = allPass(ruleOutcomes(rules, one.events));
  return holds === one.expected_allowlist_holds ? checkStrict(one) : `allow list ${holds}`;
}

/** `strict`: the same calls in the same order, no others; as markers that come immediately, and a count. */
function checkStrict(one: TrajectoryCase): string {
  const mode = one.pattern.formal?.["tool_args_match_mode"];
  const reference = one.pattern.formal?.["reference_turns"] as TrajectoryCase["turns"];
  const strict = one.source_expected?.["strict"];
  if (strict === undefined || reference === undefined) return "no reference";
  const calls = reference.flat();
  const markers = calls.map(([tool, args]) => ({
    where: { name: "tool", tool, ...argsTest(args, String(mode)) },
    immediately: true,
  }));
  const rules = [{ count: { name: "tool" }, exactly: calls.length }];
  const { verdict } = gradeEvents({ events: { time: "t" }, markers, rules }, one.events);
  return (verdict === "pass") === strict ? "" : `${verdict}, strict ${String(strict)}`;
}

function argsTest(args: JsonObject, mode: string): JsonObject {
  if (mode === "ignore") return {};
  if (mode === "subset") return { any: subsets(args).map((some) => ({ "args|equals": some })) };
  return mode === "superset" ? { args } : { "args|equals": args };
}

/** The call may leave out arguments of the reference, and may have no others. */
function subsets(args: JsonObject): JsonObject[] {
  return Object.entries(args).reduce<JsonObject[]>(
    (made, [key, value]) => made.flatMap((some) => [some, { ...some, [key]: value }]),
    [{}],
  );
}

function checkRelativeOrder({ events, expected }: TrajectoryCase): string {
  const [a, b] = [{ tool: "A" }, { tool: "B" }];
  const found = gradeEvents({ markers: [{ where: a }, { where: b }] }, events).matchedInOrder;
  const rule = ruleOutcomes([{ before: b, expect: a }], events)[0]?.verdict;
  const isRight = found === expected["steps_A_then_B_found"] && rule === expected["rule_before_B_expect_A"];
  return isRight ? "" : `found ${found}, rule ${String(rule)}`;
}

interface ExampleCase extends OracleCase {
  readonly scenario: ScenarioJson & { readonly events: JsonObject };
}

/** A scenario that gives a lateness is graded by event time, which is what the bank's traces of example 8 mean. */
function ordered({ scenario }: ExampleCase): ScenarioJson {
  const { events } = scenario;
  return events["lateness"] === undefined ? scenario : { ...scenario, events: { ...events, order: "time" } };
}

function paramsOf(one: OracleCase): JsonObject {
  return (one as unknown as { params: JsonObject | null }).params ?? {};
}

test("examples: the eight worked scenarios on all their traces", shared, (t) => {
  const result = tally(readOracle("examples"), (one) => {
    const outcomes = gradeSessions(ordered(one as ExampleCase), one.events, { kind: "complete" }, paramsOf(one));
    const sessions = one.expected as Record<string, JsonObject>;
    return Object.entries(sessions)
      .map(([name, wanted]) =>
        checkExample(
          outcomes.find(({ session = "*" }) => session === name),
          wanted,
        ),
      )
      .filter((text) => text !== "")
      .join("; ");
  });
  report(t, "examples", result);
});

function checkExample(outcome: ReturnType<typeof gradeEvents> | undefined, wanted: JsonObject): string {
  if (outcome === undefined) return "no such session";
  if (outcome.matchedInOrder !== wanted["found"]) return `found ${outcome.matchedInOrder}`;
  const end = outcome.matchIndices.at(-1);
  const ends = wanted["ends_at_line"];
  const last = Math.max(...outcome.matchIndices);
  if (outcome.matchedInOrder && typeof ends === "number" && end !== ends && last !== ends) return `ends at ${end}`;
  const rules = wanted["rules"] as Record<string, JsonObject>;
  for (const { name, verdict, running, violations } of outcome.rules) {
    const rule = rules[name] ?? {};
    if (verdict !== rule["complete"]) return `${name}: ${verdict}, expected ${String(rule["complete"])}`;
    if (running !== rule["four_valued"]) return `${name}: ${running}, expected ${String(rule["four_valued"])}`;
    const lines = (rule["violations"] as readonly unknown[]).filter((line) => typeof line === "number");
    const own = violations.map(({ at }) => at.record);
    if (lines.length > 0 && own.join() !== lines.join()) return `${name}: ${own.join()}, expected ${lines.join()}`;
  }
  return "";
}

interface StreamCase extends OracleCase {
  readonly records: readonly JsonObject[];
  readonly pattern: OracleCase["pattern"] & { readonly config: JsonObject };
}

/** The grading order shows in the lines of a repetition that takes every event. */
function checkStream(one: StreamCase): string {
  const { records, pattern, expected } = one;
  const { order, lateness, id, session } = pattern.config;
  const sessions = expected["sessions"] as Record<string, readonly number[]>;
  const markers = Math.max(1, ...Object.values(sessions).map((lines) => lines.length));
  const events = {
    time: "t",
    order: order === "arrival" ? "line" : "time",
    lateness: `${Number(lateness ?? 2000)}ms`,
    ...(id === undefined ? {} : { id }),
    ...(session === undefined ? {} : { session }),
  };
  const outcomes = gradeSessions(
    { events, markers: Array.from({ length: markers + 1 }, () => ({ where: {} })) },
    records,
  );
  const own = Object.fromEntries(
    outcomes
      .filter(({ stream }) => stream.events > 0)
      .map(({ session: name = "*", matchIndices }) => [name, matchIndices]),
  );
  assert.deepEqual(own, sessions, one.id);
  const [first] = outcomes;
  assert.equal(first?.stream.late, (expected["late"] as readonly number[]).length, `${one.id} late`);
  assert.equal(first?.stream.duplicates, (expected["duplicates"] as readonly number[]).length, `${one.id} duplicates`);
  const without = (expected["without_session"] as readonly number[]).length;
  assert.equal(first?.stream.withoutSession, without, `${one.id} without session`);
  return "";
}

test("stream_env: order by time, lateness, duplicates, sessions", shared, (t) => {
  report(
    t,
    "stream_env",
    tally(readOracle("stream_env"), (one) => checkStream(one as StreamCase)),
  );
});
