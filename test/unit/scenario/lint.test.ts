import assert from "node:assert/strict";
import test from "node:test";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";

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

function lintOf(lines: string): string[] {
  const { warnings } = parseScenario(`waymark: 1\nscenario: x\n${lines}\n`, "x.yaml");
  return warnings.map(({ severity, message, fix }) => `${severity}: ${message} ${fix}`);
}

test("an event name that is no text can never match", () => {
  for (const value of ["5", "null", "true", "[a, 5]"]) {
    const [only, ...others] = lintOf(`markers: [{ event: ${value} }]`);
    assert.match(only ?? "", /^warning: an event's name is text/, value);
    assert.deepEqual(others, []);
  }
  assert.deepEqual(
    lintOf('markers: [{ event: "5" }, { event|exists: true }, { event: b, where: { data.event: 5 } }]'),
    [],
  );
});

test("a comparison written into a value or a key is told, with the modifier that is meant", () => {
  const tests: readonly (readonly [test: string, fix: RegExp])[] = [
    ['data.x: ">5"', /data\.x\|gt: 5\?/],
    ['data.x: "<5"', /data\.x\|lt: 5\?/],
    ['data.x: ">= 2.5"', /data\.x\|gte: 2\.5\?/],
    ["data.x>5: true", /data\.x\|gt: 5\?/],
    ["data.x <=: 7", /data\.x\|lte: 7\?/],
    ["data.x<1.5: true", /data\.x\|lt: 1\.5\?/],
  ];
  for (const [test, fix] of tests) {
    const [only, ...others] = lintOf(`markers: [{ event: a, where: { ${test} } }]`);
    assert.match(only ?? "", fix, test);
    assert.deepEqual(others, [], test);
  }
  for (const fine of ['data.x|gt: "5"', 'data.x: "<b>"', 'data.x|contains: ">5"', "['data.x>5']: 1", "a->b: 1"]) {
    assert.deepEqual(
      lintOf(`markers: [{ event: a, where: { ${JSON.stringify(fine.split(": ")[0])}: ${fine.split(": ")[1]} } }]`),
      [],
      fine,
    );
  }
});

test("an evaluator that waymark does not have is told with those it has", () => {
  const [only, ...others] = lintOf("markers: [{ event: a }]\nchecks: [{ file_exist: { path: a } }, { json_file: {} }]");
  assert.match(only ?? "", /^warning: .*"file_exist" — did you mean "file_exists".*process_running/);
  assert.deepEqual(others, []);
});
