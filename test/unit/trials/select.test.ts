import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openStore } from "../../../grader/store/store.ts";
import { listTrialFolders, placesIn, readTrial, writeManifest, writeResult } from "../../../grader/trials/folder.ts";
import { selectTrials, type TrialSources } from "../../../grader/trials/select.ts";
import type { TrialManifest } from "../../../grader/trials/trial.ts";
import { sampleResult } from "../../support/result.ts";
import { scratchFolder } from "../../support/scratch.ts";

const AT = "2026-01-02T00:00:00.000Z";

function manifest(id: string, more: Partial<TrialManifest> = {}): TrialManifest {
  return {
    schema: "waymark.trial/1",
    id,
    state: "graded",
    index: 1,
    retries: 0,
    command: ["node", "agent.js"],
    started_at: AT,
    provenance: "live",
    versions: {},
    labels: [],
    ...more,
  };
}

function sourcesWith(t: TestContext, ids: readonly string[]): TrialSources {
  const runs = join(scratchFolder(t), "runs");
  const store = openStore(join(runs, "..", "waymark.db"));
  t.after(() => store.close());
  for (const id of ids) {
    const folder = join(runs, id);
    writeManifest(folder, manifest(id, { batch: "B1" }));
    const result = sampleResult(id, { verdict: id.endsWith("F") ? "fail" : "pass" });
    writeResult(folder, { schema: "waymark.result/1", waymark: "1", verdict: "pass", exit_code: 0, results: [result] });
    store.saveResult(result, { gradedAt: AT, trial: id, batch: "B1", folder });
  }
  return { store, runs };
}

async function named(word: string, sources: TrialSources): Promise<readonly string[]> {
  return (await selectTrials([word], sources)).map((trial) => trial.manifest.id);
}

test("words name runs as the manual says", async (t) => {
  const sources = sourcesWith(t, ["01A", "01BF", "01C"]);
  sources.store.addLabel("01A", "good");
  for (const [word, ids] of [
    ["latest", ["01C"]],
    ["latest-failed", ["01BF"]],
    ["good", ["01A"]],
    ["#2", ["01BF"]],
    ["2", ["01BF"]],
    ["01B", ["01BF"]],
    ["batch:B1", ["01A", "01BF", "01C"]],
    ["label:good", ["01A"]],
    [join(sources.runs, "01A"), ["01A"]],
  ] as const) {
    assert.deepEqual(await named(word, sources), ids, word);
  }
  await assert.rejects(selectTrials(["batch:nope"], sources), { code: "WM_RUN_NOT_FOUND" });
  await assert.rejects(selectTrials(["01Z"], sources), { code: "WM_RUN_NOT_FOUND" });
});

test("a run comes from its folder with its manifest, and from the database when the folder is gone", async (t) => {
  const sources = sourcesWith(t, ["01A"]);
  const [kept] = await selectTrials(["01A"], sources);
  assert.deepEqual([kept?.manifest.command, kept?.results.length], [["node", "agent.js"], 1]);
  sources.store.saveResult(sampleResult("01X", {}), { gradedAt: AT, variant: "new", costUsd: 0.5 });
  const [bare] = await selectTrials(["01X"], sources);
  assert.deepEqual([bare?.folder, bare?.manifest.variant, bare?.manifest.used], [undefined, "new", { cost_usd: 0.5 }]);
});

test("a folder without a readable manifest is damaged, one without a result has no results", (t) => {
  const folder = join(scratchFolder(t), "01A");
  mkdirSync(folder);
  assert.throws(() => readTrial(folder), { code: "WM_RUN_DAMAGED" });
  writeFileSync(placesIn(folder).manifest, "{");
  assert.throws(() => readTrial(folder), { code: "WM_RUN_DAMAGED" });
  writeManifest(folder, manifest("01A", { state: "interrupted" }));
  assert.deepEqual(readTrial(folder).results, []);
  assert.deepEqual(listTrialFolders(join(folder, "..")), [folder]);
});
