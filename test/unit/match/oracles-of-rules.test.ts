import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject, JsonValue } from "../../../proxy/record/json.ts";
import { gradeEvents } from "../../support/grade-events.ts";
import { translate } from "../../support/ltlf.ts";
import { type LeftOut, type OracleCase, readOracle, report, type Tally, tally } from "../../support/oracle.ts";
import { allPass, checkEach, ruleOutcomes, runningOf, violatingLines } from "../../support/oracle-rules.ts";
import { pastProperty, violatingEvents } from "../../support/past-property.ts";
import { needsShared } from "../../support/project.ts";

const shared = needsShared("oracles");

const RUNNING: Record<string, string> = {
  true: "pass",
  false: "fail",
  true_so_far: "pass_so_far",
  false_so_far: "fail_so_far",
};

function checkDeclare({ waymark_rules = [], events, expected }: OracleCase): string {
  const outcomes = ruleOutcomes(waymark_rules, events);
  if (allPass(outcomes) !== expected["satisfied"]) return `pass ${allPass(outcomes)}`;
  const running = RUNNING[String(expected["four_valued_if_cut_here"])];
  if (running !== undefined && runningOf(outcomes) !== running) return `${runningOf(outcomes)}, expected ${running}`;
  const lines = expected["violations_at"] as readonly number[] | undefined;
  const own = violatingLines(outcomes).join();
  return lines === undefined || own === lines.join() ? "" : `violations ${own}, expected ${lines.join()}`;
}

test("declare: all 26 templates, timed and data-aware cases", shared, (t) => {
  report(t, "declare", tally(readOracle("declare"), checkDeclare));
});

test("dwyer: every pattern and scope", shared, (t) => {
  const result = tally(readOracle("dwyer"), ({ waymark_rules = [], events, expected }) => {
    const verdict = allPass(ruleOutcomes(waymark_rules, events)) ? "pass" : "fail";
    return verdict === expected["complete"] ? "" : `${verdict}, expected ${String(expected["complete"])}`;
  });
  report(t, "dwyer", result);
});

interface DejavuCase extends OracleCase {
  readonly pattern: OracleCase["pattern"] & { readonly formal_past_fo_ltl: string };
  readonly source_expected: { readonly violating_events_1based: readonly number[] };
}

