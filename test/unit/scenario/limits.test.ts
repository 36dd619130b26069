import assert from "node:assert/strict";
import test from "node:test";
import { Build } from "../../../grader/scenario/build.ts";
import { firstFaults } from "../../../grader/scenario/fault-cap.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";

import { type Fault, fault, WaymarkError } from "../../../proxy/record/fault.ts";

function faultsOf(text: string, readOther?: (file: string) => string): readonly Fault[] {
  try {
    return parseScenario(text, "x.yaml", readOther).warnings;
  } catch (cause) {
    assert.ok(cause instanceof WaymarkError);
    return cause.faults;
  }
}

function scenario(define: readonly string[], marker = "pattern: p0"): string {
  const lines = define.map((line) => `  ${line}`).join("\n");
  return `waymark: 1\nscenario: x\nmarkers:\n  - ${marker}\ndefine:\n${lines}\n`;
}

function assertLimit(text: string, message: RegExp): void {
  const limits = faultsOf(text);
  assert.deepEqual([...new Set(limits.map(({ code }) => code))], ["WM_SCENARIO_YAML_LIMIT"]);
  assert.equal(limits.length, 1);
  assert.match(limits[0]?.message ?? "", message);
  assert.ok((limits[0]?.place?.line ?? 0) > 3);
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test("patterns that double with each line stop at a limit, with a place", () => {
  const bomb = numbers(30).map((index) => `p${index}: [p${index + 1}, p${index + 1}]`);
  assertLimit(scenario([...bomb, "p30: { event: a }"]), /expand to more than/);
  assertLimit(scenario([...bomb, "p30: { event: a }"], "event: other"), /expand to more than/);
  assertLimit(scenario([...bomb, "p30: { any: [p31, p31] }", "p31: { not: { event: a } }"]), /expand to more than/);
  const maps = numbers(30).map((index) => `p${index}: { all: [p${index + 1}, { not: p${index + 1} }] }`);
  assertLimit(scenario([...maps, "p30: { event: a }"]), /expand to more than/);
});

test("values of parameters that double with each pattern stop at the same limit", () => {
  for (const doubled of [`"\${x} \${x}"`, "[$x, $x]", "{ a: $x, b: $x }"]) {
    const with_ = `with: { x: ${doubled} }`;
    const define = numbers(40).map(
      (index) => `p${index}: { params: [x], where: { a: 1, any: [{ pattern: p${index + 1}, ${with_} }] } }`,
    );
    const text = scenario([...define, "p40: { params: [x], where: { b: $x } }"], "{ pattern: p0, with: { x: abc } }");
    assertLimit(text, /expand to more than/);
  }
});

test("a chain of 4,000 patterns is refused with a place; one of 150 is read", () => {
  const chain = (length: number) =>
    scenario([...numbers(length).map((index) => `p${index}: p${index + 1}`), `p${length}: { event: a }`]);
  assertLimit(chain(4000), /levels deep/);
  assert.deepEqual(faultsOf(chain(150)), []);
  const wide = (length: number) =>
    scenario([
      ...numbers(length).map(
        (index) => `p${index}: { any: [${"{ any: [".repeat(30)}p${index + 1}${"] }".repeat(30)}] }`,
      ),
      `p${length}: { event: a }`,
    ]);
  assertLimit(wide(100), /levels deep/);
});

test("libraries that take each other over twice are merged once each", () => {
  const library = (name: string): string => {
    const next = Number(/\d+/.exec(name)?.[0]) + 1;
    const use = next > 40 ? "" : `use: [./l${next}.yaml, ./l${next}.yaml]\n`;
    return `waymark: 1\n${use}define:\n  q${next}: { event: a }\n`;
  };
  const text = "waymark: 1\nscenario: x\nuse: [./l0.yaml]\nmarkers:\n  - pattern: q41\n";
  assert.deepEqual(faultsOf(text, library), []);
});

test("of very many faults the first fifty are given, and how many more there are", () => {
  const lines = numbers(300).map((index) => `  - { event: a${index}, wehre: {} }`);
  const faults = faultsOf(`waymark: 1\nscenario: x\nmarkers:\n${lines.join("\n")}\n`);
  assert.equal(faults.length, 51);
  assert.ok(faults.slice(0, 50).every(({ code }) => code === "WM_SCENARIO_UNKNOWN_KEY"));
  assert.match(faults.at(-1)?.message ?? "", /^250 more faults/);
});

test("an error is told however many warnings come before it", () => {
  const place = { file: "x.yaml", line: 1, column: 1 };
  const warnings = numbers(2000).map(() => fault("WM_SCENARIO_LINT", "odd", { place, severity: "warning" }));
  const build = new Build(new Map(), warnings);
  assert.equal(build.pathIn("data[", place), undefined);
  const given = firstFaults(build.faults, "x.yaml");
  assert.equal(given.length, 51);
  assert.ok(given.some(({ code }) => code === "WM_SCENARIO_PATH"));
});

test("a marker whose field test is refused is not also called one that any event satisfies", () => {
  for (const where of ["{ 'data[': 1 }", "{ '$[?(': 1 }", "{ any: [] }"]) {
    const faults = faultsOf(`waymark: 1\nscenario: x\nmarkers:\n  - { name: A, where: ${where} }\n`);
    assert.ok(
      faults.every(({ severity, message }) => severity === "error" && !/any event/.test(message)),
      where,
    );
  }
});

test("several documents in one file are told in our words", () => {
  const [only] = faultsOf("waymark: 1\nscenario: x\nmarkers:\n  - event: a\n---\nwaymark: 1\n");
  assert.equal(only?.place?.line, 5);
  assert.match(`${only?.message} ${only?.fix}`, /a second document begins here.*keep one/);
});
