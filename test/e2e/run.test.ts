import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { openStore } from "../../grader/store/store.ts";
import { readTrial } from "../../grader/trials/folder.ts";
import { waymark } from "../support/processes.ts";
import { CHAT, CHAT_OPTIONS, eventsIn, runPlace, sender } from "../support/run-command.ts";

const ONE = "waymark: 1\nscenario: one\nmarkers:\n  - { name: Begun, event: begun }\n  - { name: Done, event: done }\n";
const NODE = [process.execPath, "-e"];
const QUICK = ["--sink", "--markers", ".", "-s", "one"];

test("five runs of the bundled agent: the table has the true values, each run stands in its folder and in the database", async (t) => {
  const { run, cwd, runFolders } = runPlace(t);
  const said = await run(...CHAT_OPTIONS, "--", ...CHAT, "--seed", "52", "--success", "0.8");
  assert.equal(said.code, 1, said.stderr);
  const grades = [...said.stdout.matchAll(/^ ([1-5]) +(?:✓|✗) (pass|fail) +([0-9]\/5)/gm)].map(([, ...row]) => row);
  assert.deepEqual(grades, [
    ["1", "pass", "5/5"],
    ["2", "pass", "5/5"],
    ["3", "fail", "2/5"],
    ["4", "pass", "5/5"],
    ["5", "pass", "5/5"],
  ]);
  assert.match(said.stdout, /^ 3 .* done ▲$/m);
  assert.match(said.stdout, /^4 of 5 passed: 80% \(95% interval 38–96%\) {3}pass@3 1\.00 {3}pass\^3 0\.40$/m);
  assert.match(said.stdout, /^gate "all": not met by 1 run$/m);
  assert.match(said.stdout, /^1 of 5 stalled between Switched to design and Switched to support$/m);
  assert.match(said.stdout, /^5 runs cannot tell 80% from 95%; try --until-sure$/m);
  assert.match(said.stderr, /^run 3 of 5: ✗ fail 2\/5 markers, no Switched to support/m);

  const store = openStore(join(cwd, ".waymark", "waymark.db"), { readonly: true });
  t.after(() => store.close());
  const stored = [...store.listRuns()].reverse();
  assert.deepEqual(
    stored.map(({ trialIndex, verdict, ended, selfReport, agrees, trial, id }) => [
      trialIndex,
      verdict,
      ended,
      selfReport,
      agrees,
      trial === id,
    ]),
    [1, 2, 3, 4, 5].map((index) => [index, index === 3 ? "fail" : "pass", "exited with 0", "done", index !== 3, true]),
  );
  const trials = runFolders().map(readTrial);
  assert.deepEqual(
    trials.map(({ manifest }) => [manifest.id, manifest.state, manifest.end?.kind]),
    stored.map(({ id }) => [id, "graded", "exited"]),
  );
  const [batch] = store.listBatches();
  assert.deepEqual([batch?.verdict, batch?.exitCode], ["fail", 1]);
  assert.deepEqual(
    trials.map(({ manifest }) => existsSync(join(cwd, ".waymark", "runs", manifest.id, "tmp"))),
    Array(5).fill(false),
  );
  const passes = trials.filter(({ results }) => results[0]?.verdict === "pass");
  assert.ok(
    passes.every(({ manifest }) => manifest.settled?.why === "decided"),
    "nothing is waited for when all is found",
  );
  const failed = trials[2]?.manifest.settled;
  assert.deepEqual([failed?.why, failed?.awaited], ["idle", ["simple_collab_switch: Switched to support"]]);
});

test("--json is one document with the same figures, and nothing else is on stdout", async (t) => {
  const { json } = runPlace(t);
  const { said, document } = await json("-n", "2", ...CHAT_OPTIONS, "--", ...CHAT, "--seed", "52");
  assert.equal(said.stdout.trimEnd().split("\n").length, 1);
  assert.deepEqual(
    [document.schema, document.verdict, document.exit_code, said.code],
    ["waymark.batch/1", "pass", 0, 0],
  );
  assert.deepEqual([document.groups[0]?.stats.rate, document.results.length, document.trials.length], [1, 2, 2]);
  assert.equal(document.gate.words, 'gate "all": met, 2 of 2 passed and 2 were needed');
});

