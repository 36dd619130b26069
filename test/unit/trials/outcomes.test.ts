import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { holm, type Outcome, outcomesOf, summariseOutcomes } from "../../../grader/trials/outcomes.ts";
import { readOutcomeFiles } from "../../../grader/trials/outcomes-read.ts";
import type { WaymarkError } from "../../../proxy/record/fault.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { trialOf } from "../../support/trials.ts";

function near(actual: number | null | undefined, expected: number): void {
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-9, `${actual} is not ${expected}`);
}

/** Outcomes of a variant: for each task its trials, 1 a success. */
function table(variant: string, tasks: Readonly<Record<string, readonly number[]>>): readonly Outcome[] {
  return Object.entries(tasks).flatMap(([task, trials]) =>
    trials.map((success, at) => ({ task, variant, trial: String(at), success: success === 1 })),
  );
}

const A = { t1: [1, 1, 1, 1], t2: [1, 0, 1, 0], t3: [0, 1] };
const B = { t1: [1, 0, 1, 0], t2: [0, 0, 1, 0], t3: [1, 0] };

test("pass@k and pass^k of a table worked out by hand", () => {
  const { ks, variants } = summariseOutcomes([...table("A", A), ...table("B", B)]);
  const [a] = variants;
  assert.deepEqual([ks, a?.tasks, a?.trials, a?.succeeded], [[1, 2, 3, 4], 3, 10, 7]);
  assert.deepEqual(a?.trials_per_task, { min: 2, max: 4 });
  const at = (k: number) => a?.at_k.find((one) => one.k === k);
  // k = 1: rates 1, 2/4, 1/2; mean 2/3.
  near(at(1)?.pass_at_k?.estimate, 2 / 3);
  near(at(1)?.pass_hat_k?.estimate, 2 / 3);
  near(a?.rate?.estimate, 2 / 3);
  // k = 2, at least one of two: 1; 1 - C(2,2)/C(4,2) = 5/6; 1 - C(1,2)/C(2,2) = 1; mean 17/18.
  near(at(2)?.pass_at_k?.estimate, 17 / 18);
  // k = 2, both: 1; C(2,2)/C(4,2) = 1/6; C(1,2)/C(2,2) = 0; mean 7/18.
  near(at(2)?.pass_hat_k?.estimate, 7 / 18);
  // Deviations from 7/18 in eighteenths: 11, -4, -7; squares 121 + 16 + 49 = 186; variance of the mean
  // 186 / 324 / 2 / 3 = 31 / 324. Student's t with 2 degrees is 4.30, so the interval is everything.
  near(at(2)?.pass_hat_k?.standard_error, Math.sqrt(31) / 18);
  assert.deepEqual(at(2)?.pass_hat_k?.interval, { low: 0, high: 1 });
  // k = 4: t3 has only two trials and is left out. At least one: 1 and 1. All: 1 and 0, mean 1/2, standard error
  // sqrt((1/4 + 1/4) / 1 / 2) = 1/2.
  assert.deepEqual([at(4)?.pass_at_k?.tasks, at(4)?.pass_at_k?.left_out], [2, 1]);
  near(at(4)?.pass_at_k?.estimate, 1);
  near(at(4)?.pass_hat_k?.estimate, 1 / 2);
  near(at(4)?.pass_hat_k?.standard_error, 1 / 2);
});

test("two variants are compared over the tasks they share, by hand", () => {
  const { comparisons } = summariseOutcomes([...table("A", A), ...table("B", { ...B, t4: [1] })], [1, 2]);
  const [pair] = comparisons;
  // Differences 1 - 1/2, 1/2 - 1/4 and 1/2 - 1/2: mean 1/4. Flips of +-2 and +-1 quarters: 3, 1, -1, -3; p = 2/4.
  near(pair?.difference?.estimate, 1 / 4);
  assert.deepEqual([pair?.p, pair?.evidence, pair?.tasks, pair?.only_a, pair?.only_b], [0.5, "none", 3, 0, 1]);
  // pass^2 of B: 1/6, 0, 0. Differences 5/6, 1/6, 0: mean 1/3.
  near(pair?.at_k[1]?.pass_hat_k?.estimate, 1 / 3);
});

test("a k beyond every task has no figure", () => {
  const [a] = summariseOutcomes(table("A", A), [9]).variants;
  assert.deepEqual(a?.at_k, [{ k: 9, pass_at_k: null, pass_hat_k: null }]);
});

test("p-values of several pairs are adjusted by Holm's steps", () => {
  // 0.01 * 3 = 0.03; 0.02 * 2 = 0.04; 0.03 * 1 = 0.03, never below the one before.
  assert.deepEqual(
    holm([0.03, 0.01, 0.02]).map((p) => Math.round(p * 1e9) / 1e9),
    [0.04, 0.03, 0.04],
  );
  assert.deepEqual(holm([0.9, 0.8]), [1, 1]);
});

test("graded runs become outcomes; interrupted ones do not", () => {
  const manifest = { task: "t", variant: "v" };
  const trials = (["pass", "fail", "inconclusive", "interrupted"] as const).map((verdict) =>
    trialOf({ verdict, manifest }),
  );
  assert.deepEqual(
    outcomesOf(trials, "s").map(({ trial, success }) => [trial, success]),
    [
      ["1", true],
      ["2", false],
      ["3", undefined],
    ],
  );
});

function write(t: TestContext, name: string, text: string): string {
  const file = join(scratchFolder(t), name);
  writeFileSync(file, text);
  return file;
}

