import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gradeLogs } from "../../grader/grade.ts";
import type { LoadedScenario } from "../../grader/scenario/load.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";
import type { ScenarioResult } from "../../grader/verdict.ts";
import { loadNeutral } from "../support/neutral.ts";
import { needsShared, SHARED } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";

const inCase = (...parts: string[]): string => join(SHARED, "cases", ...parts);
const textOf = (...parts: string[]): string => readFileSync(inCase(...parts), "utf8");

async function grade(log: string, scenario: LoadedScenario): Promise<ScenarioResult> {
  const { document } = await gradeLogs({ logs: [log], scenarios: [scenario] });
  const [result] = document.results;
  assert.ok(result);
  return result;
}

test(
  "E03: seconds, milliseconds, microseconds and nanoseconds are told apart, also as text",
  needsShared("cases", "E03"),
  async () => {
    const result = await grade(inCase("E03", "units.ndjson"), loadNeutral(textOf("E03", "scenario.yaml")));
    assert.equal(result.verdict, "pass");
    assert.deepEqual(
      result.markers.map(({ after_ms }) => after_ms),
      [0, 1000, 1000, 1000],
    );
    assert.equal(result.started_at, "2025-01-01T00:00:01.000Z");
  },
);

test(
  "E04: events without a time keep their place, and a limit on them is unknown, not passed and not failed",
  needsShared("cases", "E04"),
  async () => {
    const log = inCase("E04", "missing.ndjson");
    const result = await grade(log, loadNeutral(textOf("E04", "scenario.yaml")));
    assert.equal(result.verdict, "pass");
    assert.ok(!JSON.stringify(result).includes("1970"));
    const limited =
      "waymark: 1\nscenario: m\nevents: { time: ts }\nmarkers:\n  - { name: A, event: A }\n  - { name: B, event: B, within: 5s }\n";
    assert.equal((await grade(log, parseScenario(limited, "m.yaml"))).verdict, "inconclusive");
  },
);

test(
  "E06: the general marker leaves the only fitting event to the strict one, in any order of lines and markers",
  needsShared("cases", "E06"),
  async (t) => {
    const lines = textOf("E06", "g.ndjson").trimEnd().split("\n");
    const scenario = textOf("E06", "scenario.yaml");
    const [head = "", general = "", strict = ""] = scenario.split(/(?= {2}- id:)/);
    const log = join(scratchFolder(t), "g.ndjson");
    for (const order of [lines, [...lines].reverse()]) {
      writeFileSync(log, `${order.join("\n")}\n`);
      for (const yaml of [scenario, `${head}${strict.trimEnd()}\n${general}`]) {
        assert.equal((await grade(log, loadNeutral(yaml))).verdict, "pass");
      }
    }
  },
);
