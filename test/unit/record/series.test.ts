import assert from "node:assert/strict";
import test from "node:test";
import { parseSegmentFile, segmentFile } from "../../../proxy/record/series.ts";

test("names of a series read back", () => {
  assert.deepEqual(parseSegmentFile(segmentFile("teams-telemetry", 12)), { name: "teams-telemetry", index: 12 });
  assert.deepEqual(parseSegmentFile("a-1-0.log"), { name: "a-1", index: 0 });
});

test("other files are not of a series", () => {
  for (const file of ["notes.log", "x-01.log", "x-1.ndjson", "-1.log", "x-1.log.tmp", "x-.log"]) {
    assert.equal(parseSegmentFile(file), undefined, file);
  }
});
