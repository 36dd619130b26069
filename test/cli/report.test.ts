import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import type { PageData } from "../../grader/report/page/data.ts";
import { openStore } from "../../grader/store/store.ts";
import { keepRun, writeScenario } from "../support/kept-runs.ts";
import { waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";

/** Two batches of two runs: in the first both pass, in the second one fails. */
async function twoBatches(t: TestContext): Promise<string> {
  const cwd = scratchFolder(t);
  const scenario = writeScenario(join(cwd, "trip.yaml"), ["a", "b"]);
  const store = openStore(join(cwd, ".waymark", "waymark.db"));
  const runs = join(cwd, ".waymark", "runs");
  for (const [at, events] of [
    ["a", "b"],
    ["a", "b"],
    ["a", "b"],
    ["a", "x"],
  ].entries()) {
    const batch = at < 2 ? "01B1" : "01B2";
    const startedAt = `2026-01-31T12:0${at}:00.000Z`;
    const manifest = { batch, index: (at % 2) + 1, started_at: startedAt };
    await keepRun(runs, store, { id: `01RUN${at}`, events, manifest }, scenario);
  }
  for (const id of ["01B1", "01B2"]) {
    store.saveBatch({
      id,
      startedAt: `2026-01-31T12:0${id === "01B1" ? 0 : 2}:00.000Z`,
      document: '{"gate":{"rule":"all"}}',
    });
  }
  store.close();
  return cwd;
}

function dataIn(file: string): PageData {
  const packed = /<script type="text\/plain" id="waymark-data">([^<]*)</.exec(readFileSync(file, "utf8"))?.[1] ?? "";
  return JSON.parse(gunzipSync(Buffer.from(packed, "base64")).toString()) as PageData;
}

test("without a word it is about the latest batch, with the gate it was held against and the batch before", async (t) => {
  const cwd = await twoBatches(t);
  const { code, stdout, stderr } = await waymark(["report"], { cwd });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^report\.html: 2 runs, 0\.\d\d MB$/m);
  const data = dataIn(join(cwd, "report.html"));
  assert.deepEqual(
    data.runs.map(({ id }) => id),
    ["01RUN2", "01RUN3"],
  );
  assert.equal(data.gate?.words, 'gate "all": not met by 1 run');
  assert.equal(data.verdict, "fail");
  assert.deepEqual(
    data.history.map(({ id, rate, shown }) => [id, rate, shown]),
    [
      ["01B1", 1, false],
      ["01B2", 0.5, true],
    ],
  );
  assert.equal(data.scenarios[0]?.source_is, "same");
});

test("runs can be named; several batches are compared", async (t) => {
  const cwd = await twoBatches(t);
  const { code } = await waymark(["report", "batch:01B1", "batch:01B2", "-o", "both.html", "--title", "Both"], { cwd });
  assert.equal(code, 0);
  const data = dataIn(join(cwd, "both.html"));
  assert.equal(data.title, "Both");
  assert.equal(data.runs.length, 4);
  assert.deepEqual(data.comparisons[0]?.names, ["01B1", "01B2"]);
  assert.deepEqual(data.comparisons[0]?.flips, [{ a: 1, b: 3, to: "fail" }]);
});

test("a word that no run answers to, and a project without runs, end in 4", async (t) => {
  const cwd = await twoBatches(t);
  assert.equal((await waymark(["report", "label:none"], { cwd })).code, 4);
  assert.equal((await waymark(["report"], { cwd: scratchFolder(t) })).code, 4);
  assert.equal((await waymark(["report", "--embed-limit", "much"], { cwd })).code, 2);
});

test("--json says where it is; --zip packs the page with what stands beside it", async (t) => {
  const cwd = await twoBatches(t);
  const { stdout } = await waymark(["report", "--json", "-o", "out.html", "--zip"], { cwd });
  const said = JSON.parse(stdout) as { file: string; bytes: number; runs: number };
  assert.equal(said.file, "out.zip");
  assert.ok(existsSync(join(cwd, "out.html")));
  const listed = spawnSync("python3", ["-m", "zipfile", "-t", "out.zip"], { cwd, encoding: "utf8" });
  if (listed.error === undefined) assert.match(listed.stdout, /Done testing/);
});

test("a run whose log or scenario is gone is still in the report, which says so", async (t) => {
  const cwd = await twoBatches(t);
  writeFileSync(join(cwd, "trip.yaml"), "waymark: 1\nscenario: trip\nmarkers: [{event: other}]\n");
  const { rmSync } = await import("node:fs");
  rmSync(join(cwd, ".waymark", "runs", "01RUN3", "telemetry"), { recursive: true });
  const { code } = await waymark(["report"], { cwd });
  assert.equal(code, 0);
  const data = dataIn(join(cwd, "report.html"));
  assert.equal(data.scenarios[0]?.source_is, "changed");
  assert.equal(data.runs[1]?.events_why, "the log of this run is gone");
});