test("a run that says done with a marker missing fails; without its self-report not a byte of the verdict differs", async (t) => {
  const { json, cwd, runFolders, options, file } = runPlace(t);
  const words = ["-n", "1", ...CHAT_OPTIONS, "--", ...CHAT, "--seed", "1", "--success", "0"];
  const { document } = await json(...words);
  const [loud] = document.runs;
  assert.deepEqual([loud?.verdict, loud?.claim, loud?.agrees], ["fail", "done", false]);
  const [folder = ""] = runFolders();
  const before = readFileSync(join(folder, "result.json"), "utf8");
  rmSync(join(folder, "self-report.json"));
  const log = join(".waymark", "runs", document.trials[0]?.id ?? "", "telemetry");
  const regrade = () => waymark(["grade", log, "-s", "simple_collab_switch", "--no-store", "--json"], options);
  const [result] = (JSON.parse((await regrade()).stdout) as { results: object[] }).results;
  const kept = (JSON.parse(before) as { results: object[] }).results[0];
  assert.deepEqual({ ...result, run: "" }, { ...kept, run: "" });

  // The whole command with an agent that says nothing, or the opposite: the same verdict from the same events.
  const muted = file(
    "muted.mjs",
    `delete process.env.WAYMARK_SELF_REPORT; await import(${JSON.stringify(pathToFileURL(CHAT[1] ?? "").href)});`,
  );
  const seed = ["--seed", "1", "--success", "0"];
  const silent = await json("-n", "1", ...CHAT_OPTIONS, "--", process.execPath, muted, ...seed);
  assert.equal(silent.document.runs[0]?.claim, undefined);
  const shape = (one: typeof document) =>
    one.results.map(({ verdict, found, not_found, reached, waiting_for, coverage }) => {
      return { verdict, found, not_found, reached, waiting_for, coverage };
    });
  assert.deepEqual(shape(silent.document), shape(document));
  assert.equal(silent.document.exit_code, document.exit_code);
  assert.ok(existsSync(join(cwd, ".waymark", "waymark.db")));
});

test("each run has its own folder, TMPDIR, port and number, and what --task and --variant say", async (t) => {
  const { json, file, cwd, runFolders } = runPlace(t);
  file("one.yaml", ONE);
  file("tasks.yaml", "- { name: t1, env: { SIZE: 3 }, args: [--deep] }\n- t2\n");
  file(
    "app.js",
    sender(`
    const { existsSync } = require("node:fs");
    const keys = ["TMPDIR", "WAYMARK_RUN_ID", "WAYMARK_RUN_INDEX", "WAYMARK_RUN_DIR", "WAYMARK_FREE_PORT", "WAYMARK_TASK", "WAYMARK_VARIANT", "WAYMARK_SELF_REPORT", "SIZE"];
    const env = Object.fromEntries(keys.map((key) => [key, process.env[key] ?? null]));
    await send("begun", { env, args: process.argv.slice(2), tmp: existsSync(process.env.TMPDIR) });
    await send("done");`),
  );
  const command = `'${process.execPath}' app.js`;
  const { document } = await json(
    "-n",
    "1",
    "--task",
    "tasks.yaml",
    "--variant",
    `A=${command} --a`,
    "--variant",
    `B=${command}`,
    ...QUICK,
  );
  assert.equal(document.verdict, "pass");
  assert.deepEqual(
    document.groups.map(({ variant, task, stats }) => [variant, task, stats.passed]),
    [
      ["A", "t1", 1],
      ["B", "t1", 1],
      ["A", "t2", 1],
      ["B", "t2", 1],
    ],
  );
  const seen = runFolders().map(
    (folder) => eventsIn(folder)[0]?.data as { env: Record<string, string | null>; args: string[]; tmp: boolean },
  );
  assert.deepEqual(
    seen.map(({ args }) => args),
    [["--a", "--deep"], ["--deep"], ["--a"], []],
  );
  assert.deepEqual(
    seen.map(({ env }) => [env["WAYMARK_VARIANT"], env["WAYMARK_TASK"], env["SIZE"], env["WAYMARK_RUN_INDEX"]]),
    [
      ["A", "t1", "3", "1"],
      ["B", "t1", "3", "2"],
      ["A", "t2", null, "3"],
      ["B", "t2", null, "4"],
    ],
  );
  for (const key of ["TMPDIR", "WAYMARK_RUN_ID", "WAYMARK_RUN_DIR", "WAYMARK_SELF_REPORT"]) {
    assert.equal(new Set(seen.map(({ env }) => env[key])).size, 4, key);
  }
  assert.ok(
    seen.every(
      ({ env, tmp }) =>
        tmp &&
        env["WAYMARK_RUN_DIR"]?.startsWith(join(cwd, ".waymark", "runs")) &&
        Number(env["WAYMARK_FREE_PORT"]) > 0,
    ),
  );
});

test("a late event is waited for, and makes no flake", async (t) => {
  const { json, file } = runPlace(t);
  file("one.yaml", ONE);
  const child = sender(`await new Promise((resolve) => setTimeout(resolve, 700)); await send("done");`);
  const app = sender(
    `await send("begun"); require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { detached: true, stdio: "ignore" }).unref();`,
  );
  const { document } = await json("-n", "2", "--settle", "idle=2s,max=15s", ...QUICK, "--", ...NODE, app);
  assert.deepEqual(
    document.results.map(({ verdict }) => verdict),
    ["pass", "pass"],
  );
});

