import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { importArchive } from "../../../grader/trials/archive-import.ts";
import { exportArchive } from "../../../grader/trials/archive-write.ts";
import { readTrial } from "../../../grader/trials/folder.ts";
import { selectTrials } from "../../../grader/trials/select.ts";
import type { FaultCode } from "../../../proxy/record/fault.ts";
import { emptyProject, keepTrial, type Project, sampleManifest } from "../../support/kept-trials.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { packZip, type RawEntry, rawZip } from "../../support/zip.ts";

const REVIEW = { verdict: "fail", note: "wrong chat", at: "2026-01-03T00:00:00.000Z" } as const;

async function exported(t: TestContext): Promise<{ from: Project; zip: string }> {
  const from = emptyProject(t);
  keepTrial(from, "01A", {
    manifest: { batch: "B1", labels: ["good"], review: REVIEW, artifacts: [{ kind: "log", path: "evidence/a.txt" }] },
    results: [{}, { scenario: "other", verdict: "pass" }],
    files: { "evidence/a.txt": "seen", "stdout.log": "x".repeat(100_000), "tmp/rest": "no part of it" },
  });
  keepTrial(from, "01B", { manifest: { state: "interrupted" }, results: [] });
  from.store.saveBatch({ id: "B1", startedAt: "2026-01-02T00:00:00.000Z", exitCode: 1 });
  const zip = join(from.dir, "runs.zip");
  const done = await exportArchive(await selectTrials(["01A", "01B"], from), zip, from);
  assert.deepEqual(done, { runs: 2, files: 7, leftOut: [] });
  return { from, zip };
}

test("an exported run comes back elsewhere with its files, rows, review and batch", async (t) => {
  const { from, zip } = await exported(t);
  const to = emptyProject(t);
  await importArchive(zip, to);
  for (const path of ["run.json", "result.json", "evidence/a.txt", "stdout.log", "telemetry/telemetry-0.log"]) {
    assert.deepEqual(readFileSync(join(to.runs, "01A", path)), readFileSync(join(from.runs, "01A", path)), path);
  }
  assert.equal(existsSync(join(to.runs, "01A", "tmp")), false);
  assert.equal(readTrial(join(to.runs, "01B")).manifest.state, "interrupted");
  const [old, row] = [from, to].map(({ store }) => store.getRun("01A"));
  assert.deepEqual({ ...row, folder: "" }, { ...old, folder: "" });
  assert.equal(row?.folder, join(to.runs, "01A"));
  assert.deepEqual([row?.review, row?.labels], [REVIEW, ["good"]]);
  assert.equal(to.store.getBatch("B1")?.exitCode, 1);
  assert.equal(to.store.listRuns({ trial: "01A" }).length, 2);
  assert.deepEqual(readdirSync(to.runs), ["01A", "01B"]);
});

test("a zip is a selection too", async (t) => {
  const { from, zip } = await exported(t);
  const trials = await selectTrials([zip], from);
  assert.deepEqual(
    trials.map(({ manifest, results }) => [manifest.id, results.length]),
    [
      ["01A", 2],
      ["01B", 0],
    ],
  );
  assert.ok(existsSync(join(trials[0]?.folder ?? "", "evidence", "a.txt")));
});

test("a run that is here already is refused, and with replace taken whole", async (t) => {
  const { zip } = await exported(t);
  const to = emptyProject(t);
  keepTrial(to, "01A", { files: { "own.txt": "here before" } });
  await assert.rejects(importArchive(zip, to), { code: "WM_RUN_EXISTS" });
  assert.equal(existsSync(join(to.runs, "01B")), false, "nothing came");
  assert.ok(existsSync(join(to.runs, "01A", "own.txt")));
  await importArchive(zip, to, { replace: true });
  assert.equal(existsSync(join(to.runs, "01A", "own.txt")), false);
  assert.equal(to.store.listRuns({ trial: "01A" }).length, 2);
});

