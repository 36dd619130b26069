import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { tableOf } from "../../../grader/trials/csv.ts";
import { readCsv } from "../../../grader/trials/csv-read.ts";
import { readOutcomeFiles } from "../../../grader/trials/outcomes-read.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { trialOf } from "../../support/trials.ts";

/** Rows as objects, by the header. */
function rowsOf(text: string): readonly Readonly<Record<string, string>>[] {
  const { rows, problems } = readCsv(text);
  assert.deepEqual(problems, []);
  const [header, ...body] = rows;
  return body.map(({ cells }) => Object.fromEntries((header?.cells ?? []).map((name, at) => [name, cells[at] ?? ""])));
}

test("a row per run and scenario, with what was counted and nothing else", () => {
  const trial = trialOf({
    verdict: "fail",
    manifest: {
      batch: "B",
      variant: "v",
      task: "t",
      used: { cost_usd: 0.25, tokens_in: 10 },
      versions: { app: "1.2" },
      measures: { backtracks: 0 },
      self_report: { claim: "done", claims_success: true },
      review: { verdict: "pass", note: "it did", at: "2026-01-01T00:00:00.000Z" },
    },
  });
  const [result] = trial.results;
  assert.ok(result !== undefined);
  const two = { ...trial, results: [result, { ...result, scenario: "z", run: "other" }] };
  const rows = rowsOf(tableOf([two, trialOf({ verdict: "interrupted" })]));
  assert.deepEqual(
    rows.map(({ run, scenario, verdict }) => [run, scenario, verdict]),
    [
      [trial.manifest.id, "s", "fail"],
      [trial.manifest.id, "z", "fail"],
      [rows[2]?.["run"], "", "interrupted"],
    ],
  );
  const [first, , last] = rows;
  assert.deepEqual(
    ["batch", "variant", "task", "cost_usd", "tokens_in", "tokens_out", "version:app", "measure:backtracks"].map(
      (name) => first?.[name],
    ),
    ["B", "v", "t", "0.25", "10", "", "1.2", "0"],
  );
  assert.deepEqual([first?.["claim"], first?.["claims_success"], first?.["review"]], ["done", "true", "pass"]);
  assert.deepEqual([last?.["cost_usd"], last?.["measure:backtracks"], last?.["coverage"]], ["", "", ""]);
});

test("texts that a spreadsheet would run are guarded, numbers are not", () => {
  const text = tableOf([
    trialOf({
      verdict: "fail",
      manifest: { task: "=1+1", variant: "-x", index: -1 },
      result: { reason: '@a, "b"\r\nc' },
    }),
  ]);
  assert.match(text, /,'-x,'=1\+1,-1,/);
  assert.match(text, /,"'@a, ""b""\r\nc",/);
  assert.ok(text.split("\r\n")[0]?.startsWith("run,batch,variant,task,trial,scenario,markers_sha256,verdict,"));
});

test("compare --outcomes reads what was exported, names as they were", (t) => {
  const file = join(scratchFolder(t), "runs.csv");
  const task = "'=x, y";
  writeFileSync(
    file,
    tableOf([
      trialOf({ verdict: "pass", manifest: { task, variant: "m" } }),
      trialOf({ verdict: "error", manifest: { task, variant: "m" } }),
    ]),
  );
  assert.deepEqual(
    readOutcomeFiles([file]).outcomes.map((outcome) => [outcome.task, outcome.variant, outcome.success]),
    [
      [task, "m", true],
      [task, "m", undefined],
    ],
  );
});

test("several batches and scenarios, and runs without a task, can be read as outcomes", (t) => {
  const file = join(scratchFolder(t), "all.csv");
  const [one, two] = [
    trialOf({ verdict: "pass", manifest: { batch: "B1", index: 1 } }),
    trialOf({ verdict: "fail", manifest: { batch: "B2", index: 1 } }),
  ] as const;
  const [result] = two.results;
  assert.ok(result !== undefined);
  writeFileSync(file, tableOf([one, { ...two, results: [result, { ...result, scenario: "z" }] }]));
  assert.deepEqual(
    readOutcomeFiles([file]).outcomes.map(({ task, variant, trial }) => [task, variant, trial]),
    [
      ["s", "all", "B1/1"],
      ["s", "all", "B2/1"],
      ["z", "all", "B2/1"],
    ],
  );
});

test("quotes that are not closed and text behind them are told with their line", () => {
  assert.deepEqual(readCsv('a,b\n"c"d,e\n').problems, [{ line: 2, why: "text stands behind a closing quote" }]);
  assert.deepEqual(readCsv('a\n\n"b').problems, [{ line: 3, why: "a quoted cell is never closed" }]);
  assert.deepEqual(readCsv('a,"b""\n,c"\r\n\r\nd,').rows, [
    { line: 1, cells: ["a", 'b"\n,c'] },
    { line: 4, cells: ["d", ""] },
  ]);
});