test("no telemetry: WM_RUN_NO_TELEMETRY with what the proxy saw, exit 3, and no failure in any figure", async (t) => {
  const { run, json, file } = runPlace(t);
  file("one.yaml", ONE);
  const mute = [...QUICK, "-n", "1", "--settle", "10ms", "--", ...NODE, "console.error('no network here')"];
  const said = await run(...mute);
  assert.equal(said.code, 3);
  assert.match(said.stdout, /error WM_RUN_NO_TELEMETRY: no telemetry reached the proxy in run 1/);
  assert.match(said.stdout, /exited with 0; the proxy saw 0 connections/);
  assert.match(said.stdout, /stderr: no network here/);
  assert.match(said.stdout, /likely: the app sent nothing, or goes round the proxy/);
  const { document } = await json(...mute);
  assert.deepEqual(
    [document.groups[0]?.stats.failed, document.groups[0]?.stats.inconclusive, document.gate.met],
    [0, 1, null],
  );
  const unseen =
    "require('node:net').connect(new URL(process.env.WAYMARK_PROXY_URL).port, '127.0.0.1', function () { this.end('CONNECT 127.0.0.1:9 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'); }).on('error', () => 0).resume()";
  const tunnelled = await run("--markers", ".", "-n", "1", "--settle", "10ms", "--", ...NODE, unseen);
  assert.match(tunnelled.stdout, /the proxy saw 1 connection/);
  assert.equal(tunnelled.code, 3);
});

test("a command that cannot be started is an error, WM_RUN_LAUNCH; --retry-errors tries again, and keeps each try", async (t) => {
  const { run, json, file } = runPlace(t);
  file("one.yaml", ONE);
  const said = await run(...QUICK, "-n", "1", "--", "no-such-program-anywhere");
  assert.equal(said.code, 3, said.stdout + said.stderr);
  assert.match(said.stdout, /error WM_RUN_LAUNCH: "no-such-program-anywhere" could not be started/);
  const flaky = sender(`const { existsSync, writeFileSync } = require("node:fs");
    if (!existsSync("once")) { writeFileSync("once", ""); return; } await send("begun"); await send("done");`);
  const { document } = await json(...QUICK, "-n", "1", "--retry-errors", "2", "--settle", "10ms", "--", ...NODE, flaky);
  assert.deepEqual(
    document.runs.map(({ verdict, retries, superseded }) => [verdict, retries, superseded]),
    [
      ["inconclusive", 0, true],
      ["pass", 1, false],
    ],
  );
  assert.deepEqual([document.groups[0]?.stats.flaky, document.groups[0]?.stats.n, document.exit_code], [true, 1, 0]);
});

test("--prepare and --cleanup run through the shell around each run; a --prepare that fails is an error, WM_RUN_PREPARE", async (t) => {
  const { run, json, file, cwd } = runPlace(t);
  file("one.yaml", ONE);
  const app = sender(`await send("begun"); await send("done");`);
  const { document, said } = await json(
    ...QUICK,
    "-n",
    "2",
    "--prepare",
    "echo $WAYMARK_RUN_INDEX >> before",
    "--cleanup",
    "echo $WAYMARK_RUN_INDEX >> after; exit 7",
    "--",
    ...NODE,
    app,
  );
  assert.equal(document.verdict, "pass");
  assert.equal(document.exit_code, 0, "a cleanup that fails is told and changes nothing");
  assert.match(said.stderr, /warning WM_RUN_PREPARE\n.*--cleanup failed with exit code 7/);
  assert.deepEqual(
    [readFileSync(join(cwd, "before"), "utf8"), readFileSync(join(cwd, "after"), "utf8")],
    ["1\n2\n", "1\n2\n"],
  );
  const failed = await run(
    ...QUICK,
    "-n",
    "1",
    "--prepare",
    "exit 9",
    "--cleanup",
    "echo x >> tidied",
    "--",
    ...NODE,
    app,
  );
  assert.equal(failed.code, 3);
  assert.match(failed.stdout, /error WM_RUN_PREPARE: --prepare failed with exit code 9/);
  assert.equal(readFileSync(join(cwd, "tidied"), "utf8"), "x\n");
});

