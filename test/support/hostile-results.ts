import type { BatchDocument } from "../../grader/trials/batch.ts";
import { summarise } from "../../grader/trials/summarise.ts";
import type { Trial } from "../../grader/trials/trial.ts";
import type { ScenarioResult } from "../../grader/verdict.ts";
import { CELL, factsOf, trialsOf } from "./batches.ts";
import { failedResult } from "./results.ts";

/** A name that tries to be markup, a command, the end of a script, of a CDATA section, of a table cell or of a line. */
export const HOSTILE =
  "<img src=x onerror=alert(1)>\u001b[31m\u0000\u202Eevil\u2028\u2029\u200f\u2066]]></script><!--|`$\u007bx}`\r\n::error::x\r%0A@all\ufffe";

/** A result in which every text is hostile. */
export function hostileResult(changes: Partial<ScenarioResult> = {}): ScenarioResult {
  const clause = { path: HOSTILE, want: HOSTILE, got: HOSTILE, ok: false, hint: HOSTILE };
  const nearest = { file: HOSTILE, line: 1, passed: [clause], failed: [clause] };
  const source = { file: HOSTILE, line: 1, column: 1 };
  return failedResult({
    scenario: HOSTILE,
    file: HOSTILE,
    reason: HOSTILE,
    range: HOSTILE,
    session: HOSTILE,
    log: HOSTILE,
    waiting_for: HOSTILE,
    reached: HOSTILE,
    not_found: [HOSTILE],
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
    ...changes,
  });
}

/** Two runs, one passing and one failing, of which every text is hostile. */
export function hostileTrials(): readonly Trial[] {
  return trialsOf("FP", {
    variant: HOSTILE,
    task: HOSTILE,
    versions: { [HOSTILE]: HOSTILE },
    labels: [HOSTILE],
    self_report: { claim: HOSTILE, claims_success: true, text: HOSTILE },
    command: [HOSTILE],
  }).map((trial) => ({
    ...trial,
    results: trial.results.map(({ run, verdict, success }) => hostileResult({ run, verdict, success })),
  }));
}

/** The batch of `hostileTrials`. */
export function hostileBatch(): BatchDocument {
  const cell = { ...CELL, variant: HOSTILE, task: HOSTILE };
  return summarise(
    factsOf(hostileTrials(), {
      id: HOSTILE,
      design: { kind: "fixed", cells: [cell], runs: 2 },
      scenarios: [{ id: HOSTILE, sha256: "0".repeat(64), sessions: "all" }],
    }),
  );
}
