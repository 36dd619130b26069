import assert from "node:assert/strict";
import test from "node:test";
import { parseScenario } from "../../../grader/scenario/load.ts";
import type { Fault } from "../../../proxy/record/fault.ts";
import { WaymarkError } from "../../../proxy/record/fault.ts";

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
  const limits = faultsOf(text).filter(({ code }) => code === "WM_SCENARIO_YAML_LIMIT");
  assert.equal(limits.length, 1);
  assert.match(limits[0]?.message ?? "", message);
  assert.ok((limits[0]?.place?.line ?? 0) > 3);
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test("patterns that double with each line stop at a limit, with a place", () => {
  const bomb = numbers(30).map((index) => `p${index}: [p${index + 1}, p${index + 1}]`);
  assertLimit(scenario([...bomb, "p30: { event: a }"]), /expand to more than/);
  assertLimit(scenario([...bomb, "p30: { event: a }"], "event: other"), /expand to more than/);
  assertLimit(scenario([...bomb, "p30: []"]), /expand to more than/);
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
