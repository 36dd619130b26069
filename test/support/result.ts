import type { ScenarioResult } from "../../grader/verdict.ts";

/** A stored run's result with every row kind; `more` replaces single keys. */
export function sampleResult(run: string, more: Partial<ScenarioResult> = {}): ScenarioResult {
  const source = { file: "markers/s.yaml", line: 3, column: 5 };
  return {
    scenario: "s",
    file: "markers/s.yaml",
    markers_sha256: "0".repeat(64),
    run,
    log: "logs/t-0.log",
    range: "whole of logs/t-0.log",
    verdict: "fail",
    success: false,
    matched_in_order: false,
    coverage: 0.5,
    found: ["a"],
    not_found: ["b"],
    match_indices: [3],
    reason: "'b' never reached after 'a' (line 4)",
    seen: ["a"],
    score: 0.5,
    events: 7,
    lines_bad: 0,
    bad_lines: [],
    started_at: "2026-01-01T00:00:00.000Z",
    duration_ms: 1500,
    markers: [
      {
        name: "a",
        status: "found",
        file: "logs/t-0.log",
        line: 4,
        record: 3,
        at: "2026-01-01T00:00:00.000Z",
        after_ms: 0,
        source,
      },
      { name: "b", status: "missing", source },
    ],
    rules: [
      {
        name: "r",
        verdict: "fail",
        running: "fail",
        exercised: 1,
        severity: "error",
        violations: [{ file: "logs/t-0.log", line: 5, reason: "because" }],
        violation_count: 1,
      },
    ],
    checks: [],
    stream: {
      events: 7,
      steps_back: 0,
      late: 0,
      duplicates: 0,
      undecoded: 0,
      without_session: 0,
      unreadable: 0,
      end: "complete",
      limits_hit: [],
    },
    ...more,
  };
}
