import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { addCounts, countNames } from "../../../grader/learn/count-names.ts";
import { scratchFolder } from "../../support/scratch.ts";

function countsOf(t: TestContext, text: string): Record<string, number> {
  const file = join(scratchFolder(t), "run.ndjson");
  writeFileSync(file, text);
  return Object.fromEntries(countNames(file));
}

test("names are counted by the first of them in a line, with and without spaces and a last line end", (t) => {
  const lines = [
    '{"name":"a","data":{"name":"inner"}}',
    '{"time":1,"name" :\t"a"}',
    '{"name": "größe"}',
    '{"name":5}',
    '{"name":"quo\\"ted"}',
    "no JSON",
    "",
    '{"name":"b"}',
  ];
  assert.deepEqual(countsOf(t, lines.join("\n")), { a: 2, größe: 1, b: 1 });
});

test("lines over the ends of blocks are counted once, those longer than a block not at all", (t) => {
  const short = `{"name":"short","pad":"${"x".repeat(700)}"}\n`.repeat(4000);
  const long = `{"name":"long","pad":"${"y".repeat(3 << 20)}"}\n`;
  assert.deepEqual(countsOf(t, short + long + short), { short: 8000 });
});

test("what cannot be read counts for nothing", (t) => {
  assert.equal(countNames(join(scratchFolder(t), "absent.ndjson")).size, 0);
  assert.equal(countNames(scratchFolder(t)).size, 0);
});

test("counts of several files add up", () => {
  const sum = addCounts(new Map([["a", 1]]), new Map(Object.entries({ a: 2, b: 3 })));
  assert.deepEqual(Object.fromEntries(sum), { a: 3, b: 3 });
});
