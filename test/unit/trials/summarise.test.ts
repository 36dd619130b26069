import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { binomialProbability } from "../../../grader/statistics/binomial.ts";
import { DEFAULT_SPRT } from "../../../grader/statistics/sprt.ts";
import { exitCodeOf, summarise } from "../../../grader/trials/summarise.ts";
import { batchOf, CELL, factsOf, trialOf, trialsOf } from "../../support/batches.ts";
import { needsShared, SHARED } from "../../support/project.ts";
import { seeded } from "../statistics/seeded.ts";

const group = (verdicts: string, more: Parameters<typeof batchOf>[1] = {}) => {
  const document = batchOf(verdicts, more);
  const [first] = document.groups;
  assert.ok(first);
  return { document, group: first, stats: first.stats };
};

test("four of five: rate, Wilson interval, pass@k and pass^k, and the sentences", () => {
  const { document, group: summed, stats } = group("PPFPP");
  assert.equal(stats.rate, 0.8);
  assert.equal(stats.interval?.low.toFixed(3), "0.376");
  assert.equal(stats.interval?.high.toFixed(3), "0.964");
  assert.deepEqual([stats.pass_at_k["2"], stats.pass_hat_k["2"], stats.pass_hat_k["5"]], [1, 0.6, 0]);
  assert.ok(Math.abs((stats.pass_hat_k["3"] ?? 0) - 0.4) < 1e-12);
  assert.deepEqual(summed.words, [
    "4 of 5 passed: 80% (95% interval 38–96%)   pass@3 1.00   pass^3 0.40",
    "1 of 5 stalled between a and b",
    "5 runs cannot tell 80% from 95%; try --until-sure",
  ]);
  assert.deepEqual(document.gate, { rule: "all", met: false, words: 'gate "all": not met by 1 run' });
  assert.deepEqual([document.verdict, document.exit_code], ["fail", 1]);
});

test(
  "I02: two passes, four failures and two errors name both rates and what each counts",
  needsShared("cases", "I02"),
  () => {
    const runs = JSON.parse(readFileSync(join(SHARED, "cases", "I02", "runs.json"), "utf8")) as { status: string }[];
    const letters = runs.map(({ status }) => ({ pass: "P", fail: "F", error: "E" })[status] ?? "?").join("");
    const { stats, group: summed, document } = group(letters, { gate: "any" });
    assert.deepEqual([stats.n, stats.passed, stats.failed, stats.errors], [8, 2, 4, 2]);
    assert.deepEqual([stats.rate, stats.rate_of_all], [2 / 6, 0.25]);
    assert.match(
      summed.words[0] ?? "",
      /^2 pass \/ 4 fail \/ 2 error of 8: 2\/6 = 33\.3% without .*, 2\/8 = 25\.0% with them as failures/,
    );
    assert.equal(document.gate.met, true, "any holds even had both errors failed");
    assert.match(document.gate.words, /2 runs could not be graded/);
  },
);

test("I05: passing and failing in turn is flaky, and so is passing only after an error; twice the same is the same", () => {
  assert.equal(group("FP").stats.flaky, true);
  assert.equal(group("PP").stats.flaky, false);
  assert.equal(group("FF").stats.flaky, false);
  const trials = [trialOf(1, "error"), trialOf(1, "pass", { retries: 1 }), trialOf(2, "pass")];
  const facts = factsOf(trials);
  const document = summarise(facts);
  const [summed] = document.groups;
  assert.deepEqual(
    [summed?.stats.n, summed?.stats.errors, summed?.stats.retried, summed?.stats.flaky],
    [2, 0, 1, true],
  );
  assert.ok(summed?.words.includes("flaky: 1 try ended in an error and was made again"));
  assert.deepEqual(
    document.runs.map(({ verdict, superseded }) => [verdict, superseded]),
    [
      ["error", true],
      ["pass", false],
      ["pass", false],
    ],
  );
  assert.equal(document.exit_code, 0);
  assert.equal(JSON.stringify(summarise(facts)), JSON.stringify(document));
});

