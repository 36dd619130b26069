import assert from "node:assert/strict";
import test from "node:test";
import { parseYaml, toPlain } from "../../../grader/scenario/yaml.ts";
import { needsShared } from "../../support/project.ts";
import { faultsOf, readShared } from "../../support/scenario.ts";

interface TrapCase {
  readonly id: string;
  readonly yaml: string;
  readonly parsed?: unknown;
  readonly lint: string | null;
}

/** What each lint of the bank is told as. `unit-missing` needs the schema: the parser sees a number. */
const CODES: Readonly<Record<string, string>> = {
  "ambiguous-number": "error WM_SCENARIO_YAML_TRAP",
  "unsafe-integer": "error WM_SCENARIO_YAML_TRAP",
  "empty-value": "error WM_SCENARIO_YAML_TRAP",
  "tag-not-allowed": "error WM_SCENARIO_YAML_TRAP",
  "comment-cut": "warning WM_SCENARIO_YAML_TRAP",
  "merge-key": "error WM_SCENARIO_YAML_TRAP",
  error: "error WM_SCENARIO_YAML",
};

test("YAML that is not what it looks like is told", needsShared("oracles", "yaml_traps.json"), async (t) => {
  const { cases } = readShared("oracles", "yaml_traps.json") as unknown as { cases: readonly TrapCase[] };
  for (const { id, yaml, parsed, lint } of cases) {
    await t.test(id, () => {
      const { root, faults } = parseYaml(yaml, "trap.yaml");
      const told = faults.map(({ severity, code }) => `${severity} ${code}`);
      if (lint === "unit-missing") {
        const inFile = faultsOf(`waymark: 1\nscenario: x\nmarkers:\n  - event: a\n    ${yaml}\n`);
        assert.deepEqual(
          inFile.map(({ code }) => code),
          ["WM_SCENARIO_DURATION"],
        );
      } else if (lint !== null) assert.equal(told[0], CODES[lint]);
      else if (parsed !== undefined) {
        assert.deepEqual(told, []);
        assert.deepEqual(root && toPlain(root), parsed);
      } else assert.match(told[0] ?? "", /^error/, "a key that stands twice is never swallowed");
    });
  }
  t.diagnostic(`${cases.length} cases, ${cases.filter(({ lint }) => lint === null).length} of them harmless`);
});
