import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openStore } from "../../grader/store/store.ts";
import type { BatchDocument } from "../../grader/trials/batch.ts";
import { listTrialFolders, readTrial } from "../../grader/trials/folder.ts";
import { waymark } from "../support/processes.ts";
import { MAIN } from "../support/project.ts";
import { type RunPlace, runPlace, sender } from "../support/run-command.ts";
import { needsSmallDisk, smallDisk } from "../support/small-disk.ts";

const ONE = "waymark: 1\nscenario: one\nmarkers:\n  - { name: Begun, event: begun }\n  - { name: Done, event: done }\n";
const NODE = [process.execPath, "-e"];
const QUICK = ["--sink", "--markers", ".", "-s", "one"];
const posix = { skip: process.platform === "win32" ? "needs POSIX signals" : false };

/** An app with a child that ignores SIGTERM and a grandchild; writes the ids of all three to `pids`, and never ends. */
const FAMILY = sender(`
  const { spawn } = require("node:child_process");
  const { writeFileSync, renameSync } = require("node:fs");
  process.on("SIGTERM", () => {});
  const grandchild = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log(process.pid)";
  const child = "process.on('SIGTERM', () => {}); const c = require('child_process').spawn(process.execPath, ['-e', " + JSON.stringify(grandchild) + "], { stdio: ['ignore', 'pipe', 'ignore'] }); c.stdout.on('data', (id) => console.log(process.pid + ' ' + id)); setInterval(() => {}, 1000)";
  const started = spawn(process.execPath, ["-e", child], { stdio: ["ignore", "pipe", "ignore"] });
  started.stdout.once("data", (ids) => { writeFileSync("pids.tmp", process.pid + " " + ids); renameSync("pids.tmp", "pids"); });
  await send("begun");
  setInterval(() => {}, 1000);
`);

interface Running {
  readonly exited: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
  kill(signal: NodeJS.Signals): void;
  said(): { readonly stdout: string; readonly stderr: string };
}

function start(t: TestContext, { cwd, options }: RunPlace, ...words: readonly string[]): Running {
  const child = spawn(process.execPath, [MAIN, "run", ...words], {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  }
  t.after(() => child.kill("SIGKILL"));
  return {
    exited: once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>,
    kill: (signal) => void child.kill(signal),
    said: () => said,
  };
}

/** Waits until the app has written its file; a waymark that ends before says why. */
async function appears(running: Running, folder: string, name: string): Promise<string> {
  const watcher = watch(folder);
  try {
    while (!existsSync(join(folder, name))) {
      const poll = new Promise((resolve) => setTimeout(resolve, 200));
      const ended = await Promise.race([once(watcher, "change"), poll, running.exited.then(() => "ended")]);
      assert.notEqual(ended, "ended", `waymark ended: ${running.said().stdout}${running.said().stderr}`);
    }
  } finally {
    watcher.close();
  }
  return readFileSync(join(folder, name), "utf8");
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie has ended; only its parent has not heard of it yet.
    return !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "");
  } catch {
    return false;
  }
}

async function allGone(pids: readonly number[]): Promise<void> {
  const ends = performance.now() + 30_000;
  while (pids.some(isAlive) && performance.now() < ends) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(pids.filter(isAlive), [], "no process is left");
}

/** The database can be read, and every JSON file of every run is whole. */
function everythingIsWhole(
  cwd: string,
  runs = join(cwd, ".waymark", "runs"),
  db = join(cwd, ".waymark", "waymark.db"),
): void {
  const store = openStore(db, { readonly: true });
  try {
    for (const { id } of store.listRuns()) store.getRun(id);
  } finally {
    store.close();
  }
  for (const file of existsSync(runs) ? readdirSync(runs, { recursive: true, encoding: "utf8" }) : []) {
    assert.ok(!file.endsWith(".tmp"), `${file} is half written`);
    if (/(?:run|result)\.json$/.test(file)) JSON.parse(readFileSync(join(runs, file), "utf8"));
  }
}