test("exit codes: errors leave a gate open only where they matter", () => {
  const table: readonly (readonly [string, string, number])[] = [
    ["PPPPP", "all", 0],
    ["PPFPP", "all", 1],
    ["PPEPP", "all", 3],
    ["PFEPP", "all", 1],
    ["PPIPP", "all", 3],
    ["PFFFF", "any", 0],
    ["FFFFF", "any", 1],
    ["FFEFF", "any", 3],
    ["PPPPE", "4/5", 0],
    ["PPPEE", "4/5", 3],
    ["PPFFE", "4/5", 1],
    ["PPPPF", "80%", 0],
    ["EEEEE", "80%", 3],
    ["IIIII", "any", 3],
    ["PPPPPPPP", "lower:60%", 0],
    ["PPPPPPPF", "lower:60%", 1],
    ["PPPPPPPE", "lower:60%", 3],
  ];
  for (const [verdicts, gate, exit] of table) {
    assert.equal(batchOf(verdicts, { gate }).exit_code, exit, `${verdicts} against ${gate}`);
  }
  const bug = trialOf(1, "error");
  const results = bug.results.map((result) => ({ ...result, error: { code: "WM_BUG", message: "" } }));
  assert.equal(summarise(factsOf([{ ...bug, results }], { gate: "any" })).exit_code, 70);
});

test("exit codes: a signal wins, what could not be kept is 3, --exit-zero forgives 1 and 5 and nothing else", () => {
  const plain = { hasProblems: false, exitZero: false };
  assert.deepEqual(
    [0, 1, 3, 5, 70].map((code) => exitCodeOf(code, plain)),
    [0, 1, 3, 5, 70],
  );
  const forgiven = { ...plain, exitZero: true };
  assert.deepEqual(
    [0, 1, 3, 5, 70].map((code) => exitCodeOf(code, forgiven)),
    [0, 0, 3, 0, 70],
  );
  const unkept = { ...plain, hasProblems: true };
  assert.deepEqual(
    [0, 1, 3, 5, 70].map((code) => exitCodeOf(code, unkept)),
    [3, 3, 3, 3, 70],
  );
  assert.equal(exitCodeOf(0, { ...plain, stoppedWith: 130 }), 130);
  assert.equal(exitCodeOf(1, { ...forgiven, stoppedWith: 143 }), 143);
});

test("until sure: accepted, rejected, undecided, and undecided for want of grades", () => {
  const sure = (verdicts: string) => batchOf(verdicts, { sprt: DEFAULT_SPRT });
  const outcome = (verdicts: string) => {
    const { exit_code: exit, verdict, sprt, gate } = sure(verdicts);
    return [exit, verdict, sprt?.decision, gate.met];
  };
  assert.deepEqual(outcome("PPPPPP"), [0, "pass", "accept", true]);
  assert.deepEqual(outcome("FF"), [1, "fail", "reject", false]);
  const mixed = "PPPFPPPFPPPFPPPFPPPF";
  assert.deepEqual(outcome(mixed), [5, "undecided", "undecided", null]);
  assert.equal(
    sure(mixed).gate.words,
    'undecided after 20 runs: 15 passed. Neither "90% or better" nor "50% or worse" is settled.',
  );
  assert.deepEqual(outcome("E".repeat(20)).slice(0, 2), [3, "error"]);
  assert.deepEqual(outcome("PPEPPEPP").slice(0, 3), [0, "pass", "accept"]);
});

test("a stopped batch: its runs are summed up, those that were not made leave the gate open, and the signal is the exit code", () => {
  const trials = trialsOf("PP-");
  const design = { kind: "fixed", cells: [CELL], runs: 5 } as const;
  const document = summarise(factsOf(trials, { design, stoppedWith: 143 }));
  const [summed] = document.groups;
  assert.deepEqual([summed?.stats.n, summed?.stats.passed, summed?.stats.interrupted], [2, 2, 1]);
  assert.deepEqual([document.interrupted, document.gate.met, document.exit_code], [true, null, 143]);
  assert.ok(summed?.words.includes("1 run stopped and not graded"));
  assert.equal(summarise(factsOf(trialsOf("PF-"), { design, stoppedWith: 130 })).gate.met, false);
  assert.deepEqual(summarise(factsOf([], { design, stoppedWith: 130 })).groups[0]?.words, ["no runs"]);
});

