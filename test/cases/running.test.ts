import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { batchLines } from "../../grader/report/batch-lines.ts";
import { paintFor } from "../../grader/report/paint.ts";
import type { BatchDocument } from "../../grader/trials/batch.ts";
import { listTrialFolders, readTrial } from "../../grader/trials/folder.ts";
import { summarise } from "../../grader/trials/summarise.ts";
import { factsOf, trialOf } from "../support/batches.ts";
import { waymark } from "../support/processes.ts";
import { MAIN, needsShared, SHARED } from "../support/project.ts";
import { eventsIn, type RunPlace, runPlace, sender } from "../support/run-command.ts";
import { scratchFolder } from "../support/scratch.ts";
import { NEEDS_POSIX, processesWith } from "../support/tree.ts";

const ONE = "waymark: 1\nscenario: one\nmarkers:\n  - { name: Begun, event: begun }\n  - { name: Done, event: done }\n";
const NODE = [process.execPath, "-e"];
const QUICK = ["--sink", "--markers", ".", "-s", "one"];
const WHOLE = sender('await send("begun"); await send("done");');

/** A place with the scenario `one`. */
function place(t: TestContext): RunPlace {
  const made = runPlace(t);
  made.file("one.yaml", ONE);
  return made;
}

/** Words of a `grade --json` whose document is over a megabyte: 60 logs, 150 markers each. */
function bigGrade(t: TestContext): readonly string[] {
  const folder = scratchFolder(t);
  const markers = Array.from({ length: 150 }, (_, at) => `  - { name: Marker number ${at}, event: e${at} }\n`);
  writeFileSync(join(folder, "big.yaml"), `waymark: 1\nscenario: big\nmarkers:\n${markers.join("")}`);
  const log = markers.map((_, at) => `{"name":"e${at}"}\n`).join("");
  for (let at = 0; at < 60; at++) writeFileSync(join(folder, `log${at}-0.log`), log);
  return ["grade", folder, "-s", join(folder, "big.yaml"), "--no-store", "--json"];
}

test("H01: over a megabyte of JSON is whole in a file and in a pipe that is read late", async (t) => {
  const words = bigGrade(t);
  const file = join(scratchFolder(t), "out.json");
  const toFile = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", openSync(file, "w"), "ignore"] });
  assert.deepEqual(await once(toFile, "close"), [0, null]);
  const { size } = statSync(file);
  assert.ok(size > 1_000_000, `${size} bytes`);
  assert.equal(JSON.parse(readFileSync(file, "utf8")).results.length, 60);

  const late = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "pipe", "ignore"] });
  await once(late.stdout, "readable"); // the pipe is full from here on, and the program waits
  let bytes = 0;
  for await (const chunk of late.stdout) bytes += (chunk as Buffer).length;
  const taken = JSON.parse(readFileSync(file, "utf8")).results[0].run as string;
  assert.equal(taken.length, 26, "ids are of one length, so that sizes can be compared");
  assert.ok(Math.abs(bytes - size) < 2000, `${bytes} in the pipe, ${size} in the file`);
});