const LOWER_BOUND = /\[>/;

function isAskedByEvent({ id, pattern }: DejavuCase): boolean {
  return pastProperty(id)?.point !== undefined && !LOWER_BOUND.test(pattern.formal_past_fo_ltl);
}

function checkDejavu(one: DejavuCase): string | LeftOut {
  const { id, pattern, events, expected, waymark_rules, source_expected } = one;
  if (LOWER_BOUND.test(pattern.formal_past_fo_ltl)) return { leftOut: "lower time bound" };
  const wrong = checkEach(waymark_rules ?? [], events, expected as unknown as readonly JsonObject[]);
  const property = pastProperty(id);
  if (property === undefined) return waymark_rules === undefined ? "no translation" : wrong;
  const own = violatingEvents(property, events).map((event) => event + 1);
  const wanted = source_expected.violating_events_1based.join();
  return own.join() === wanted ? wrong : `violations ${own.join()}, expected ${wanted}`;
}

/**
 * Verdicts and violating events of the bank's rules. Where the bank gives no rule (or only a near one), the violating
 * events are compared with what `past-property.ts` says in words of the language. Only lower time bounds are left out.
 */
test("dejavu: verdicts and violating events", shared, (t) => {
  const cases = readOracle("dejavu") as DejavuCase[];
  const result = tally(cases, (one) => checkDejavu(one as DejavuCase));
  for (const { id } of cases.filter(isAskedByEvent)) t.diagnostic(`asked event by event: ${id}`);
  report(t, "dejavu", result);
  assertLeftOut(result, {
    "dejavu/timed-precedence/gt": "lower time bound",
    "dejavu/timed-absence/gt": "lower time bound",
  });
});

/** The cases named are left out, each for its reason, and of the others those with a lower time bound at most. */
function assertLeftOut({ notExpressible }: Tally, named: Record<string, LeftOut["leftOut"]>): void {
  const lines = Object.entries(named).map(([id, reason]) => `${id}: ${reason}`);
  assert.deepEqual(
    notExpressible.filter((line) => lines.includes(line)),
    lines,
  );
  const others = notExpressible.filter((line) => !lines.includes(line));
  assert.deepEqual(
    others.filter((line) => !line.endsWith(": lower time bound")),
    [],
  );
}

interface LtlfCase extends OracleCase {
  readonly formula: string;
  readonly trace: readonly (readonly string[])[];
  readonly position: number;
}

test("ltlf: every formula at every position", shared, (t) => {
  const result = tally(readOracle("ltlf"), (one) => {
    const { formula, trace, position, expected } = one as LtlfCase;
    const translation = translate(formula);
    if (translation === undefined) return `no translation: ${formula}`;
    const events = trace.slice(position).map((atoms) => Object.fromEntries(atoms.map((atom) => [atom, true])));
    const outcome = gradeEvents(translation.scenario, events);
    const holds = outcome.matchedInOrder && allPass(outcome.rules);
    return (holds !== translation.negated) === (expected as unknown as boolean) ? "" : `${formula}: ${holds}`;
  });
  report(t, "ltlf", result);
});

test("ltlf: a nested until says what its definition says, on all traces up to three positions", () => {
  const formula = translate("A U (B U C)");
  const dual = translate("!A R (!B R !C)");
  const sets = ["", "A", "B", "C", "AB", "AC", "BC", "ABC"].map((set) => [...set]);
  const until = (a: (at: number) => boolean, b: (at: number) => boolean, end: number) => (at: number) =>
    [...Array(end).keys()].some((to) => to >= at && b(to) && [...Array(to).keys()].slice(at).every(a));
  const grow = (traces: string[][][]) => traces.flatMap((trace) => sets.map((set) => [...trace, set]));
  const [one, two] = [grow([[]]), grow(grow([[]]))];
  for (const trace of [...one, ...two, ...grow(two)]) {
    const has = (atom: string) => (at: number) => trace[at]?.includes(atom) === true;
    const truth = until(has("A"), until(has("B"), has("C"), trace.length), trace.length)(0);
    const events = trace.map((atoms) => Object.fromEntries(atoms.map((atom) => [atom, true])));
    const found = [formula, dual].map((one) => one && gradeEvents(one.scenario, events).matchedInOrder !== one.negated);
    assert.deepEqual(found, [truth, !truth], JSON.stringify(trace));
  }
});

interface MonpolyCase extends OracleCase {
  readonly time_points: readonly { readonly ts: number; readonly events: readonly (readonly [string, JsonValue])[] }[];
}

/**
 * `ONCE[0,b] p` and `EVENTUALLY[0,b] p` at each time point, as rules about the point itself: an extra event `point`
 * there, and "before point expect p" or "after point expect p" within b. The answer includes the events of the point. A
 * bound that is not included (`[0,b)`) is the whole number below it: time stamps are whole numbers.
 */
function checkMonpoly(one: OracleCase): string | LeftOut {
  const { pattern, time_points, expected } = one as MonpolyCase & { pattern: { formal_mfotl: string } };
  const formula = /^(ONCE|EVENTUALLY)\[(\d+),(\d+)([\])]) (\w+)\(x\)$/.exec(pattern.formal_mfotl);
  if (formula === null) return `no translation: ${pattern.formal_mfotl}`;
  const [, operator = "", lower = "", upper = "", bracket = "", name = ""] = formula;
  if (lower !== "0") return { leftOut: "lower time bound" };
  const limit = bracket === "]" ? Number(upper) : Number(upper) - 1;
  const wanted = expected["satisfying_values_per_time_point"] as readonly (readonly JsonValue[])[];
  const values = [...new Set(time_points.flatMap(({ events }) => events.map(([, value]) => value)))];
  const wrong = wanted.flatMap((satisfying, point) =>
    values.filter((value) => {
      const events = time_points.flatMap(({ ts, events: list }, index): JsonObject[] => {
        const facts = list.map(([fact, x]) => ({ t: ts, name: fact, x }));
        if (index !== point) return facts;
        return operator === "ONCE" ? [...facts, { t: ts, name: "point" }] : [{ t: ts, name: "point" }, ...facts];
      });
      const scope = operator === "ONCE" ? "before" : "after";
      const rule = { [scope]: { name: "point" }, expect: { name, x: value }, within: `${limit}ms` };
      return allPass(ruleOutcomes([rule], events)) !== satisfying.includes(value);
    }),
  );
  return wrong.length === 0 ? "" : `wrong for ${wrong.join()}`;
}

test("monpoly: intervals that start at zero; lower time bounds are left out", shared, (t) => {
  const result = tally(readOracle("monpoly"), checkMonpoly);
  report(t, "monpoly", result);
  assertLeftOut(result, {
    "monpoly/once-1-10": "lower time bound",
    "monpoly/once-exact-5": "lower time bound",
    "monpoly/once-halfopen": "lower time bound",
    "monpoly/once-5-5-since": "lower time bound",
  });
});
