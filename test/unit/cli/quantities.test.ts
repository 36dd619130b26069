import assert from "node:assert/strict";
import test from "node:test";
import { durationMs, sizeBytes, wholeNumber } from "../../../cli/quantities.ts";
import { WaymarkError } from "../../../proxy/record/fault.ts";

const failsWith = (code: string) => (error: unknown) => error instanceof WaymarkError && error.code === code;

test("durations need a unit", () => {
  assert.equal(durationMs("wait", "500ms"), 500);
  assert.equal(durationMs("wait", "1.5s"), 1500);
  assert.equal(durationMs("wait", "2m"), 120_000);
  assert.equal(durationMs("wait", "7d"), 604_800_000);
  for (const text of ["5", "", "s", "5 parsecs", "-5s", "1e3s"]) {
    assert.throws(() => durationMs("wait", text), failsWith("WM_USAGE_DURATION"), text);
  }
});

test("sizes count bytes, KB as 1000 and KiB as 1024", () => {
  assert.equal(sizeBytes("rotate-size", "64MB"), 64_000_000);
  assert.equal(sizeBytes("rotate-size", "1MiB"), 1_048_576);
  assert.equal(sizeBytes("rotate-size", "1gb"), 1_000_000_000);
  assert.equal(sizeBytes("rotate-size", "4096"), 4096);
  for (const text of ["", "MB", "12 apples", "-1MB"]) {
    assert.throws(() => sizeBytes("rotate-size", text), failsWith("WM_USAGE_SIZE"), text);
  }
});

test("whole numbers are decimal digits within their range", () => {
  assert.equal(wholeNumber("port", "8899", { min: 0, max: 65_535 }), 8899);
  for (const text of ["abc", "", "1e3", "0x10", "70000", "-1", "3.5"]) {
    assert.throws(() => wholeNumber("port", text, { min: 0, max: 65_535 }), failsWith("WM_USAGE_NOT_A_NUMBER"), text);
  }
});
