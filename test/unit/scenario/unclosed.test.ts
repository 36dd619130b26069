import assert from "node:assert/strict";
import test from "node:test";
import { parseYaml } from "../../../grader/scenario/yaml.ts";

const BEFORE = "waymark: 1\nscenario: a\nmarkers:\n";

for (const [what, lines, line, column] of [
  ["a bracket", "  - event: a\n    fields: [1, 2\n", 5, 13],
  ["a quote", '  - event: "abc\n', 4, 12],
  ["a single quote", "  - event: 'abc\n", 4, 12],
  ["a brace, with blank lines behind it", "  - event: {a: 1\n\n\n", 4, 12],
  ["a quote inside a brace", '  - event: a\n    where: { x: [1, 2], y: "a }\n', 5, 28],
  ["a bracket inside a brace", "  - event: a\n    where: { x: [1, 2", 5, 17],
] as const) {
  test(`${what} that is never closed is shown where it opens, once`, () => {
    const { root, faults } = parseYaml(`${BEFORE}${lines}`, "a.yaml");
    assert.equal(root, undefined);
    assert.deepEqual(
      faults.map(({ code, place }) => [code, place?.line, place?.column]),
      [["WM_SCENARIO_YAML", line, column]],
    );
  });
}
