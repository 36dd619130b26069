import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { runProgram } from "../support/processes.ts";
import { needsShared, SHARED } from "../support/project.ts";

const GROUPS = /^[AK][0-9]{2}$/;
/** Where cases of the two groups are tested. */
const FILES = ["proxy-cases.js", "evaluator.test.js", "language.test.js"];

interface Row {
  readonly id: string;
  readonly title: string;
  readonly outcome: "holds" | "FAILS" | "skipped";
}

/** Lines of a TAP report that name a case. */
function rowsIn(tap: string): Row[] {
  return tap.split("\n").flatMap((line): Row[] => {
    const [, not, name = "", skip] = /^(not )?ok [0-9]+ - (.*?)(?: # (SKIP.*|TODO.*))?$/.exec(line) ?? [];
    const [, ids = "", title = ""] = /^([AK][0-9]{2}(?: and [AK][0-9]{2})*): (.*)$/.exec(name) ?? [];
    const outcome = not !== undefined ? "FAILS" : skip !== undefined ? "skipped" : "holds";
    return ids === "" ? [] : ids.split(" and ").map((id) => ({ id, title, outcome }));
  });
}

test("groups A (proxy, TLS, HTTP) and K (security): every case holds", needsShared("cases"), async (t) => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const files = FILES.map((file) => join(folder, file));
  const options = ["--test", "--test-reporter=tap", "--test-concurrency=1", "--test-name-pattern=/^[AK][0-9][0-9]/"];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await runProgram(process.execPath, [...options, ...files], {
    env: { ...env, NODE_TEST_CONTEXT: undefined },
  });
  const rows = rowsIn(stdout).sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  for (const { id, outcome, title } of rows) t.diagnostic(`${id}  ${outcome.padEnd(7)}  ${title}`);
  const tested = new Set(rows.map(({ id }) => id));
  const known = readdirSync(join(SHARED, "cases")).filter((name) => GROUPS.test(name));
  t.diagnostic(`${tested.size} cases of ${known.length}, ${rows.length} tests`);
  assert.deepEqual(
    known.filter((id) => !tested.has(id)),
    [],
    `cases without a test\n${stdout.slice(-4000)}`,
  );
  const failed = rows.filter(({ outcome }) => outcome === "FAILS");
  assert.deepEqual(failed, [], stdout.slice(-8000));
});
