import assert from "node:assert/strict";
import test from "node:test";
import { checkMarkers, checkRule, readOracle, summary, type Tally, tally } from "../../support/oracle.ts";
import { needsShared } from "../../support/project.ts";

const shared = needsShared("oracles");

function report(t: { diagnostic(text: string): void }, file: string, result: Tally): void {
  t.diagnostic(summary(file, result));
  for (const id of result.notExpressible) t.diagnostic(`not expressible: ${id}`);
  assert.deepEqual(result.disagreeing, []);
}

test("markers_core: every case, the no-steps ones too", shared, (t) => {
  const result = tally(readOracle("markers_core"), ({ pattern, events, expected }) =>
    checkMarkers(pattern.waymark, events, expected),
  );
  report(t, "markers_core", result);
});

test("rules_core: every case", shared, (t) => {
  const result = tally(readOracle("rules_core"), ({ waymark_rules: [rule = {}] = [], events, expected }) =>
    checkRule(rule, events, expected),
  );
  report(t, "rules_core", result);
});
