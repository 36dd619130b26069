import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gradeLogs } from "../../grader/grade.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";
import { needsShared, SHARED } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";

interface SessionExpectation {
  readonly found: boolean;
  readonly rules: Readonly<Record<string, { readonly complete: string; readonly four_valued: string }>>;
}

interface WorkedCase {
  readonly id: string;
  readonly scenario: object;
  readonly events: readonly object[];
  readonly expected: Readonly<Record<string, SessionExpectation>>;
}

/** LANGUAGE.md section 7: what the bank's values for the parts make of the whole. */
function wholeVerdict(expected: WorkedCase["expected"], isCut: boolean): string {
  const parts = Object.values(expected).flatMap(({ found, rules }) => {
    const list = found ? "pass" : isCut ? "inconclusive" : "fail";
    const ofRules = Object.values(rules).map(({ complete, four_valued: running }) =>
      isCut && running.endsWith("_so_far") ? "inconclusive" : complete,
    );
    return [list, ...ofRules];
  });
  return parts.includes("fail") ? "fail" : parts.includes("inconclusive") ? "inconclusive" : "pass";
}

test(
  "the eight worked examples, each on a passing, a failing and a cut log",
  needsShared("oracles", "examples.json"),
  async (t) => {
    const { cases } = JSON.parse(readFileSync(join(SHARED, "oracles", "examples.json"), "utf8")) as {
      cases: WorkedCase[];
    };
    const names = [...new Set(cases.map(({ id }) => id.split("/")[1] ?? ""))];
    assert.equal(names.length, 8);
    const folder = scratchFolder(t);
    const log = join(folder, "trace.ndjson");
    for (const name of names) {
      const own = cases.filter(({ id, events }) => id.split("/")[1] === name && events.length > 0);
      const passing = own.find(({ expected }) => wholeVerdict(expected, false) === "pass");
      const failing = own.find(({ expected }) => wholeVerdict(expected, false) === "fail");
      assert.ok(passing && failing, name);
      const row: string[] = [];
      for (const [one, cut] of [
        [passing, false],
        [failing, false],
        [passing, true],
        [failing, true],
      ] as const) {
        writeFileSync(log, one.events.map((event) => `${JSON.stringify(event)}\n`).join(""));
        const loaded = parseScenario(JSON.stringify(one.scenario), `${name}.yaml`);
        const { document } = await gradeLogs({ logs: [log], scenarios: [loaded], cut });
        assert.equal(document.verdict, wholeVerdict(one.expected, cut), `${one.id}${cut ? ", cut" : ""}`);
        row.push(`${cut ? "cut: " : ""}${document.verdict}`);
      }
      t.diagnostic(`${name}: ${row.join(", ")}`);
    }
  },
);
