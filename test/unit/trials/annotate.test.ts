import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { labelTrial, reviewTrial } from "../../../grader/trials/annotate.ts";
import { attachEvidence } from "../../../grader/trials/attach.ts";
import { offsetsIn } from "../../../grader/trials/evidence/index.ts";
import { readTrial } from "../../../grader/trials/folder.ts";
import { removeTrials, runsToPrune } from "../../../grader/trials/prune.ts";
import { selectTrial, selectTrials } from "../../../grader/trials/select.ts";
import { emptyProject, keepTrial, sampleManifest } from "../../support/kept-trials.ts";
import { sampleResult } from "../../support/result.ts";

const SHA_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // FIPS 180-2, appendix B.1

test("a review is kept beside the grade, in folder and database, and can be taken back", async (t) => {
  const own = emptyProject(t);
  const folder = keepTrial(own, "01A", { results: [{}, { scenario: "other", verdict: "pass" }] });
  const before = readFileSync(join(folder, "result.json"), "utf8");
  const review = { verdict: "pass", note: "it did", at: "2026-01-03T00:00:00.000Z" } as const;
  reviewTrial(await selectTrial("01A", own), review, own);
  assert.deepEqual(readTrial(folder).manifest.review, review);
  assert.deepEqual(
    own.store.listRuns().map((run) => [run.verdict, run.success, run.review]),
    [
      ["pass", false, review],
      ["fail", false, review],
    ],
  );
  assert.equal(readFileSync(join(folder, "result.json"), "utf8"), before);
  reviewTrial(await selectTrial("01A", own), undefined, own);
  assert.equal(readTrial(folder).manifest.review, undefined);
  assert.equal(own.store.getRun("01A").review, undefined);
  keepTrial(own, "01R", { manifest: { state: "running" }, results: [] });
  const running = await selectTrial("running", own);
  assert.throws(() => reviewTrial(running, review, own), { code: "WM_RUN_RUNNING" });
});

test("labels are hung on a run and taken off, in folder and database", async (t) => {
  const own = emptyProject(t);
  const folder = keepTrial(own, "01A", { manifest: { labels: ["old"] } });
  labelTrial(await selectTrial("01A", own), { names: ["good", "old"], remove: false }, own);
  assert.deepEqual(
    [readTrial(folder).manifest.labels, own.store.getRun("01A").labels],
    [
      ["good", "old"],
      ["good", "old"],
    ],
  );
  labelTrial(await selectTrial("good", own), { names: ["good"], remove: true }, own);
  assert.deepEqual([readTrial(folder).manifest.labels, own.store.getRun("01A").labels], [["old"], ["old"]]);
  const trial = await selectTrial("01A", own);
  for (const name of ["", " x", "a,b", "a\nb", "x".repeat(101)]) {
    assert.throws(() => labelTrial(trial, { names: [name], remove: false }, own), { code: "WM_USAGE" }, name);
  }
});

test("a file is attached as a copy with its hash, once, and never over another", async (t) => {
  const own = emptyProject(t);
  const folder = keepTrial(own, "01A", { files: { "evidence/shot.png": "recorded" } });
  const file = join(own.dir, "shot.png");
  writeFileSync(file, "abc");
  const at = "2026-01-02T00:00:01.000Z";
  const order = { files: [file], at };
  const { artifacts } = await attachEvidence(await selectTrial("01A", own), order, own);
  const attached = { kind: "screenshot", path: "evidence/shot-2.png", sha256: SHA_OF_ABC, at };
  assert.deepEqual(artifacts, [attached]);
  assert.equal(readFileSync(join(folder, "evidence/shot-2.png"), "utf8"), "abc");
  assert.equal(readFileSync(join(folder, "evidence/shot.png"), "utf8"), "recorded");
  assert.deepEqual(readTrial(folder).manifest.artifacts, [attached]);
  const { kind, path, sha256 } = attached;
  assert.deepEqual(own.store.getRun("01A").artifacts, [{ kind, path, sha256 }]);
  await attachEvidence(await selectTrial("01A", own), order, own);
  assert.deepEqual(readdirSync(join(folder, "evidence")), ["shot-2.png", "shot.png"]);
});