test("an import that fails half way leaves everything as it was", async (t) => {
  const { zip } = await exported(t);
  const to = emptyProject(t);
  keepTrial(to, "01A", { files: { "own.txt": "here before" } });
  const before = to.store.getRun("01A");
  let saves = 0;
  const store = {
    ...to.store,
    saveResult: (...args: Parameters<typeof to.store.saveResult>) => {
      if (++saves === 2) throw new Error("no space left");
      to.store.saveResult(...args);
    },
  };
  await assert.rejects(importArchive(zip, { ...to, store }, { replace: true }), /no space left/);
  assert.ok(existsSync(join(to.runs, "01A", "own.txt")));
  assert.deepEqual(readdirSync(to.runs), ["01A"]);
  assert.deepEqual(to.store.getRun("01A"), before);
});

test("a run under way is not exported, links are left out and named", async (t) => {
  const from = emptyProject(t);
  const folder = keepTrial(from, "01A", {});
  keepTrial(from, "01R", { manifest: { state: "running" }, results: [] });
  symlinkSync("/etc/passwd", join(folder, "link"));
  const zip = join(from.dir, "runs.zip");
  await assert.rejects(exportArchive(await selectTrials(["running"], from), zip, from), { code: "WM_RUN_RUNNING" });
  const { leftOut } = await exportArchive(await selectTrials(["01A"], from), zip, from);
  assert.deepEqual(leftOut, ["runs/01A/link"]);
  const into = join(from.dir, "absent", "runs.zip");
  await assert.rejects(exportArchive(await selectTrials(["01A"], from), into, from), { code: "WM_OUTPUT_FAILED" });
});

const INDEX = `{"schema":"waymark.export/1","runs":["01A"]}`;
const GOOD: readonly RawEntry[] = [
  { name: "waymark-runs.json", data: INDEX },
  { name: "runs/01A/run.json", data: JSON.stringify(sampleManifest("01A")) },
];

