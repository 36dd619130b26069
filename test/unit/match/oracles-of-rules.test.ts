import test from "node:test";
import type { JsonObject, JsonValue } from "../../../proxy/record/json.ts";
import { gradeEvents } from "../../support/grade-events.ts";
import { translate } from "../../support/ltlf.ts";
import { type OracleCase, readOracle, report, tally } from "../../support/oracle.ts";
import { allPass, checkEach, ruleOutcomes, runningOf, violatingLines } from "../../support/oracle-rules.ts";
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

/** What the language leaves out on purpose: joins over three events, nested quantifiers, time bounds (section 8.4). */
const DEJAVU_LEFT_OUT = /unsafe-iterator|fifo|since-exists|timed-precedence\/gt|timed-absence|timed-no-quick-repeat\/1/;

/** The bank gives no rule for this one; the language has one: no r while some p is not cancelled. */
const SINCE_NONE = {
  never: { name: "r" },
  after: { name: "p" },
  capture: { y: "a1" },
  until: { name: "q", a1: "$y" },
};

test("dejavu: verdicts and violating events", shared, (t) => {
  const result = tally(readOracle("dejavu"), (one) => {
    const { id, waymark_rules, events, expected } = one;
    if (id.startsWith("dejavu/since-none/")) {
      const { source_expected } = one as unknown as { source_expected: { violating_events_1based: number[] } };
      const own = violatingLines(ruleOutcomes([SINCE_NONE], events)).map((line) => line + 1);
      return own.join() === source_expected.violating_events_1based.join() ? "" : own.join();
    }
    if (waymark_rules === undefined) return DEJAVU_LEFT_OUT.test(id) ? undefined : "no translation";
    return checkEach(waymark_rules, events, expected as unknown as readonly JsonObject[]);
  });
  report(t, "dejavu", result);
});

interface LtlfCase extends OracleCase {
  readonly formula: string;
  readonly trace: readonly (readonly string[])[];
  readonly position: number;
}

test("ltlf: every formula without a nested until", shared, (t) => {
  const result = tally(readOracle("ltlf"), (one) => {
    const { formula, trace, position, expected } = one as LtlfCase;
    const translation = translate(formula);
    if (translation === undefined) return / U .* U | R .* R /.test(formula) ? undefined : `no translation: ${formula}`;
    const events = trace.slice(position).map((atoms) => Object.fromEntries(atoms.map((atom) => [atom, true])));
    const outcome = gradeEvents(translation.scenario, events);
    const holds = outcome.matchedInOrder && allPass(outcome.rules);
    return (holds !== translation.negated) === (expected as unknown as boolean) ? "" : `${formula}: ${holds}`;
  });
  report(t, "ltlf", result);
});

interface MonpolyCase extends OracleCase {
  readonly time_points: readonly { readonly ts: number; readonly events: readonly (readonly [string, JsonValue])[] }[];
}

/**
 * `ONCE[0,b] p` and `EVENTUALLY[0,b] p` at each time point, as rules about the point itself: an extra event `point`
 * there, and "before point expect p" or "after point expect p" within b. The answer includes the events of the point.
 */
function checkMonpoly(one: OracleCase): string | undefined {
  const { pattern, time_points, expected } = one as MonpolyCase & { pattern: { formal_mfotl: string } };
  const formula = /^(ONCE|EVENTUALLY)\[0,(\d+)\] (\w+)\(x\)$/.exec(pattern.formal_mfotl);
  if (formula === null) return undefined;
  const [, operator = "", limit = "", name = ""] = formula;
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
  report(t, "monpoly", tally(readOracle("monpoly"), checkMonpoly));
});
