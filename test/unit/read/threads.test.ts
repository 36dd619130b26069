import assert from "node:assert/strict";
import { truncateSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { helpersFor } from "../../../grader/read/threads.ts";
import { scratchFolder } from "../../support/scratch.ts";

test("one more thread reads a large log where there are two processors, none a small one", (t) => {
  const folder = scratchFolder(t);
  const [small, large] = [join(folder, "small.log"), join(folder, "large.log")];
  writeFileSync(small, "");
  writeFileSync(large, "");
  truncateSync(large, 300 * 2 ** 20); // takes no room: nothing was written there
  assert.equal(helpersFor([{ file: small }], {}), 0);
  const expected = availableParallelism() > 1 ? 1 : 0;
  assert.equal(helpersFor([{ file: large }], {}), expected);
  assert.equal(helpersFor([{ file: small }, { file: large }], {}), expected, "the files of a series count together");
  assert.equal(helpersFor([{ file: join(folder, "gone.log") }], {}), 0);
});

test("the wish for threads is heard, except where the log is followed", () => {
  assert.equal(helpersFor([], { threads: 1 }), 0);
  assert.equal(helpersFor([], { threads: 3 }), 2);
  assert.equal(helpersFor([], { threads: 1000 }), 7);
  assert.equal(helpersFor([], { threads: 3, follow: {} }), 0);
});
