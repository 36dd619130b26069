import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { gradeLogs } from "../../../grader/grade.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import type { ScenarioResult } from "../../../grader/verdict.ts";
import { scratchFolder } from "../../support/scratch.ts";

const TEXT =
  "waymark: 1\nscenario: s\nmarkers:\n  - { name: first, event: a }\n  - { name: last, event: b, where: { data.k: 1 } }\n";
const TORN = '{"name":"idle","time":"2026-01-01T00:00:09.000Z","data":{"k":tru}}\n';

function line(name: string, second: number, k = 0): string {
  const time = `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`;
  return `${JSON.stringify({ name, time, data: { k, os: { name: "b" } } })}\n`;
}

async function grade(t: TestContext, log: string, fast: boolean): Promise<ScenarioResult> {
  const file = join(scratchFolder(t), "t.log");
  writeFileSync(file, log);
  const scenarios = [parseScenario(TEXT, "markers/s.yaml")];
  const [result] = (await gradeLogs({ logs: [file], scenarios, fast, newRunId: () => "r" })).document.results;
  assert.ok(result !== undefined);
  return { ...result, log: "", range: "", bad_lines: [], markers: result.markers.map((one) => ({ ...one, file: "" })) };
}

const idle = Array.from({ length: 30 }, (_, second) => line("idle", second)).join("");
const passing = `${line("idle", 0)}${line("a", 1)}${idle}${line("b", 31, 1)}${line("idle", 30)}`;

test("a pass of --fast is the exact one, and says how many lines were taken for readable instead of how many were bad", async (t) => {
  const { lines_bad, lines_unchecked, ...fast } = await grade(t, passing, true);
  const { lines_bad: bad, ...exact } = await grade(t, passing, false);
  assert.deepEqual(fast, exact);
  assert.deepEqual([fast.verdict, fast.match_indices, fast.events, fast.stream.steps_back], ["pass", [1, 32], 34, 2]);
  assert.deepEqual([bad, lines_bad], [0, null]);
  assert.ok(lines_unchecked !== undefined && lines_unchecked > 20 && lines_unchecked < 34, `${lines_unchecked}`);
});

test("an unreadable line cannot turn a pass of --fast into anything else", async (t) => {
  const fast = await grade(t, passing.replace(line("b", 31, 1), TORN + line("b", 31, 1)), true);
  assert.deepEqual([fast.verdict, fast.match_indices], ["pass", [1, 33]]);
});

test("a verdict of --fast other than pass comes from a reading of every line", async (t) => {
  const failing = await grade(t, `${line("a", 1)}${idle}`, true);
  assert.deepEqual([failing.verdict, failing.lines_bad, failing.lines_unchecked], ["fail", 0, undefined]);
  const torn = await grade(t, `${line("a", 1)}${idle}${TORN}${idle}`, true);
  assert.deepEqual([torn.verdict, torn.lines_bad], ["inconclusive", 1]);
});

test("a name given twice, hidden in an escape or behind other fields is found by --fast too", async (t) => {
  const twice = `{"name":"idle","time":"2026-01-01T00:00:31.000Z","data":{"k":1},"name":"b"}\n`;
  const spelled = `{"name":"idle","time":"2026-01-01T00:00:31.000Z","data":{"k":1},"n\\u0061me":"b"}\n`;
  const late = `{"x":1,"y":2,"data":{"k":1} , "name" : "b"}\n`;
  for (const last of [twice, spelled, late]) {
    const result = await grade(t, line("a", 1) + idle + last, true);
    assert.deepEqual([result.verdict, result.match_indices], ["pass", [0, 31]], last);
  }
});
