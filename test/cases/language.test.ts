import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { compilePath, valueKey } from "../../grader/operators/where.ts";
import { parsePath } from "../../grader/scenario/path.ts";
import { type JsonObject, parseJson } from "../../proxy/record/json.ts";
import { needsShared, SHARED } from "../support/project.ts";
import { compileBare, faultsOf } from "../support/scenario.ts";

function caseText(...parts: string[]): string {
  return readFileSync(join(SHARED, "cases", ...parts), "utf8");
}

function events(...parts: string[]): JsonObject[] {
  const lines = caseText(...parts)
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => parseJson(line) as JsonObject);
}

function holds(where: unknown, event: JsonObject): boolean {
  const { check, faults } = compileBare(where);
  assert.deepEqual(faults, []);
  return check.test(event, new Map());
}

test("D01: ids beyond 2^53 that differ in their last digit stay different", needsShared("cases", "D01"), () => {
  const log = events("D01", "ids.ndjson");
  const found = (id: string) => log.filter((event) => holds({ name: "x", "props.id|str": id }, event)).length;
  assert.equal(found("50000000014435121"), 1);
  assert.equal(found("50000000014435123"), 0);
  const path = parsePath("props.id");
  assert.ok(path.ok);
  const ids = log.map((event) => compilePath(path.path).get(event) ?? null);
  assert.equal(new Set(ids.map(valueKey)).size, 2);
  assert.deepEqual(ids, [50000000014435121n, 50000000014435124n]);
});

test("D01: an unquoted id is refused with a fix that works", needsShared("cases", "D01"), () => {
  const text = "waymark: 1\nscenario: ids\nmarkers:\n  - where: { name: x, props.id: 50000000014435121 }\n";
  const [problem, ...others] = faultsOf(text);
  assert.equal(others.length, 0);
  assert.equal(problem?.code, "WM_SCENARIO_YAML_TRAP");
  assert.equal(problem.place?.line, 4);
  assert.match(problem.fix, /props\.id\|str: "50000000014435121"/);
});

test("E07: false, 0, empty text and null are values", needsShared("cases", "E07"), () => {
  const [event] = events("E07", "v.ndjson");
  assert.ok(event);
  assert.ok(holds({ "$.props.ok": false }, event));
  assert.ok(holds({ "$.props.n": 0 }, event));
  assert.ok(holds({ "$.props.s": "" }, event));
  assert.ok(holds({ "$.props.list[?(@.k=='v')]": { k: "v" } }, event));
  assert.ok(holds({ "$.props.nil|exists": true }, event));
  assert.ok(holds({ "$.props.nil": null }, event));
  assert.ok(!holds({ "$.props.nothing|exists": true }, event));
});

test("F01: each unquoted value that YAML turns into a number is refused by line", needsShared("cases", "F01"), () => {
  const text = [
    "waymark: 1",
    "scenario: scalars",
    "markers:",
    "  - any_order:",
    "      - where: { name: a, props.version: 1.10 }",
    "      - where: { name: a, props.code: 0666 }",
    "      - where: { name: a, props.sha: 4225332e04 }",
  ].join("\n");
  const faults = faultsOf(text);
  assert.deepEqual(
    faults.map(({ code, place }) => `${place?.line} ${code}`),
    ["5 WM_SCENARIO_YAML_TRAP", "6 WM_SCENARIO_YAML_TRAP", "7 WM_SCENARIO_YAML_TRAP"],
  );
  assert.ok(faults.every(({ fix }) => /^Quote it: "/.test(fix)));
  const [event] = events("F01", "log.ndjson");
  assert.ok(event && holds({ "props.version": "1.10", "props.code": "0666", "props.sha": "4225332e04" }, event));
});

test("F02: 10:00, no and on are text", needsShared("cases", "F02"), () => {
  const text =
    "waymark: 1\nscenario: yn\nmarkers:\n  - where: { name: a, props.at: 10:00, props.flag: no, props.state: on }\n";
  assert.deepEqual(faultsOf(text), []);
  const [event] = events("F02", "log.ndjson");
  assert.ok(event && holds({ "props.at": "10:00", "props.flag": "no", "props.state": "on" }, event));
});

test("F04: merge keys are refused by line, however many", needsShared("cases", "F04"), () => {
  const told = (file: string) => faultsOf(caseText("F04", file)).map(({ message }) => message);
  assert.ok(told("merge.yaml").some((message) => /merge keys .* not supported \(line 5\)/.test(message)));
  assert.ok(told("bomb-merge.yaml").some((message) => /merge keys .* not supported \(line 2\)/.test(message)));
});

for (const file of ["laughs.yaml", "deep.yaml"]) {
  test(`F05: ${file} is refused by its size, with a place`, needsShared("cases", "F05"), () => {
    const faults = faultsOf(caseText("F05", file), file);
    const limit = faults.find(({ code }) => code === "WM_SCENARIO_YAML_LIMIT");
    assert.equal(limit?.place?.file, file);
  });
}

test("K05: no script expression is a path, and none is run", needsShared("cases", "K05"), () => {
  for (const line of caseText("K05", "exprs.txt")
    .split("\n")
    .filter((text) => text !== "")) {
    const text = JSON.stringify({ waymark: 1, scenario: "x", markers: [{ where: { [line]: 1 } }] });
    assert.deepEqual(
      faultsOf(text).map(({ code }) => code),
      ["WM_SCENARIO_JSONPATH"],
      line,
    );
  }
});

test("K06: a regular expression with nested repetition is answered at once", needsShared("cases", "K06"), () => {
  const [slow, other] = events("K06", "log.ndjson");
  assert.ok(slow && other);
  assert.ok(!holds({ "name|re": "^(a+)+$" }, slow));
  assert.ok(holds({ name: "b" }, other));
});

test("L03: a list without a marker is refused", () => {
  for (const text of [
    "waymark: 1\nscenario: none\nmarkers: []\n",
    "waymark: 1\nscenario: none\nrules: []\n",
    "waymark: 1\nscenario: none\n",
  ]) {
    assert.deepEqual(
      faultsOf(text).map(({ code }) => code),
      ["WM_SCENARIO_EMPTY"],
    );
  }
});
