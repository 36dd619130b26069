import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { meaningOf, ruleMeaning } from "../../grader/learn/mutate/meaning.ts";
import { scoreScenario } from "../../grader/learn/mutate/score.ts";
import { createSubject, type Subject } from "../../grader/learn/mutate/subject.ts";
import { synthesiseRuns } from "../../grader/learn/mutate/synthesise.ts";
import { isObject, type JsonObject } from "../../proxy/record/json.ts";
import { allMatches, type TimedEvent } from "../support/brute-force.ts";
import { violationsOf } from "../support/brute-force-rules.ts";
import { logs, markerLists } from "../support/random-markers.ts";
import { rules } from "../support/random-rules.ts";
import { type ScenarioJson, scenarioFrom } from "../support/scenario-from-json.ts";

const seed = Number(process.env["WAYMARK_SEED"] ?? Date.now() % 1_000_000);
const runs = Number(process.env["WAYMARK_RUNS"] ?? 1500);
/** Each of these grades some fifty logs. */
const scoredRuns = Math.ceil(runs / 200);
/** Longer logs take the brute force too long. */
const LONGEST = 18;

function subjectFor(json: ScenarioJson): Subject {
  return createSubject({ scenario: scenarioFrom({ events: { time: "t" }, ...json }) }, new Map());
}

/** By trying every assignment and every quantifier; a retry is no event. */
function holdsByForce({ scenario }: Subject, events: readonly JsonObject[]): boolean {
  const own = events.filter(({ $capture }) => !isObject($capture) || $capture["retry"] !== true).map(inMillis);
  const isFound = allMatches(scenario.markers, own, scenario.timespanMs).length > 0;
  return isFound && scenario.rules.every((rule) => violationsOf(rule, own).length === 0);
}

/** Made-up runs spell their times as ISO texts. */
function inMillis(event: JsonObject): TimedEvent {
  const { t } = event;
  return { ...event, t: typeof t === "string" ? Date.parse(t) : Number(t) };
}

for (const isTimed of [false, true]) {
  test(`what equivalence is decided by agrees with trying every assignment (${isTimed ? "timed" : "not timed"})`, (t) => {
    t.diagnostic(`seed ${seed}`);
    fc.assert(
      fc.property(markerLists(isTimed), logs(8), (scenario, events) => {
        fc.pre(events.length > 0);
        const subject = subjectFor(scenario);
        assert.equal(meaningOf(subject, events), holdsByForce(subject, events) ? "holds" : "violated");
      }),
      { seed, numRuns: runs },
    );
  });
}

test("the reading of rules agrees with their quantifiers", (t) => {
  t.diagnostic(`seed ${seed}`);
  fc.assert(
    fc.property(rules, logs(8), (rule, events) => {
      fc.pre(events.length > 0);
      const subject = subjectFor({ rules: [rule] });
      const [node] = subject.scenario.rules;
      assert.ok(node);
      const expected = violationsOf(node, events).length === 0 ? "holds" : "violated";
      assert.equal(ruleMeaning(subject, node.name, events), expected);
    }),
    { seed, numRuns: runs },
  );
});

test("whatever the scenario: what is caught is a violation, what is equivalent is none, and no control raises an alarm", async (t) => {
  t.diagnostic(`seed ${seed}`);
  let planted = 0;
  const scenarios = fc.tuple(markerLists(true), fc.array(rules, { maxLength: 2 }), logs(6));
  await fc.assert(
    fc.asyncProperty(scenarios, async ([list, some, log]) => {
      const subject = subjectFor({ ...list, rules: some });
      const params = new Map();
      const made = (await synthesiseRuns(subject)).slice(0, 1).map((run) => ({ ...run, params }));
      const score = await scoreScenario(subject, [{ name: "log", events: log, params }, ...made], seed);
      assert.equal(score.falseAlarms, 0, "false alarms");
      for (const { mutant, outcome } of [...score.defects, ...score.controls]) {
        if (mutant.events.length > LONGEST) continue;
        planted += 1;
        const isKept = holdsByForce(subject, mutant.events);
        if (outcome === "caught" || outcome === "void") assert.ok(!isKept, `${outcome}: ${mutant.what}`);
        if (outcome === "equivalent" || outcome === "quiet") assert.ok(isKept, `${outcome}: ${mutant.what}`);
        assert.notEqual(outcome, "missed", mutant.what);
      }
    }),
    { seed, numRuns: scoredRuns },
  );
  t.diagnostic(`${planted} mutations confirmed`);
});