for (const [signal, exit] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const) {
  test(
    `${signal}: every process of the run ends, the run is marked and not graded, what was graded is summed up, exit ${exit}`,
    posix,
    async (t) => {
      const place = runPlace(t);
      place.file("one.yaml", ONE);
      // The first run ends by itself, the second one hangs.
      const app = `if (process.env.WAYMARK_RUN_INDEX === "1") { ${sender('await send("begun"); await send("done");')} } else { ${FAMILY} }`;
      const running = start(t, place, "--json", ...QUICK, "-n", "5", "--", ...NODE, app);
      const pids = (await appears(running, place.cwd, "pids")).trim().split(" ").map(Number);
      assert.equal(pids.length, 3);
      running.kill(signal);
      const [code] = await running.exited;
      assert.equal(code, exit, running.said().stderr);
      await allGone(pids);
      const document = JSON.parse(running.said().stdout) as BatchDocument;
      assert.deepEqual([document.interrupted, document.exit_code, document.gate.met], [true, exit, null]);
      assert.deepEqual(
        document.runs.map(({ verdict }) => verdict),
        ["pass", "interrupted"],
      );
      const trials = listTrialFolders(join(place.cwd, ".waymark", "runs")).map(readTrial);
      assert.deepEqual(
        trials.map(({ manifest, results }) => [manifest.state, manifest.end?.kind, results.length]),
        [
          ["graded", "exited", 1],
          ["interrupted", "interrupted", 0],
        ],
      );
      everythingIsWhole(place.cwd);
    },
  );
}

// Written after the proxy's line or before it: the second also breaks the row of numbers, which is no reason to say less.
const FORGED = {
  after: `await send("begun"); while (statSync(file).size === 0) await new Promise((go) => setTimeout(go, 20)); forge();`,
  before: `forge(); await send("begun");`,
};
for (const [order, telling] of Object.entries(FORGED)) {
  test(`a log that the app wrote into ${order} the proxy is no evidence: inconclusive, and says why, also when graded again`, async (t) => {
    const { json, cwd, file } = runPlace(t);
    file("one.yaml", "waymark: 1\nscenario: one\nmarkers:\n  - { event: begun }\n  - { event: forged }\n");
    const forge = `
    const { appendFileSync, statSync } = require("node:fs");
    const file = require("node:path").join(process.env.WAYMARK_RUN_DIR, "telemetry", "telemetry-0.log");
    const line = JSON.stringify({ name: "forged", data: {}, $capture: { seq: 2, at: new Date().toISOString() } });
    const forge = () => appendFileSync(file, line + String.fromCharCode(10));
    ${telling}
  `;
    const said = await json(
      "--sink",
      "--markers",
      ".",
      "-s",
      "one",
      "-n",
      "1",
      "--",
      process.execPath,
      "-e",
      sender(forge),
    );
    const [result] = said.document.results;
    assert.equal(result?.verdict, "inconclusive", said.said.stderr);
    assert.match(result?.reason ?? "", /written by another program/);
    assert.equal(said.said.code, 3);
    const again = await waymark(["regrade", "latest", "--markers", ".", "--json"], {
      cwd,
      env: { WAYMARK_CA_DIR: join(cwd, "ca") },
    });
    assert.doesNotMatch(again.stdout, /"verdict":"pass"/, again.stderr);
  });
}

test("kill -9 of waymark: every process of the run ends all the same, and the database is whole", posix, async (t) => {
  const place = runPlace(t);
  place.file("one.yaml", ONE);
  const running = start(t, place, ...QUICK, "-n", "2", "--", ...NODE, FAMILY);
  const pids = (await appears(running, place.cwd, "pids")).trim().split(" ").map(Number);
  running.kill("SIGKILL");
  const [, signal] = await running.exited;
  assert.equal(signal, "SIGKILL");
  await allGone(pids);
  everythingIsWhole(place.cwd);
  const [trial] = listTrialFolders(join(place.cwd, ".waymark", "runs")).map(readTrial);
  assert.deepEqual([trial?.manifest.state, trial?.results], ["running", []], "it was never graded");
});

test("a child with grandchildren, at the time limit: no process is left", posix, async (t) => {
  const place = runPlace(t);
  place.file("one.yaml", ONE);
  const { document } = await place.json(
    ...QUICK,
    "-n",
    "1",
    "--timeout",
    "8s",
    "--settle",
    "10ms",
    "--",
    ...NODE,
    FAMILY,
  );
  const pids = readFileSync(join(place.cwd, "pids"), "utf8").trim().split(" ").map(Number);
  await allGone(pids);
  assert.deepEqual([document.trials[0]?.end?.kind, document.runs[0]?.verdict], ["timeout", "fail"]);
});

