import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createLineKernel } from "../../grader/read/line-kernel.ts";
import { stringifyJson } from "../../proxy/record/json.ts";
import { readOracle } from "../support/oracle.ts";
import { needsShared } from "../support/project.ts";
import { compareScans, type Gradable, gradeLog, seated, withoutUnchecked } from "../support/scan-differential.ts";
import { scratchFolder } from "../support/scratch.ts";

test("on the cases of the oracles, scan and plain reading agree too", needsShared("oracles"), async (t) => {
  const file = join(scratchFolder(t), "oracle.log");
  let passed = 0;
  for (const name of ["markers_core", "rules_core", "stream_env", "cep", "sql_match_recognize"]) {
    for (const { id, pattern, events } of readOracle(name)) {
      if (pattern?.waymark?.markers === undefined) continue;
      const lines = events.map((event) => `${stringifyJson(event)}\n`).join("");
      // Many events of one name before the case's own: those are passed, and must not move anything.
      const others = Array.from({ length: 20 }, (_, at) => `{"name":"elsewhere","t":${at}}\n`).join("");
      writeFileSync(file, others + lines + others + lines);
      const one: Gradable = { seats: seated([pattern.waymark]), blockBytes: 512, lineBytes: 1 << 20 };
      const fast = await gradeLog(file, one, { mode: "scan", rule: { kind: "all" } });
      const plain = await gradeLog(file, one, { mode: "plain", rule: { kind: "all" } });
      assert.deepEqual(fast.outcome, plain.outcome, id);
      const quick = await gradeLog(file, one, { mode: "quick", rule: { kind: "all" } });
      assert.deepEqual(withoutUnchecked(quick.outcome), plain.outcome, id);
      passed += fast.passed;
    }
  }
  assert.ok(passed > 500, `only ${passed} events were passed`);
});

/** How many logs: WAYMARK_BIG=1 is the number that a release is held against. */
const SEEDS = process.env["SCAN_SEEDS"] ?? (process.env["WAYMARK_BIG"] === "1" ? "1,50000" : "1,300");

test("a scan that parses only what is wanted gives what parsing every line gives", async (t) => {
  assert.notEqual(createLineKernel({ name: "name", time: "time" }, 64), undefined, "the kernel is built and loads");
  const [first = 1, count = 0] = SEEDS.split(",").map(Number);
  t.diagnostic(`seeds ${SEEDS} (first, count)`);
  const { passed, unchecked } = await compareScans({ first, count, folder: scratchFolder(t) });
  assert.ok(passed > 10 * count, `only ${passed} events were passed`);
  assert.ok(unchecked > 5 * count, `only ${unchecked} lines were taken for readable`);
});

/** Long logs take a hundred times as long each. */
const LONG_SEEDS = process.env["SCAN_LONG_SEEDS"] ?? (process.env["WAYMARK_BIG"] === "1" ? "1,1000" : "1,60");

test("the same with lines of a megabyte and more, whose events may open the session and are mostly not parsed", async (t) => {
  const [first = 1, count = 0] = LONG_SEEDS.split(",").map(Number);
  t.diagnostic(`seeds ${LONG_SEEDS} (first, count)`);
  const { passed } = await compareScans({ first, count, folder: scratchFolder(t), areLong: true });
  assert.ok(passed > 5 * count, `only ${passed} events were passed`);
});
