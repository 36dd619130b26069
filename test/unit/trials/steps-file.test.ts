import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { parseStepLog, readStepLog, stepWarnings } from "../../../grader/trials/steps-file.ts";
import { renderFault } from "../../../proxy/record/fault.ts";
import { scratchFolder } from "../../support/scratch.ts";

const only = (line: string) => parseStepLog(line, "steps.ndjson", "log");

test("a step has a name and whatever figures its line gives", () => {
  const line =
    '{"name":"search","started_at":"2026-01-31T12:00:00.500Z","duration_ms":900,"cost_usd":0.002,"tokens_in":12,"tokens_out":3,"tokens":15,"model":"m"}';
  assert.deepEqual(only(line).steps, [
    {
      name: "search",
      kind: "log",
      startedMs: Date.UTC(2026, 0, 31, 12, 0, 0, 500),
      durationMs: 900,
      costUsd: 0.002,
      tokensIn: 12,
      tokensOut: 3,
      tokens: 15,
      model: "m",
    },
  ]);
});

test("figures written as text count; a start may be seconds or milliseconds since 1970", () => {
  const { steps, badCount } = only('{"name":"a","cost_usd":"0.0042","tokens":"7","started_at":1769860800.5}');
  assert.deepEqual([steps[0]?.costUsd, steps[0]?.tokens, steps[0]?.startedMs, badCount], [0.0042, 7, 1769860800500, 0]);
  assert.equal(only('{"name":"a","started_at":1769860800500}').steps[0]?.startedMs, 1769860800500);
});

test("a figure that is none is left out of its step and named with its place", () => {
  for (const [field, value] of [
    ["tokens_in", "9007199254740993"],
    ["tokens_in", "-1"],
    ["tokens_in", "1.5"],
    ["tokens_in", '"many"'],
    ["cost_usd", "-0.01"],
    ["cost_usd", '"NaN"'],
    ["cost_usd", "1e999"],
    ["cost_usd", "true"],
    ["cost_usd", '"0x10"'],
    ["duration_ms", "[]"],
    ["started_at", '"yesterday"'],
    ["started_at", "5"],
  ]) {
    const { steps, bad } = only(`\n{"name":"a","${field}":${value}}`);
    assert.deepEqual(steps, [{ name: "a", kind: "log" }], `${field} ${value}`);
    assert.equal(bad[0]?.line, 2);
    assert.match(bad[0]?.why ?? "", new RegExp(`without ${field}`));
  }
  assert.equal(only('{"name":"a","cost_usd":null}').badCount, 0);
  assert.equal(only('{"name":"a","cost_usd":NaN}').steps.length, 0, "no JSON");
});

test("lines that are no steps are counted, located, and keep no other line from counting", () => {
  const text = ["\uFEFF", "nonsense", "[1]", '{"name":""}', '{"cost_usd":1}', '{"name":"ok"}\r', '{"name":"cut'].join(
    "\n",
  );
  const log = only(text);
  assert.deepEqual(
    [log.steps.map(({ name }) => name), log.badCount, log.bad.map(({ line }) => line)],
    [["ok"], 5, [2, 3, 4, 5, 7]],
  );
  const [warning] = stepWarnings(log);
  assert.equal(warning?.code, "WM_RUN_STEP_LINE");
  assert.equal(warning?.severity, "warning");
  assert.match(warning === undefined ? "" : renderFault(warning), /^steps\.ndjson:2:1: warning WM_RUN_STEP_LINE/);
  const many = stepWarnings(only("x\n".repeat(500)));
  assert.equal(many.length, 11);
  assert.match(many.at(-1)?.message ?? "", /490 more/);
});

test("a step log that is not there is empty; one that is no file is told", (t) => {
  const folder = scratchFolder(t);
  assert.deepEqual(readStepLog(join(folder, "none"), "log"), { steps: [], badCount: 0, bad: [] });
  mkdirSync(join(folder, "folder"));
  assert.equal(readStepLog(join(folder, "folder"), "log").badCount, 1);
  writeFileSync(join(folder, "steps"), Buffer.from([0x7b, 0xff, 0x00, 0x0a]));
  assert.equal(readStepLog(join(folder, "steps"), "posted").badCount, 1);
});