test("groups are one per scenario, variant and task; the worst decides, and tasks are the unit of the mean", () => {
  const cells = ["A", "B"].flatMap((variant) => ["t1", "t2"].map((task) => ({ ...CELL, variant, task })));
  const trials = cells.flatMap(({ variant, task }, at) =>
    ["pass", at === 3 ? "fail" : "pass"].map((verdict, run) =>
      trialOf(at * 2 + run + 1, verdict as "pass", { variant, task }),
    ),
  );
  const document = summarise(factsOf(trials, { design: { kind: "fixed", cells, runs: 2 } }));
  assert.deepEqual(
    document.groups.map(({ variant, task, stats }) => [variant, task, stats.rate]),
    [
      ["A", "t1", 1],
      ["A", "t2", 1],
      ["B", "t1", 1],
      ["B", "t2", 0.5],
    ],
  );
  assert.equal(document.exit_code, 1);
  assert.equal(document.gate.words, 'gate "all": not met by 1 of 4 groups: s, variant B, task t2');
  assert.deepEqual(
    document.overall?.map(({ variant, by, clusters, rate }) => [variant, by, clusters, rate]),
    [
      ["A", "task", 2, 1],
      ["B", "task", 2, 0.75],
    ],
  );
  assert.match(document.overall?.[1]?.words ?? "", /^B: 75% over 2 tasks \(95% interval .*, clustered by task\)$/);
});

test("a pass at ten times the median of time or cost is called out, a failure at that price is not", () => {
  const at = (index: number, verdict: "pass" | "fail", ms: number, usd: number) =>
    trialOf(index, verdict, { ms, used: { cost_usd: usd } });
  const trials = [
    at(1, "pass", 1000, 0.04),
    at(2, "pass", 1000, 0.04),
    at(3, "pass", 1100, 0.5),
    at(4, "fail", 20_000, 0.04),
    at(5, "pass", 900, 0.04),
  ];
  const [summed] = summarise(factsOf(trials)).groups;
  assert.deepEqual(
    summed?.outliers.map(({ run, of, times }) => [run, of, Number(times.toFixed(1))]),
    [["01RUN0003R0", "cost", 12.5]].map(([run, ...rest]) => [String(run).replace(/R0$/, ""), ...rest]),
  );
  assert.ok(summed?.words.some((word) => /passed, but cost 13 times the median/.test(word)));
  assert.equal(summed?.cost?.total.toFixed(2), "0.66");
  assert.deepEqual([summed?.duration?.median, summed?.duration?.max, summed?.duration?.counted], [1000, 20_000, 5]);
  assert.equal(summed?.tokens, undefined, "what nobody counted is absent");
});

test("a claim that the grade contradicts is marked, and changes neither verdict nor figures", () => {
  const said = { claim: "done", claims_success: true };
  const silent = batchOf("PFE");
  const loud = summarise(factsOf(trialsOf("PFE", { self_report: said })));
  assert.deepEqual(
    loud.runs.map(({ agrees }) => agrees),
    [true, false, undefined],
  );
  assert.deepEqual(loud.groups, silent.groups);
  assert.deepEqual(loud.results, silent.results);
  assert.deepEqual([loud.verdict, loud.exit_code], [silent.verdict, silent.exit_code]);
});

test("10,000 simulated batches of five at 0.8: the interval of the summary covers 0.8 at the nominal rate", () => {
  const random = seeded(20_260_131);
  const batches = 10_000;
  const byPasses = Array.from({ length: 6 }, (_, passes) => {
    const interval = batchOf("P".repeat(passes) + "F".repeat(5 - passes)).groups[0]?.stats.interval;
    assert.ok(interval);
    return interval.low <= 0.8 && 0.8 <= interval.high;
  });
  let covered = 0;
  for (let batch = 0; batch < batches; batch++) {
    let passes = 0;
    for (let run = 0; run < 5; run++) if (random() < 0.8) passes++;
    if (byPasses[passes] === true) covered++;
  }
  // Exactly, by enumeration: 0.94208. Four standard errors of a share of 10,000 are 0.0094; 95% lies within them.
  const exact = byPasses.reduce((sum, isIn, passes) => sum + (isIn ? binomialProbability(passes, 5, 0.8) : 0), 0);
  assert.ok(Math.abs(exact - 0.94208) < 1e-9);
  assert.ok(Math.abs(covered / batches - exact) < 0.0094, `${covered} of ${batches}`);
  assert.ok(Math.abs(covered / batches - 0.95) < 0.0094 + 0.008, `nominal 95%: ${covered} of ${batches}`);
});