test("H01: a reader that goes away early meets no stack trace, exit 0 or 141", NEEDS_POSIX, async (t) => {
  const child = spawn(process.execPath, [MAIN, ...bigGrade(t)], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdout.once("data", () => child.stdout.destroy());
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  assert.ok(code === 0 || code === 141 || signal === "SIGPIPE", `exit ${code} ${signal}`);
  assert.doesNotMatch(stderr, /EPIPE|^\s+at /m);
});

for (const [signal, exit] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const) {
  const needs = needsShared("cases", "H03");
  const options = NEEDS_POSIX.skip === false ? needs : NEEDS_POSIX;
  test(
    `H03: ${signal} to waymark alone leaves no process of the tree, exit ${exit}, the run marked`,
    options,
    async (t) => {
      const { cwd, options: own } = place(t);
      const mark = { name: "WAYMARK_CASE_H03", value: randomUUID() };
      const words = [...QUICK, "-n", "2", "--", "sh", join(SHARED, "cases", "H03", "tree.sh")];
      const child = spawn(process.execPath, [MAIN, "run", ...words], {
        cwd,
        env: { ...process.env, ...own.env, [mark.name]: mark.value },
        stdio: "ignore",
      });
      t.after(() => child.kill("SIGKILL"));
      const ended = once(child, "close");
      const alive = async () => (await processesWith(`${mark.name}=${mark.value}`)).length;
      while ((await alive()) < 4) await pause(20); // waymark, the script, two sleeps
      child.kill(signal);
      assert.deepEqual(await ended, [exit, null]);
      assert.equal(await alive(), 0, "no process is left");
      const trials = listTrialFolders(join(cwd, ".waymark", "runs")).map(readTrial);
      assert.deepEqual(
        trials.map(({ manifest, results }) => [manifest.state, results.length]),
        [["interrupted", 0]],
      );
    },
  );
}

test(
  "H05: the command gets its words exactly, every time; waymark's own -n is 2",
  needsShared("cases", "H05"),
  async (t) => {
    const { run, runFolders } = runPlace(t);
    const argv = join(SHARED, "cases", "H05", "argv.mjs");
    const words = ["--loglevel=woo", "-n", "5", "007", "--help", "", "a b"];
    await run("-n", "2", "--settle", "0ms", "-s", "simple_collab_switch", "--", "node", argv, ...words);
    const outputs = runFolders().map((folder) => readFileSync(join(folder, "stdout.log"), "utf8"));
    assert.deepEqual(
      outputs.map((text) => JSON.parse(text)),
      [words, words],
    );
  },
);

test("H06: a report that cannot be written is exit 3, whatever the verdict, and leaves no empty file", async (t) => {
  const { run, cwd, file } = place(t);
  file("taken", "no folder");
  const report = join(cwd, "taken", "report.json");
  const said = await run(...QUICK, "-n", "1", "--reporter", `json=${report}`, "--", ...NODE, WHOLE);
  assert.equal(said.code, 3, said.stderr);
  assert.match(said.stderr, /WM_OUTPUT_FAILED/);
  assert.match(said.stderr, /the verdict is pass/);
  assert.equal(existsSync(report), false);
  const graded = await waymark(["grade", "none.log", "-s", "one", "--reporter", "json=taken/x.json"], { cwd });
  assert.notEqual(graded.code, 1, "what cannot be graded is no fail");
});

test("I01: five starts, five logs, five nonces; nothing is taken from another run or from old files", async (t) => {
  const { json, runFolders, file } = place(t);
  file(".waymark/runs/old/telemetry/telemetry-0.log", '{"name":"begun"}\n{"name":"done"}\n');
  const app = sender(`const nonce = process.pid + "-" + process.hrtime.bigint(); await send("begun", { nonce });`);
  const { document } = await json("-n", "5", "--settle", "50ms", ...QUICK, "--", ...NODE, app);
  assert.deepEqual(
    document.results.map(({ verdict }) => verdict),
    Array(5).fill("fail"),
  );
  const nonces = runFolders()
    .filter((folder) => !folder.endsWith("old"))
    .map((folder) => eventsIn(folder).map(({ data }) => data["nonce"]));
  assert.equal(nonces.length, 5);
  assert.ok(nonces.every((own) => own.length === 1));
  assert.equal(new Set(nonces.flat()).size, 5);
});

test(
  "I02: runs that ended in errors stay in sight: 2 of 6 and 2 of 8, the same in table and JSON",
  needsShared("cases", "I02"),
  async (t) => {
    const runs = JSON.parse(readFileSync(join(SHARED, "cases", "I02", "runs.json"), "utf8")) as { status: string }[];
    const { run, cwd, file } = place(t);
    file("statuses.json", JSON.stringify(runs.map(({ status }) => status)));
    file(
      "app.js",
      sender(`
      const own = require("./statuses.json")[process.env.WAYMARK_RUN_INDEX - 1];
      await send("begun");
      if (own === "pass") await send("done");`),
    );
    file(
      "prepare.js",
      'process.exit(require("./statuses.json")[process.env.WAYMARK_RUN_INDEX - 1] === "error" ? 1 : 0);',
    );
    const prepare = ["--prepare", `"${process.execPath}" prepare.js`];
    const report = ["--reporter", "plain,json=batch.json"];
    const words = [...QUICK, "-n", String(runs.length), "--settle", "50ms", "--gate", "any", ...prepare, ...report];
    const said = await run(...words, "--", process.execPath, "app.js");
    const document = JSON.parse(readFileSync(join(cwd, "batch.json"), "utf8")) as BatchDocument;
    const { n, passed, failed, errors, rate, rate_of_all } = document.groups[0]?.stats ?? {};
    assert.deepEqual([n, passed, failed, errors, rate, rate_of_all], [8, 2, 4, 2, 1 / 3, 0.25]);
    assert.match(said.stdout, /2 pass \/ 4 fail \/ 2 error of 8: 2\/6 = 33\.3% without .*, 2\/8 = 25\.0% with them/);
    assert.equal(said.code, 0, "gate any: met however the errors had come out");
  },
);

test("I05: passing only after an error was tried again is flaky, kept, and can fail a pipeline", async (t) => {
  const { json, file } = place(t);
  file(
    "app.js",
    `const { existsSync, writeFileSync } = require("node:fs");
     if (!existsSync("tried")) { writeFileSync("tried", ""); process.exit(1); }
     ${WHOLE}`,
  );
  const words = [...QUICK, "-n", "1", "--settle", "50ms", "--retry-errors", "2", "--fail-on-flaky"];
  const { document } = await json(...words, "--", process.execPath, "app.js");
  assert.deepEqual(
    document.runs.map(({ verdict, superseded }) => [verdict, superseded]),
    [
      ["inconclusive", true],
      ["pass", false],
    ],
  );
  assert.deepEqual([document.groups[0]?.stats.flaky, document.gate.met, document.exit_code], [true, false, 1]);
});

test("I05: the same results summed up twice are the same to the byte", () => {
  const facts = factsOf([trialOf(1, "fail"), trialOf(2, "pass"), trialOf(3, "pass"), trialOf(4, "error")]);
  const [first, second] = [summarise(facts), summarise(structuredClone(facts))];
  assert.equal(JSON.stringify(first), JSON.stringify(second));
  assert.equal(first.groups[0]?.stats.flaky, true);
  const text = (document: BatchDocument) => batchLines(document, paintFor(false), 2).join("\n");
  assert.equal(text(first), text(second));
});
