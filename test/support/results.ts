import type { ResultDocument, ScenarioResult } from "../../grader/verdict.ts";

const STREAM = {
  events: 1842,
  steps_back: 0,
  late: 0,
  duplicates: 0,
  undecoded: 0,
  without_session: 0,
  unreadable: 0,
  end: "complete",
  limits_hit: [],
} as const;

/** A failed result with everything in it that a reporter may have to show. */
export function failedResult(changes: Partial<ScenarioResult> = {}): ScenarioResult {
  const source = { file: "markers/simple_collab_switch.yaml", line: 31, column: 5 };
  return {
    scenario: "simple_collab_switch",
    file: "markers/simple_collab_switch.yaml",
    markers_sha256: "3f9a",
    run: "01KBAAAAAAAAAAAAAAAAAAAAAA",
    log: "logs/telemetry",
    range: "capture of 2026-01-31T12:00:00.000Z, logs/telemetry/telemetry-0.log",
    verdict: "fail",
    success: false,
    matched_in_order: false,
    coverage: 0.5,
    found: ["General opened"],
    not_found: ["Design opened"],
    match_indices: [13],
    reason: "'Design opened' never reached after 'General opened' (line 14)",
    reached: "General opened",
    waiting_for: "Design opened",
    seen: ["General opened"],
    score: 0.5,
    events: 1842,
    lines_bad: 1,
    bad_lines: [{ file: "logs/telemetry/telemetry-0.log", line: 7, why: "not JSON: Unexpected end of JSON input" }],
    duration_ms: 9900,
    markers: [
      {
        name: "General opened",
        status: "found",
        file: "logs/telemetry/telemetry-0.log",
        line: 14,
        record: 13,
        at: "2026-01-31T12:00:01.000Z",
        after_ms: 0,
        source: { ...source, line: 25 },
      },
      {
        name: "Design opened",
        status: "missing",
        source,
        nearest: {
          file: "logs/telemetry/telemetry-0.log",
          line: 1377,
          passed: [{ path: "name", want: "chat_switch", got: "chat_switch", ok: true }],
          failed: [{ path: "data.chatId", want: "design", got: "Design", ok: false, hint: "other case" }],
        },
      },
    ],
    rules: [
      {
        name: "No drop",
        verdict: "fail",
        running: "fail",
        exercised: 1,
        severity: "error",
        violations: [
          { file: "logs/telemetry/telemetry-0.log", line: 19, reason: "call_dropped (line 19) is forbidden" },
        ],
        violation_count: 1,
      },
    ],
    checks: [],
    stream: STREAM,
    ...changes,
  };
}

/** The document `grade --json` would print for these results. */
export function documentOf(...results: readonly ScenarioResult[]): ResultDocument {
  return { schema: "waymark.result/1", waymark: "0.1.0", verdict: "fail", exit_code: 1, results };
}