test("aliases, booleans, rewards and unknown outcomes are read as documented", (t) => {
  const rows = [
    { task: "a", variant: "m", trial: 1, success: true },
    { task_id: 7, model: "m", trial_id: "x", reward: 1.0 },
    { Task: "a", agent: "m", attempt: 2, reward: 0.99 },
    { task: "a", variant: "m", trial: 3, passed: "1" },
    { task: "a", variant: "m", trial: 4, score: -1 },
    { task: "a", variant: "m", trial: 5, verdict: "error" },
    { task: "a", variant: "m", trial: 6, success: null },
    { instance_id: "b", resolved: false },
  ];
  const file = write(t, "bench.ndjson", `\ufeff${rows.map((row) => JSON.stringify(row)).join("\r\n")}\n\n`);
  const { outcomes, notes } = readOutcomeFiles([file]);
  assert.deepEqual(
    outcomes.map(({ task, variant, trial, success }) => [task, variant, trial, success]),
    [
      ["a", "m", "1", true],
      ["7", "m", "x", true],
      ["a", "m", "2", false],
      ["a", "m", "3", true],
      ["a", "m", "4", false],
      ["a", "m", "5", undefined],
      ["a", "m", "6", undefined],
      ["b", "bench", "#1", false],
    ],
  );
  assert.deepEqual(notes, [
    "2 of 8 trials have no outcome and are in no figure",
    "1 of 8 rewards lie between 0 and 1 and count as no success",
    "1 of 8 lines have no trial and are numbered in their order",
  ]);
});

test("CSV and a JSON list give the same outcomes as NDJSON", (t) => {
  const csv = write(t, "a.csv", 'task,model,trial,success\r\n"a, ""b""\nc",m,1,1\r\nd,m,1,0.5\r\n');
  const tabs = write(t, "a.tsv", 'task\tmodel\ttrial\tsuccess\n"a, ""b""\nc"\tm\t1\ttrue\nd\tm\t1\tfalse\n');
  const list = write(
    t,
    "a.json",
    JSON.stringify(
      [
        { task: 'a, "b"\nc', model: "m", trial: 1, success: true },
        { task: "d", model: "m", trial: 1, success: 0 },
      ],
      undefined,
      2,
    ),
  );
  const [first, ...others] = [csv, tabs, list].map((file) => readOutcomeFiles([file]).outcomes);
  for (const other of others) assert.deepEqual(other, first);
  assert.deepEqual(first?.[0], { task: 'a, "b"\nc', variant: "m", trial: "1", success: true });
});

function faultsOf(files: readonly string[]): readonly string[] {
  try {
    readOutcomeFiles(files);
  } catch (error) {
    return (error as WaymarkError).faults.map(({ code, place, message }) => `${code}:${place?.line}: ${message}`);
  }
  return [];
}

test("every bad line is told by its place, and nothing is counted", (t) => {
  const file = write(
    t,
    "bad.ndjson",
    '{"task":"a","success":1}\n{"task":"a"\n{"success":1}\n{"task":"a","success":"maybe"}\n[1]\n{"task":"a","sucess":1}\n',
  );
  const faults = faultsOf([file]);
  assert.deepEqual(
    faults.map((text) => text.slice(0, 19)),
    ["WM_COMPARE_TABLE:2:", "WM_COMPARE_TABLE:3:", "WM_COMPARE_TABLE:4:", "WM_COMPARE_TABLE:5:", "WM_COMPARE_TABLE:6:"],
  );
  assert.match(faults[2] ?? "", /the success "maybe" is neither yes, no nor a number/);
  assert.match(faults[4] ?? "", /"sucess" is none of them/);
  const list = write(t, "bad.json", '[\n {"task": "a", "success": 1},\n {"task": "b"},\n 3\n]');
  assert.deepEqual(
    faultsOf([list]).map((text) => text.slice(0, 19)),
    ["WM_COMPARE_TABLE:3:", "WM_COMPARE_TABLE:4:"],
  );
  const csv = write(t, "bad.csv", 'task,success\na,1\n"b\nc",1,2\nd,"1\n');
  assert.deepEqual(
    faultsOf([csv])
      .map((text) => text.slice(0, 19))
      .sort(),
    ["WM_COMPARE_TABLE:3:", "WM_COMPARE_TABLE:5:"],
  );
});

test("a trial that stands twice is told with the place of the first one", (t) => {
  const line = '{"task":"a","variant":"m","trial":1,"success":1}\n';
  const file = write(t, "twice.ndjson", line + line);
  assert.deepEqual(faultsOf([file]), [
    `WM_COMPARE_TABLE_TWICE:2: trial 1 of task "a" by "m" stands already at ${file}:1`,
  ]);
});

test("an empty table, one that is not there and one that is not text are errors", (t) => {
  assert.throws(() => readOutcomeFiles([write(t, "e.ndjson", " \n")]), { code: "WM_COMPARE_TABLE_EMPTY" });
  assert.throws(() => readOutcomeFiles([write(t, "h.csv", "task,success\n")]), { code: "WM_COMPARE_TABLE_EMPTY" });
  assert.throws(() => readOutcomeFiles(["nowhere.ndjson"]), { code: "WM_COMPARE_TABLE" });
  const binary = join(scratchFolder(t), "b.ndjson");
  writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x00]));
  assert.throws(() => readOutcomeFiles([binary]), { code: "WM_COMPARE_TABLE" });
});
