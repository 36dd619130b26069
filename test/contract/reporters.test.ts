import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { broadcast } from "../../grader/report/broadcast.ts";
import type { Reporter } from "../../grader/report/reporter.ts";
import { REPORTERS } from "../../grader/report/reporters/index.ts";
import { summarise } from "../../grader/trials/summarise.ts";
import type { ScenarioResult } from "../../grader/verdict.ts";
import { factsOf, trialOf } from "../support/batches.ts";
import { golden } from "../support/golden.ts";
import { PROJECT } from "../support/project.ts";
import { documentOf, failedResult } from "../support/results.ts";

function render(reporter: Reporter, results: readonly ScenarioResult[], colour = false): string {
  const parts: string[] = [];
  const hooks = reporter.create({ write: (part) => void parts.push(part), colour, detail: 1 });
  for (const result of results) hooks.onResult?.(result);
  hooks.onEnd?.(documentOf(...results));
  return parts.join("");
}

const HOSTILE = "<img onerror=x>\u001b[31m\u0000\u202Eevil\u2028]]></script>\r\n::error::x";

function hostileResult(): ScenarioResult {
  const nearest = {
    file: HOSTILE,
    line: 1,
    passed: [],
    failed: [{ path: HOSTILE, want: HOSTILE, got: HOSTILE, ok: false, hint: HOSTILE }],
  };
  const source = { file: HOSTILE, line: 1, column: 1 };
  return failedResult({
    scenario: HOSTILE,
    reason: HOSTILE,
    range: HOSTILE,
    session: HOSTILE,
    markers: [{ name: HOSTILE, status: "missing", source, nearest }],
    rules: [
      {
        name: HOSTILE,
        verdict: "fail",
        running: "fail",
        exercised: 1,
        severity: "error",
        violations: [{ file: HOSTILE, line: 1, reason: HOSTILE }],
        violation_count: 1,
      },
    ],
    bad_lines: [{ file: HOSTILE, line: 1, why: HOSTILE }],
  });
}

for (const reporter of REPORTERS) {
  test(`${reporter.name}: a failed result reads as reviewed`, () => {
    golden(join(PROJECT, "test", "golden", "reporters", `${reporter.name}.txt`), render(reporter, [failedResult()]));
  });

  test(`${reporter.name}: text from telemetry cannot steer a terminal`, () => {
    const text = render(reporter, [hostileResult()]);
    const bad = [...text].filter((character) => character !== "\n" && /[\p{Cc}\u202E\u2028]/u.test(character));
    assert.deepEqual(reporter.name === "json" ? bad.filter((character) => character < " ") : bad, []);
  });

  test(`${reporter.name}: no results is fine`, () => {
    assert.doesNotThrow(() => render(reporter, []));
  });

  test(`${reporter.name}: without colour there are no escapes`, () => {
    assert.ok(!render(reporter, [failedResult()]).includes("\u001b"));
  });
}

test("a reporter that throws is named once, and the others go on", () => {
  const heard: string[] = [];
  const failures: string[] = [];
  const all = broadcast(
    [
      {
        name: "broken",
        hooks: {
          onResult: () => {
            throw new Error("no");
          },
          onEnd: () => void heard.push("broken"),
        },
      },
      { name: "sound", hooks: { onResult: ({ scenario }) => void heard.push(scenario) } },
    ],
    (name) => void failures.push(name),
  );
  all.result(failedResult());
  all.result(failedResult());
  all.end(documentOf());
  assert.deepEqual(heard, ["simple_collab_switch", "simple_collab_switch"]);
  assert.deepEqual(failures, ["broken"]);
});

test("json is one document that keeps every value", () => {
  const json = REPORTERS.find(({ name }) => name === "json");
  assert.ok(json);
  assert.deepEqual(JSON.parse(render(json, [failedResult()])), JSON.parse(JSON.stringify(documentOf(failedResult()))));
});

for (const reporter of REPORTERS) {
  test(`${reporter.name}: a batch reads as reviewed, and its texts cannot steer a terminal`, () => {
    const said = { claim: HOSTILE, claims_success: true };
    const silent = { code: "WM_RUN_NO_TELEMETRY", message: `no telemetry reached the proxy\nstderr: ${HOSTILE}` };
    const trials = [
      trialOf(1, "pass", { self_report: { claim: "done", claims_success: true }, used: { cost_usd: 0.041 } }),
      trialOf(2, "fail", { self_report: said, used: { cost_usd: 0.0042, at_least: ["cost"] } }),
      trialOf(3, "inconclusive", { error: silent }),
      trialOf(4, "error", { end: { kind: "failed", reason: "ENOENT" } }),
      trialOf(4, "pass", { retries: 1, end: { kind: "timeout", afterMs: 2000 } }),
      trialOf(5, undefined),
    ];
    const parts: string[] = [];
    const hooks = reporter.create({ write: (part) => void parts.push(part), colour: false, detail: 1 });
    hooks.onBatch?.(summarise(factsOf(trials, { stoppedWith: 130 })));
    const text = parts.join("");
    golden(
      join(PROJECT, "test", "golden", "reporters", `${reporter.name}-batch.txt`),
      text.replaceAll(/"waymark":"[^"]*"/g, '"waymark":"0"'),
    );
    const bad = [...text].filter((character) => character !== "\n" && /[\p{Cc}\u202E\u2028]/u.test(character));
    assert.deepEqual(reporter.name === "json" ? bad.filter((character) => character < " ") : bad, []);
  });
}
