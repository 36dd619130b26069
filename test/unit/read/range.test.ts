import assert from "node:assert/strict";
import test from "node:test";
import { describeRange, parseSince } from "../../../grader/read/range.ts";

const NOW = Date.UTC(2026, 0, 31, 12);

test("--since takes ISO times and durations back from now", () => {
  assert.equal(parseSince("2026-01-31T11:00:00Z", NOW), NOW - 3_600_000);
  assert.equal(parseSince("2026-01-31", NOW), NOW - 12 * 3_600_000);
  assert.equal(parseSince("2026-01-31T12:00:00+01:00", NOW), NOW - 3_600_000);
  assert.equal(parseSince("500ms", NOW), NOW - 500);
  assert.equal(parseSince("1.5h", NOW), NOW - 5_400_000);
  assert.equal(parseSince("2d", NOW), NOW - 172_800_000);
});

test("anything else is WM_USAGE_SINCE", () => {
  for (const text of ["10", "yesterday", "", "10 parsecs", "2026", "2026-13-45T99:00:00Z", "-5m"]) {
    assert.throws(() => parseSince(text, NOW), { code: "WM_USAGE_SINCE" }, text);
  }
});

test("a duration of more than 10,000 days is WM_USAGE_SINCE", () => {
  assert.equal(parseSince("10000d", NOW), NOW - 10_000 * 86_400_000);
  for (const text of ["10001d", "99999999999d", `${"9".repeat(400)}ms`]) {
    assert.throws(() => parseSince(text, NOW), { code: "WM_USAGE_SINCE", message: /more than 10000 days ago/ }, text);
  }
});

test("the range is told in words", () => {
  const files = ["logs/telemetry/telemetry-1.log", "logs/telemetry/telemetry-2.log", "logs/telemetry/telemetry-3.log"];
  const startedAt = "2026-01-31T12:00:00.000Z";
  assert.equal(
    describeRange({ rule: { kind: "newest" }, files, firstLine: 1, startedAt }),
    "capture of 2026-01-31T12:00:00.000Z, logs/telemetry/telemetry-1.log to telemetry-3.log",
  );
  assert.equal(
    describeRange({ rule: { kind: "newest" }, files: ["a.log"], firstLine: 14 }),
    "whole of a.log from line 14",
  );
  assert.equal(
    describeRange({ rule: { kind: "since", sinceMs: NOW }, files: ["a.log"], firstLine: 1 }),
    "since 2026-01-31T12:00:00.000Z, a.log",
  );
  assert.equal(describeRange({ rule: { kind: "all" }, files, firstLine: 1 }), `all of ${files[0]} to telemetry-3.log`);
});
