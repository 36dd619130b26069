import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { violationsOf } from "../support/brute-force-rules.ts";
import { gradeEvents } from "../support/grade-events.ts";
import { logs } from "../support/random-markers.ts";
import { rules } from "../support/random-rules.ts";
import { scenarioFrom } from "../support/scenario-from-json.ts";

const seed = Number(process.env["WAYMARK_SEED"] ?? Date.now() % 1_000_000);
const runs = Number(process.env["WAYMARK_RUNS"] ?? 2500);
const events = { time: "t" };

test("every rule agrees with its quantifiers: verdict, number and lines of violations", (t) => {
  t.diagnostic(`seed ${seed}`);
  fc.assert(
    fc.property(rules, logs(8), (rule, log) => {
      const [node] = scenarioFrom({ events, rules: [rule] }).rules;
      assert.ok(node);
      const expected = violationsOf(node, log);
      const [outcome] = gradeEvents({ events, rules: [rule] }, log).rules;
      assert.equal(outcome?.verdict, expected.length === 0 ? "pass" : "fail");
      assert.equal(outcome?.violationCount, expected.length, "violations");
      const lines = expected.filter((line) => line !== "end").sort((a, b) => a - b);
      if (lines.length < expected.length) return;
      assert.deepEqual(
        outcome.violations.map(({ at }) => at.record).sort((a, b) => a - b),
        lines,
      );
    }),
    { seed, numRuns: runs },
  );
});

test("a final verdict never changes, and a verdict so far is that of a log that ends there", (t) => {
  t.diagnostic(`seed ${seed}`);
  fc.assert(
    fc.property(rules, logs(8), fc.nat(8), (rule, log, cut) => {
      const prefix = log.slice(0, cut);
      const [now] = gradeEvents({ events, rules: [rule] }, prefix, { kind: "cut", why: "test" }).rules;
      const [ended] = gradeEvents({ events, rules: [rule] }, prefix).rules;
      const [later] = gradeEvents({ events, rules: [rule] }, log).rules;
      assert.equal(ended?.verdict, now?.running.startsWith("pass") === true ? "pass" : "fail");
      if (now?.running === "pass" || now?.running === "fail") assert.equal(later?.verdict, now.running, "final");
      else assert.equal(now?.verdict, "inconclusive");
    }),
    { seed, numRuns: runs },
  );
});