test("a run that hangs is stopped at its time limit and graded with what came", async (t) => {
  const { json, file } = runPlace(t);
  file("one.yaml", ONE);
  const hang = "setInterval(() => {}, 1000); process.on('SIGTERM', () => {});";
  const both = await json(
    ...QUICK,
    "-n",
    "1",
    "--timeout",
    "2s",
    "--settle",
    "10ms",
    "--",
    ...NODE,
    sender(`${hang} await send("begun"); await send("done");`),
  );
  assert.deepEqual([both.document.results[0]?.verdict, both.document.trials[0]?.end?.kind], ["pass", "timeout"]);
  const half = await json(
    ...QUICK,
    "-n",
    "1",
    "--timeout",
    "2s",
    "--settle",
    "10ms",
    "--",
    ...NODE,
    sender(`${hang} await send("begun");`),
  );
  assert.deepEqual([half.document.results[0]?.verdict, half.document.exit_code], ["fail", 1]);
  assert.match(half.document.runs[0]?.note ?? "", /timed out after 2 s/);
});

test("--until-sure stops when it is sure", async (t) => {
  const { run, file } = runPlace(t);
  file("one.yaml", ONE);
  const good = await run(...QUICK, "--until-sure", "--", ...NODE, sender(`await send("begun"); await send("done");`));
  assert.equal(good.code, 0, good.stderr);
  assert.match(good.stdout, /sure after 6 runs: 6 passed, so "90% or better" rather than "50% or worse"/);
  const bad = await run(...QUICK, "--until-sure", "--settle", "10ms", "--", ...NODE, sender(`await send("begun");`));
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /sure after 2 runs: 0 passed/);
  const short = await run(
    ...QUICK,
    "--until-sure",
    "--max",
    "3",
    "--",
    ...NODE,
    sender(`await send("begun"); await send("done");`),
  );
  assert.equal(short.code, 5);
  assert.match(short.stdout, /undecided after 3 runs/);
  const forgiven = await run(
    ...QUICK,
    "--until-sure",
    "--max",
    "1",
    "--exit-zero",
    "--",
    ...NODE,
    sender(`await send("begun"); await send("done");`),
  );
  assert.equal(forgiven.code, 0);
});

test("--again runs what failed anew, with the same command", async (t) => {
  const { run, json, file } = runPlace(t);
  file("one.yaml", ONE);
  const command = (words: string) => `'${process.execPath}' app.js ${words}`;
  file("app.js", sender(`await send("begun"); if (process.argv[2] === "whole") await send("done");`));
  await run(
    ...QUICK,
    "-n",
    "1",
    "--settle",
    "10ms",
    "--variant",
    `good=${command("whole")}`,
    "--variant",
    `bad=${command("half 'a b'")}`,
  );
  const { document } = await json(...QUICK, "--again", "batch:latest", "-n", "2", "--settle", "10ms");
  assert.deepEqual(
    document.trials.map(({ variant, command: words }) => [variant, words.slice(1)]),
    Array(2).fill(["bad", ["app.js", "half", "a b"]]),
  );
});

test("a shared self-report file counts only when the run wrote it", async (t) => {
  const { json, file } = runPlace(t);
  file("one.yaml", ONE);
  file("said.json", '{"claim":"done"}');
  const app = sender(
    `await send("begun"); await send("done"); if (process.env.WAYMARK_RUN_INDEX === "2") require("node:fs").writeFileSync(process.env.WAYMARK_SELF_REPORT, '{"claim":"failed"}');`,
  );
  const { document } = await json(...QUICK, "-n", "3", "--self-report", "said.json", "--", ...NODE, app);
  assert.deepEqual(
    document.runs.map(({ claim }) => claim),
    [undefined, "failed", undefined],
  );
});

test("100 runs of the bundled agent, two at a time: none is mixed up", { timeout: 400_000 }, async (t) => {
  const { json, runFolders } = runPlace(t);
  const { document } = await json(
    "-n",
    "100",
    "--jobs",
    "2",
    "--settle",
    "100ms",
    ...CHAT_OPTIONS,
    "--",
    ...CHAT,
    "--seed",
    "7",
  );
  const sessions = new Map<unknown, string>();
  for (const folder of runFolders()) {
    const own = new Set(
      eventsIn(folder).map((event) => (event as unknown as { ext: { app: { sesId: string } } }).ext.app.sesId),
    );
    assert.equal(own.size, 1, `${folder} has the events of one session`);
    for (const id of own) {
      assert.equal(sessions.has(id), false, `${folder} and ${sessions.get(id)} share a session`);
      sessions.set(id, folder);
    }
  }
  assert.equal(sessions.size, 100);
  assert.deepEqual(
    document.trials.map(({ index }) => index),
    Array.from({ length: 100 }, (_, at) => at + 1),
  );
  const { passed = 0, failed = 0 } = document.groups[0]?.stats ?? {};
  assert.equal(passed + failed, 100);
  assert.ok(passed >= 64 && passed <= 94, `${passed} of 100 at 0.8: within four standard errors`);
});
