import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { wilson } from "../../grader/statistics/interval.ts";
import type { BatchDocument } from "../../grader/trials/batch.ts";
import { NEEDS_CHROMIUM } from "../support/chromium.ts";
import { chatLines, fiveChats, writeChats } from "../support/evaluator.ts";
import { runProgram, startProxy, startServe, waymark } from "../support/processes.ts";
import { PROJECT } from "../support/project.ts";
import { CHAT, CHAT_OPTIONS, runPlace } from "../support/run-command.ts";
import { scratchFolder } from "../support/scratch.ts";
import { FIVE_CHATS } from "../support/telemetry.ts";

const PYTHON = ["python3", "python"].find((name) => spawnSync(name, ["--version"]).status === 0);
const NEEDS_PYTHON = { skip: PYTHON === undefined ? "no Python is installed" : false };
const CHROMIUM = [process.env["CHROMIUM"] ?? "", "/usr/bin/chromium"].find((path) => path !== "" && existsSync(path));

test(
  "a Python script with only the standard library runs the bundled agent five times through HTTP",
  NEEDS_PYTHON,
  async (t) => {
    const cwd = scratchFolder(t);
    const env = { WAYMARK_CA_DIR: join(cwd, "ca") };
    const proxy = await startProxy(t, ["--host", "events.chat.example", "--sink", "--out", "logs"], { cwd, env });
    const server = await startServe(t, ["--db", "w.db"], { cwd, env });
    const script = join(PROJECT, "examples", "python", "five_runs.py");
    const agent = ["--", process.execPath, join(PROJECT, "dist", "examples", "chat", "main.js"), "--seed", "52"];
    const words = [script, "--url", server.url, "--log", join(cwd, "logs"), "--idle", "300ms", "--json", ...agent];
    const proxied = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: join(env.WAYMARK_CA_DIR, "waymark-ca.pem") };
    const { code, stdout, stderr } = await runProgram(PYTHON ?? "", words, { cwd, env: { ...env, ...proxied } });
    const document = JSON.parse(stdout);
    const [group] = document.groups;
    // the seed's third run is the bad one: the same story as `waymark demo` tells
    assert.deepEqual(
      document.results.map(({ verdict }: { verdict: string }) => verdict),
      ["pass", "pass", "fail", "pass", "pass"],
      stderr,
    );
    const { low, high } = wilson({ passed: 4, runs: 5 });
    assert.deepEqual([group.stats.n, group.stats.passed, group.stats.rate], [5, 4, 0.8]);
    assert.deepEqual([group.stats.interval.low, group.stats.interval.high], [low, high]);
    assert.deepEqual([document.gate.met, document.exit_code, code], [false, 1, 1]);
    assert.deepEqual(
      document.trials.map(({ self_report }: { self_report: { claim: string } }) => self_report.claim),
      Array(5).fill("done"),
    );
    const listed = await waymark(["runs", "list", "--db", "w.db", "--json"], { cwd });
    assert.equal(JSON.parse(listed.stdout).runs.length, 5);
  },
);

test(
  "runs over HTTP and `waymark run` of the same seed come to the same statistics, claims and measures",
  NEEDS_PYTHON,
  async (t) => {
    const { json } = runPlace(t);
    const seed = ["--seed", "52", "--success", "0.8"];
    const { document: byRun } = await json("-n", "5", ...CHAT_OPTIONS, "--", ...CHAT, ...seed);
    const cwd = scratchFolder(t);
    const env = { WAYMARK_CA_DIR: join(cwd, "ca") };
    const proxy = await startProxy(t, ["--host", "events.chat.example", "--sink", "--out", "logs"], { cwd, env });
    const server = await startServe(t, ["--db", "w.db"], { cwd, env });
    const script = join(PROJECT, "examples", "python", "five_runs.py");
    const words = [script, "--url", server.url, "--log", join(cwd, "logs"), "--idle", "300ms", "--json"];
    const proxied = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: join(env.WAYMARK_CA_DIR, "waymark-ca.pem") };
    const said = await runProgram(PYTHON ?? "", [...words, "--", ...CHAT, ...seed], {
      cwd,
      env: { ...env, ...proxied },
    });
    const byHttp = JSON.parse(said.stdout) as BatchDocument;
    const told = ({ groups, gate, verdict, exit_code, agreement, trials, results }: BatchDocument) => ({
      groups: groups.map(({ scenario, markers_sha256, stats, gate: own, stalls }) => [
        scenario,
        markers_sha256,
        stats,
        own,
        stalls,
      ]),
      gate,
      verdict,
      exit_code,
      agreement: agreement && { ...agreement, disagreeing: agreement.disagreeing.length },
      // how many events of its own the app sends besides, and so where markers stand, differs from run to run
      runs: trials.map(({ index, state, end, self_report, measures }) => {
        return [index, state, end, self_report, Object.keys(measures ?? {})];
      }),
      results: results.map(({ verdict: one, found, not_found }) => [one, found, not_found]),
    });
    assert.deepEqual(told(byHttp), told(byRun), said.stderr);
    assert.deepEqual(byRun.groups[0]?.stats.n, 5);
  },
);

