import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { decideGate, parseGate } from "../../grader/statistics/gate.ts";
import { planSprt, runSprt } from "../../grader/statistics/sprt.ts";
import { sayGate, sayRate, sayResolution } from "../../grader/statistics/words.ts";

test("a gate decides as all ways the unknown runs could have ended", () => {
  const text = fc.constantFrom("all", "any", "4/5", "1/3", "80%", "33.3%", "lower:30%", "lower:60%");
  fc.assert(
    fc.property(text, fc.nat(12), fc.nat(12), fc.nat(6), (input, passed, failed, unknown) => {
      const parsed = parseGate(input);
      assert.ok(parsed.ok);
      const decision = decideGate(parsed.gate, { passed, failed, unknown });
      const answers = new Set<string>();
      for (let hidden = 0; hidden <= unknown; hidden++) {
        const ended = { passed: passed + hidden, failed: failed + unknown - hidden, unknown: 0 };
        answers.add(decideGate(parsed.gate, ended).answer);
      }
      assert.equal(decision.answer, answers.size === 1 ? [...answers][0] : "undecided");
      assert.doesNotMatch(sayGate(decision), /NaN|undefined|Infinity/);
    }),
  );
});

test("parsing a gate never throws and never lets nonsense through", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^(lower:)?[0-9./%-]{0,8}$/)), (input) => {
      const parsed = parseGate(input);
      if (!parsed.ok) return assert.ok(parsed.why.length > 0);
      // Whatever is let through can be met by some batch and missed by another.
      assert.equal(decideGate(parsed.gate, { passed: 0, failed: 1, unknown: 0 }).answer, "not_met");
      return undefined;
    }),
  );
});

test("the sequential test depends on a prefix only: what comes after a decision changes nothing", () => {
  const plan = fc.record({
    p0: fc.double({ min: 0.05, max: 0.5, noNaN: true }),
    p1: fc.double({ min: 0.55, max: 0.95, noNaN: true }),
    maximum: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(plan, fc.array(fc.boolean(), { maxLength: 60 }), (wanted, outcomes) => {
      const planned = planSprt(wanted);
      assert.ok(planned.ok);
      const end = runSprt(planned.plan, outcomes);
      const used = end.passed + end.failed;
      assert.ok(used <= wanted.maximum);
      assert.deepEqual(runSprt(planned.plan, outcomes.slice(0, used)), end);
      if (end.decision !== "continue") assert.deepEqual(runSprt(planned.plan, [...outcomes, true, false]), end);
    }),
  );
});

test("sentences never show NaN, undefined or Infinity", () => {
  fc.assert(
    fc.property(fc.nat(2000), fc.nat(2000), fc.nat(5), (passed, failed, unknown) => {
      const words = [sayRate({ passed, failed, unknown }), sayResolution({ passed, runs: passed + failed })];
      for (const sentence of words) assert.doesNotMatch(sentence, /NaN|undefined|Infinity/);
    }),
  );
});