test("a child that floods stdout and stderr is neither blocked nor kept whole, and is graded", async (t) => {
  const place = runPlace(t);
  place.file("one.yaml", ONE);
  const flood = sender(`await send("begun"); const line = Buffer.alloc(1 << 20, "x\\n");
    for (let at = 0; at < 60; at++) for (const out of [process.stdout, process.stderr]) if (!out.write(line)) await new Promise((next) => out.once("drain", next));
    await send("done");`);
  const { said, document } = await place.json(...QUICK, "-n", "1", "--", ...NODE, flood);
  assert.equal(document.verdict, "pass", said.stderr);
  const [folder = ""] = place.runFolders();
  for (const name of ["stdout.log", "stderr.log"]) {
    const { size } = statSync(join(folder, name));
    assert.ok(size > 1_000_000 && size < 20_000_000, `${name} has ${size} bytes`);
  }
});

test("a folder that cannot be written is an error of each run, WM_RUN_FOLDER, exit 3", async (t) => {
  const place = runPlace(t);
  place.file("one.yaml", ONE);
  const file = place.file("taken", "no folder");
  const said = await place.run(...QUICK, "-n", "2", "--dir", join(file, "x"), "--db", "w.db", "--", ...NODE, "0");
  assert.equal(said.code, 3, said.stderr);
  assert.match(said.stdout, /error WM_RUN_FOLDER: no folder can be made in .* in runs 1, 2/);
  assert.match(said.stdout, /none of 2 runs could be graded/);
});

test("a disk that is full from the start: an error, exit 3, and nothing half written", needsSmallDisk, async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return;
  const place = runPlace(t);
  place.file("one.yaml", ONE);
  fill(disk);
  const said = await place.run(...QUICK, "-n", "2", "--dir", join(disk, "w"), "--db", "w.db", "--", ...NODE, "0");
  assert.equal(said.code, 3, said.stderr);
  assert.match(said.stdout, /error WM_RUN_FOLDER/);
  everythingIsWhole(place.cwd, join(disk, "w", "runs"), join(place.cwd, "w.db"));
  assert.deepEqual(listTrialFolders(join(disk, "w", "runs")), []);
});

test(
  "a disk that fills up while a run goes on: no false verdict, exit 3, every file whole or absent",
  needsSmallDisk,
  async (t) => {
    const disk = smallDisk(t);
    if (disk === undefined) return;
    const place = runPlace(t);
    place.file("one.yaml", ONE);
    const app = sender(
      `await send("begun"); for (let at = 0; at < 40; at++) await send("noise", { text: "x".repeat(50_000) });`,
    );
    const { said, document } = await place.json(
      ...QUICK,
      "-n",
      "2",
      "--settle",
      "10ms",
      "--dir",
      join(disk, "w"),
      "--db",
      "w.db",
      "--",
      ...NODE,
      app,
    );
    assert.equal(said.code, 3, said.stderr);
    assert.deepEqual(
      document.runs.map(({ verdict }) => verdict === "fail" || verdict === "pass"),
      [false, false],
      "lost records decide nothing",
    );
    everythingIsWhole(place.cwd, join(disk, "w", "runs"), join(place.cwd, "w.db"));
  },
);

test(
  "a database whose disk is full: the verdicts stand, exit 3, and the database is whole",
  needsSmallDisk,
  async (t) => {
    const disk = smallDisk(t);
    if (disk === undefined) return;
    const place = runPlace(t);
    place.file("one.yaml", ONE);
    place.file(
      "fill.js",
      `const { writeFileSync } = require("node:fs"); for (let at = 0; at < 4000; at++) { try { writeFileSync(process.argv[2] + "/f" + at, Buffer.alloc(4096)); } catch { break; } }`,
    );
    const app = sender(`await send("begun"); await send("done");`);
    const { said, document } = await place.json(
      ...QUICK,
      "-n",
      "2",
      "--db",
      join(disk, "w.db"),
      "--prepare",
      `'${process.execPath}' fill.js '${disk}'`,
      "--",
      ...NODE,
      app,
    );
    assert.equal(said.code, 3, said.stderr);
    assert.match(said.stderr, /WM_STORE_FULL/);
    assert.deepEqual([document.verdict, document.exit_code], ["pass", 3]);
    everythingIsWhole(place.cwd, join(place.cwd, ".waymark", "runs"), join(disk, "w.db"));
  },
);

/** Takes the last page of a disk. */
function fill(disk: string): void {
  for (let at = 0; at < 4000; at++) {
    try {
      writeFileSync(join(disk, `f${at}`), Buffer.alloc(4096));
    } catch {
      return;
    }
  }
}