test("the pytest fixture grades, and a failure shows what came nearest", NEEDS_PYTHON, async (t) => {
  if (spawnSync(PYTHON ?? "", ["-m", "pytest", "--version"]).status !== 0) return t.skip("pytest is not installed");
  const cwd = scratchFolder(t);
  const server = await startServe(t, ["--no-store"], { cwd });
  const words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", join(PROJECT, "examples", "pytest")];
  const grade = (chats: readonly string[]) =>
    runProgram(PYTHON ?? "", words, {
      cwd,
      env: { WAYMARK_URL: server.url, CHAT_LOG: writeChats(cwd, chats), PYTHONDONTWRITEBYTECODE: "1" },
    });
  assert.equal((await grade(FIVE_CHATS)).code, 0);
  const failed = await grade(["general", "design", "design"]);
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /'Switched to support' never reached/);
});

test("the shell example ends with the verdict's exit code", {
  skip: process.platform === "win32" ? "a POSIX shell" : false,
}, async (t) => {
  const cwd = scratchFolder(t);
  const server = await startServe(t, ["--no-store"], { cwd });
  const grade = async (log: string, scenario?: string): Promise<number | null> => {
    const words = [join(PROJECT, "examples", "shell", "grade.sh"), log, ...(scenario === undefined ? [] : [scenario])];
    return (await runProgram("sh", words, { cwd, env: { WAYMARK_URL: server.url } })).code;
  };
  assert.equal(await grade(writeChats(cwd, FIVE_CHATS)), 0);
  assert.equal(await grade(writeChats(cwd, ["general"])), 1);
  assert.equal(await grade(join(cwd, "none.log")), 3);
  assert.equal(await grade(join(cwd, "none.log"), "no_such_scenario"), 2);
});

test(
  "the Playwright fixture passes on the chat page, and fails with the nearest miss when the page is broken",
  NEEDS_CHROMIUM,
  async (t) => {
    const cwd = join(PROJECT, "examples", "playwright");
    const folder = scratchFolder(t);
    const cli = join(PROJECT, "node_modules", "@playwright", "test", "cli.js");
    const play = (broken: string, reporter: string) =>
      runProgram(
        process.execPath,
        [cli, "test", `--reporter=${reporter}`, "--timeout=120000", "--output", join(folder, "out")],
        {
          cwd,
          env: {
            CHROMIUM,
            BROKEN: broken,
            WAYMARK_CA_DIR: join(folder, "ca"),
            NO_COLOR: "1",
            FORCE_COLOR: undefined,
            NODE_TEST_CONTEXT: undefined,
          },
        },
      );
    const good = await play("0", "list");
    assert.equal(good.code, 0, good.stdout + good.stderr);
    const bad = await play("1", "json");
    assert.equal(bad.code, 1);
    const [{ errors, attachments }] = JSON.parse(bad.stdout).suites[0].specs[0].tests[0].results;
    assert.match(errors[0].message, /expected the app to have reached "simple_collab_switch"/);
    assert.match(errors[0].message, /nearest .*data\.chatId is "design", wanted "support"/);
    const names = attachments.map(({ name }: { name: string }) => name);
    for (const name of ["grade.json", "waymark.txt", "telemetry.ndjson"]) assert.ok(names.includes(name), name);
  },
);

test("serve says where it listens, grades like the CLI, and stops with the signal's exit code", async (t) => {
  const cwd = scratchFolder(t);
  const log = writeChats(cwd, FIVE_CHATS);
  const server = await startServe(t, ["--db", "w.db", "--allow-command", `version="${process.execPath}" --version`], {
    cwd,
  });
  const body = JSON.stringify({
    evaluation: [fiveChats(log), { evaluator: "command", name: "version", contains: "v" }],
  });
  const response = await fetch(server.url, { method: "POST", body, headers: { "Content-Type": "application/json" } });
  const answer = (await response.json()) as { verdict: string; summary: string };
  assert.deepEqual([answer.verdict, answer.summary], ["pass", "2 of 2 items passed"]);
  const { code, stderr } = await server.stop("SIGTERM");
  assert.equal(code, 143);
  assert.match(stderr, /may see +every file this user may read/);
  for (const [words, exit, text] of [
    [["--listen", "0.0.0.0"], 2, /WM_SERVE_OPEN/],
    [["--root", "none"], 2, /WM_SERVE_ROOT/],
    [["--wait-limit", "5"], 2, /WM_USAGE_DURATION/],
    [["--allow-command", "x"], 2, /NAME=COMMAND/],
  ] as const) {
    const refused = await waymark(["serve", "--port", "0", ...words], { cwd });
    assert.equal(refused.code, exit, refused.stderr);
    assert.match(refused.stderr, text);
  }
  assert.ok(chatLines(FIVE_CHATS).length > 0);
});