/** Each with what is wrong about it, and the code it is refused with. */
const BAD: readonly (readonly [what: string, zip: () => Buffer, code: FaultCode])[] = [
  ["no zip at all", () => Buffer.from("hello"), "WM_RUN_ARCHIVE_DAMAGED"],
  ["empty", () => Buffer.alloc(0), "WM_RUN_ARCHIVE_DAMAGED"],
  ["cut short", () => rawZip(GOOD).subarray(0, -30), "WM_RUN_ARCHIVE_DAMAGED"],
  ["a wrong checksum", () => rawZip([...GOOD, { name: "runs/01A/x", data: "x", crc: 1 }]), "WM_RUN_ARCHIVE_DAMAGED"],
  [
    "a wrong size",
    () => rawZip([...GOOD, { name: "runs/01A/x", data: "x", size: 9_999_999 }]),
    "WM_RUN_ARCHIVE_UNSAFE",
  ],
  ["a path up", () => rawZip([...GOOD, { name: "runs/../../x", data: "x" }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["an absolute path", () => rawZip([...GOOD, { name: "/x", data: "x" }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["a drive", () => rawZip([...GOOD, { name: "C:/x", data: "x" }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["a backslash", () => rawZip([...GOOD, { name: "runs\\..\\x", data: "x" }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["a stream of Windows", () => rawZip([...GOOD, { name: "runs/01A/x:y", data: "x" }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["a device of Windows", () => rawZip([...GOOD, { name: "runs/01A/NUL.txt", data: "x" }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["an empty name", () => rawZip([...GOOD, { name: "runs//x", data: "x" }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["a link", () => rawZip([...GOOD, { name: "runs/01A/x", data: "/etc", mode: 0o120777 }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["one name twice", () => rawZip([...GOOD, ...GOOD.slice(1)]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["names that differ in case", () => rawZip([...GOOD, { name: "runs/01a/run.json" }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["a file as a folder", () => rawZip([...GOOD, { name: "runs/01A/run.json/x" }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["encryption", () => rawZip([...GOOD, { name: "runs/01A/x", flags: 0x801, method: 8 }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["an unknown packing", () => rawZip([...GOOD, { name: "runs/01A/x", method: 12 }]), "WM_RUN_ARCHIVE_UNSAFE"],
  ["overlapping entries", () => overlapping(), "WM_RUN_ARCHIVE_UNSAFE"],
  ["another id inside", () => otherId(), "WM_RUN_ARCHIVE_UNSAFE"],
  ["evidence outside", () => strayEvidence(), "WM_RUN_ARCHIVE_UNSAFE"],
  [
    "an id that is a path",
    () => rawZip([{ name: "waymark-runs.json", data: indexOf("../x") }]),
    "WM_RUN_ARCHIVE_UNSAFE",
  ],
  ["no index", () => rawZip(GOOD.slice(1)), "WM_RUN_ARCHIVE_FOREIGN"],
  ["a stranger", () => rawZip([...GOOD, { name: "readme.txt" }]), "WM_RUN_ARCHIVE_FOREIGN"],
  [
    "no run",
    () => rawZip([{ name: "waymark-runs.json", data: `{"schema":"waymark.export/1"}` }]),
    "WM_RUN_ARCHIVE_FOREIGN",
  ],
  ["another index", () => rawZip([{ name: "waymark-runs.json", data: "[]" }]), "WM_RUN_ARCHIVE_FOREIGN"],
  [
    "a newer index",
    () => rawZip([{ name: "waymark-runs.json", data: `{"schema":"waymark.export/2"}` }]),
    "WM_RUN_ARCHIVE_NEWER",
  ],
  ["an index that is no JSON", () => rawZip([{ name: "waymark-runs.json", data: "{" }]), "WM_RUN_ARCHIVE_DAMAGED"],
  ["no manifest", () => rawZip(GOOD.slice(0, 1)), "WM_RUN_DAMAGED"],
];

function indexOf(id: string): string {
  return JSON.stringify({ schema: "waymark.export/1", runs: [id] });
}

function overlapping(): Buffer {
  const data = "x".repeat(5000);
  const others = Array.from({ length: 50 }, (_, index) => ({ name: `runs/01A/${index}`, data, sameAs: 2 }));
  return rawZip([...GOOD, { name: "runs/01A/big", data }, ...others]);
}

function otherId(): Buffer {
  return rawZip([GOOD[0] as RawEntry, { name: "runs/01A/run.json", data: JSON.stringify(sampleManifest("01B")) }]);
}

function strayEvidence(): Buffer {
  const manifest = sampleManifest("01A", { artifacts: [{ kind: "log", path: "../../secrets" }] });
  return rawZip([GOOD[0] as RawEntry, { name: "runs/01A/run.json", data: JSON.stringify(manifest) }]);
}

test("an archive made by hand that is well formed is taken", async (t) => {
  const to = emptyProject(t);
  const zip = join(to.dir, "hand.zip");
  writeFileSync(zip, rawZip(GOOD));
  assert.equal((await importArchive(zip, to)).length, 1);
});

for (const [what, bytes, code] of BAD) {
  test(`an archive with ${what} is refused, and nothing comes of it`, async (t) => {
    const to = emptyProject(t);
    const zip = join(to.dir, "bad.zip");
    writeFileSync(zip, bytes());
    await assert.rejects(importArchive(zip, to), { code });
    assert.deepEqual(readdirSync(to.runs), []);
    assert.deepEqual(to.store.listRuns(), []);
    assert.equal(existsSync(join(to.dir, "x")), false);
  });
}

test("an archive that unpacks to more than is allowed is refused before anything is unpacked", async (t) => {
  const to = emptyProject(t);
  const zip = join(to.dir, "bomb.zip");
  await packZip(zip, { "waymark-runs.json": INDEX, "runs/01A/zeros": "0".repeat(5_000_000) });
  await assert.rejects(importArchive(zip, to, { limits: { maxBytes: 4_000_000 } }), { code: "WM_RUN_ARCHIVE_SIZE" });
  await assert.rejects(importArchive(zip, to, { limits: { maxEntries: 1 } }), { code: "WM_RUN_ARCHIVE_UNSAFE" });
  await assert.rejects(importArchive(join(to.dir, "absent.zip"), to), { code: "WM_RUN_ARCHIVE_DAMAGED" });
});

test("a folder in the way of an archive's name is no file of the selection", async (t) => {
  const to = emptyProject(t);
  mkdirSync(join(scratchFolder(t), "x.zip"));
  await assert.rejects(selectTrials(["x.zip"], to), { code: "WM_RUN_NOT_FOUND" });
});
