import assert from "node:assert/strict";
import test from "node:test";
import { parseScenario } from "../../../grader/scenario/load.ts";

function warningsOf(rule: string): string[] {
  const text = `waymark: 1\nscenario: x\nrules:\n  - ${rule}\n`;
  return parseScenario(text, "x.yaml").warnings.map(({ message }) => message);
}

test("a slip in event: inside a pattern is told, since it would silently test a field of that name", () => {
  assert.match(warningsOf("{ name: r, never: { evnt: pay_method } }").join(), /did you mean "event"/);
  assert.match(warningsOf("{ name: r, never: { Event: pay_method } }").join(), /did you mean "event"/);
});

test("a key of the rule that slipped into its pattern is told", () => {
  assert.match(warningsOf("{ name: r, never: { event: pay, within: 3s } }").join(), /"within" stands inside a pattern/);
});

test("fields that only look a little like it are left alone", () => {
  for (const field of ["eventName", "events", "level", "name", "data.within", "['within']", "sent"]) {
    assert.deepEqual(warningsOf(`{ name: r, never: { event: pay, "${field}": x } }`), [], field);
  }
});