test("what is no file is refused, and nothing of that call is attached", async (t) => {
  const own = emptyProject(t);
  const folder = keepTrial(own, "01A");
  const good = join(own.dir, "a.log");
  writeFileSync(good, "x");
  symlinkSync(join(own.dir, "nowhere"), join(own.dir, "dangling"));
  mkdirSync(join(own.dir, "folder"));
  for (const bad of ["absent", "folder", "dangling", "a\0b"]) {
    const trial = await selectTrial("01A", own);
    await assert.rejects(attachEvidence(trial, { files: [good, join(own.dir, bad)] }, own), {
      code: "WM_RUN_EVIDENCE",
    });
  }
  assert.equal(existsSync(join(folder, "evidence")), false);
});

test("a run that only the database knows gets a folder when something is attached", async (t) => {
  const own = emptyProject(t);
  own.store.saveResult(sampleResult("01LOG"), { gradedAt: "2026-01-02T00:00:00.000Z", variant: "old" });
  const file = join(own.dir, "a.webm");
  writeFileSync(file, "abc");
  await attachEvidence(await selectTrial("01LOG", own), { files: [file] }, own);
  const { manifest, results } = readTrial(join(own.runs, "01LOG"));
  assert.deepEqual([manifest.variant, manifest.graded_at, results.length], ["old", "2026-01-02T00:00:00.000Z", 1]);
  assert.equal(manifest.artifacts?.[0]?.kind, "video");
});

test("a marker's offset in a recording is its time minus the recording's first picture", () => {
  const result = sampleResult("01A"); // its one marker with a time is "a", at 00:00:00.000
  const video = { kind: "video", path: "evidence/v.webm" };
  const at = (time: string) =>
    offsetsIn({ ...video, at: time }, [result]).map(({ marker, offset_ms }) => [marker, offset_ms]);
  assert.deepEqual(at("2025-12-31T23:59:58.750Z"), [["a", 1250]]);
  assert.deepEqual(at("2026-01-01T00:00:00.001Z"), []);
  assert.deepEqual(
    [offsetsIn(video, [result]), offsetsIn({ ...video, kind: "log", at: "2025-12-31T23:59:58Z" }, [result])],
    [[], []],
  );
});

test("pruning takes what the rule says, never what is labelled or running", () => {
  const trial = (id: string, more = {}) => ({
    manifest: sampleManifest(id, { started_at: `2026-01-0${id}T00:00:00.000Z`, ...more }),
    results: [sampleResult(id, { verdict: Number(id) % 2 === 0 ? "pass" : "fail" })],
  });
  const trials = [
    trial("3"),
    trial("1"),
    trial("2"),
    trial("4", { labels: ["good"] }),
    trial("5", { state: "running" }),
  ];
  const now = Date.parse("2026-01-06T00:00:00.000Z");
  const ids = (rule: Parameters<typeof runsToPrune>[1]) =>
    runsToPrune(trials, rule, now).map(({ manifest }) => manifest.id);
  assert.deepEqual(ids({ keep: 0 }), ["1", "2", "3"]);
  assert.deepEqual(ids({ keep: 1 }), ["1", "2"]);
  assert.deepEqual(ids({ keep: 9 }), []);
  assert.deepEqual(ids({ keep: 0, labelled: true }), ["1", "2", "3", "4"]);
  assert.deepEqual(ids({ olderThanMs: 4 * 86_400_000 }), ["1"]);
  assert.deepEqual(ids({ verdict: "fail" }), ["1", "3"]);
  assert.deepEqual(ids({ verdict: "fail", keep: 1 }), ["1"]);
});

test("removing a run takes its folder and rows, and no other folder", async (t) => {
  const own = emptyProject(t);
  const folder = keepTrial(own, "01A", { results: [{}, { scenario: "other" }] });
  const other = keepTrial(own, "01B");
  const [a] = await selectTrials(["01A"], own);
  assert.ok(a);
  removeTrials([a, { ...a, manifest: sampleManifest("01X"), folder: other, results: [] }], own);
  assert.deepEqual([existsSync(folder), existsSync(other)], [false, true]);
  assert.deepEqual(
    own.store.listRuns().map(({ id }) => id),
    ["01B"],
  );
});
