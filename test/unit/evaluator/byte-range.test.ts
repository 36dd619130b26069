import assert from "node:assert/strict";
import test from "node:test";
import { rangeOf } from "../../../grader/evaluator/page/bytes.ts";

test("ranges are read as RFC 9110 section 14.1.2 has them", () => {
  const cases: readonly (readonly [string | undefined, ReturnType<typeof rangeOf>])[] = [
    [undefined, undefined],
    ["bytes=0-499", { start: 0, end: 499 }],
    ["bytes=500-", { start: 500, end: 999 }],
    ["bytes=-500", { start: 500, end: 999 }],
    ["bytes=-5000", { start: 0, end: 999 }],
    ["bytes=0-99999", { start: 0, end: 999 }],
    ["bytes=999-999", { start: 999, end: 999 }],
    ["bytes=1000-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=5-2", undefined],
    ["bytes=-", undefined],
    ["bytes=0-1,5-6", undefined],
    ["lines=0-1", undefined],
    ["bytes=a-b", undefined],
  ];
  for (const [header, range] of cases) assert.deepEqual(rangeOf(header, 1000), range, header);
});
